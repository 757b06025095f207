"""Signs payloads, good and bad, under roots made here, and lets Apple's own library judge each.

Prints one JSON object: the roots to pin, keys for tokens, and samples, each with its kind, its
JWS and what the App Store Server Library for Python says of it ("accepted", or its status).
"""

import base64
import datetime
import hashlib
import hmac
import json

from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils
from cryptography.x509.oid import NameOID

LEAF_MARKER = x509.ObjectIdentifier("1.2.840.113635.100.6.11.1")
INTERMEDIATE_MARKER = x509.ObjectIdentifier("1.2.840.113635.100.6.2.1")
DER_NULL = bytes([5, 0])
SIGNED = 1_790_000_000_000  # 2026-09-21, in milliseconds
DAY = 86_400_000
APP = 1234567890
BUNDLE = "com.example.app"
OTHER_BUNDLE = "com.example.other"  # allowed too
FOREIGN_BUNDLE = "com.example.foreign"


def date(year, month=1, day=1):
    return datetime.datetime(year, month, day, tzinfo=datetime.timezone.utc)


def der(certificate):
    return certificate.public_bytes(serialization.Encoding.DER)


def pem(certificate):
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


class Party:
    """A certificate with its private key."""

    def __init__(self, name, issuer=None, key=None, *, authority=True, marker=None,
                 begin=date(2020), end=date(2045), path_length=None, signs=True,
                 identifies=True):
        self.key = key or ec.generate_private_key(ec.SECP384R1() if authority else ec.SECP256R1())
        issuer_key = issuer.key if issuer else self.key
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        builder = (
            x509.CertificateBuilder()
            .subject_name(self.name)
            .issuer_name(issuer.name if issuer else self.name)
            .public_key(self.key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(begin)
            .not_valid_after(end)
            .add_extension(x509.BasicConstraints(authority, path_length), critical=True)
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(self.key.public_key()), critical=False)
            .add_extension(
                x509.KeyUsage(
                    digital_signature=not authority, content_commitment=False,
                    key_encipherment=False, data_encipherment=False, key_agreement=False,
                    key_cert_sign=authority and signs, crl_sign=authority, encipher_only=False,
                    decipher_only=False),
                critical=True)
        )
        if identifies:
            builder = builder.add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()),
                critical=False)
        if marker:
            builder = builder.add_extension(
                x509.UnrecognizedExtension(marker, DER_NULL), critical=False)
        self.certificate = builder.sign(issuer_key, hashes.SHA384())


def intermediate(root, **options):
    options = {"marker": INTERMEDIATE_MARKER, "path_length": 0} | options
    return Party("Test Intermediate", root, **options)


def leaf(issuer, **options):
    options = {"authority": False, "marker": LEAF_MARKER} | options
    return Party("Test Leaf", issuer, **options)


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def chain(*parties):
    return [base64.b64encode(der(party.certificate)).decode() for party in parties]


def raw_signature(key, message, size=32):
    r, s = utils.decode_dss_signature(key.sign(message, ec.ECDSA(hashes.SHA256())))
    return r.to_bytes(size, "big") + s.to_bytes(size, "big")


def text(value):
    return value if isinstance(value, bytes) else json.dumps(value).encode()


ROOT = Party("Test Root")
SECOND_ROOT = Party("Test Root with an end", end=date(2025))
OTHER_ROOT = Party("Other Root")
INTERMEDIATE = intermediate(ROOT)
LEAF = leaf(INTERMEDIATE)
USUAL = chain(LEAF, INTERMEDIATE, ROOT)


def sign(payload, key=None, x5c=USUAL, *, header=None, remove=(), signature=None, encode=base64url):
    """A compact JWS; `signature` makes another one than ES256's from the message."""
    head = header if isinstance(header, bytes) else {"alg": "ES256", "x5c": x5c} | (header or {})
    for name in remove:
        del head[name]
    message = f"{base64url(text(head))}.{encode(text(payload))}"
    made = signature or (lambda signed: raw_signature(key or LEAF.key, signed))
    return f"{message}.{base64url(made(message.encode()))}"


def under(*parties, **options):
    """Signs the usual transaction by the first party's key, under that chain."""
    return sign(transaction(), parties[0].key, chain(*parties), **options)


def without(fields, *names):
    return {name: value for name, value in fields.items() if name not in names}


def transaction(**fields):
    return {
        "transactionId": "2000000900000001", "originalTransactionId": "2000000900000001",
        "bundleId": BUNDLE, "productId": "com.example.credits.5000", "type": "Consumable",
        "quantity": 1, "purchaseDate": SIGNED - DAY, "originalPurchaseDate": SIGNED - DAY,
        "signedDate": SIGNED, "inAppOwnershipType": "PURCHASED", "environment": "Sandbox",
        "storefront": "NLD", "storefrontId": "143452", "transactionReason": "PURCHASE",
        "currency": "EUR", "price": 9990,
    } | fields


def renewal(**fields):
    return {
        "originalTransactionId": "2000000900000001", "productId": "com.example.pro",
        "autoRenewProductId": "com.example.pro.max", "autoRenewStatus": 1,
        "isInBillingRetryPeriod": True, "expirationIntent": 2, "environment": "Sandbox",
        "gracePeriodExpiresDate": SIGNED + 6 * DAY, "renewalDate": SIGNED + 30 * DAY,
        "renewalPrice": 9990, "currency": "EUR", "signedDate": SIGNED,
        "renewalBillingPlanType": "MONTHLY",
        "commitmentInfo": {
            "commitmentAutoRenewProductId": "com.example.pro", "commitmentAutoRenewStatus": 0,
            "commitmentRenewalBillingPlanType": "BILLED_UPFRONT",
            "commitmentRenewalDate": SIGNED + 300 * DAY, "commitmentRenewalPrice": 99990,
        },
    } | fields


def data(**fields):
    return {"bundleId": BUNDLE, "bundleVersion": "1.0", "environment": "Sandbox"} | fields


def notification(container=None, **fields):
    return {
        "notificationType": "CONSUMPTION_REQUEST", "version": "2.0", "signedDate": SIGNED,
        "notificationUUID": "002e14d5-51f5-4503-b5a8-c3a1af68eb20",
    } | (container if container is not None else {"data": data()}) | fields


def with_inner(transaction_jws=None, renewal_jws=None, **fields):
    inner = {"signedTransactionInfo": transaction_jws, "signedRenewalInfo": renewal_jws}
    present = {name: jws for name, jws in inner.items() if jws}
    return sign(notification({"data": data(**present, **fields)}))


PRODUCTION = {"environment": "Production", "appAppleId": APP}
def app_transaction(**fields):
    return {
        "receiptType": "Sandbox", "bundleId": BUNDLE, "appTransactionId": "704346128300000001",
        "receiptCreationDate": SIGNED, "originalPurchaseDate": SIGNED - DAY,
        "applicationVersion": "1.0",
    } | fields


def rescinded(app_jws, **fields):
    return sign(notification(
        {"appData": APP_DATA | {"signedAppTransactionInfo": app_jws} | fields},
        notificationType="RESCIND_CONSENT"))


SUMMARY = {
    "requestIdentifier": "efb27071-45a4-4aca-9854-2a1e9146f265", "environment": "Sandbox",
    "bundleId": BUNDLE, "productId": "com.example.pro", "succeededCount": 5, "failedCount": 2,
    "storefrontCountryCodes": ["NLD", "DEU"],
}
TOKEN = {
    "externalPurchaseId": "SANDBOX_b2158121-7af9-49d4-9561-1f588205523e", "bundleId": BUNDLE,
    "tokenCreationDate": SIGNED - DAY, "appAppleId": APP,
}
APP_DATA = {
    "appAppleId": APP, "bundleId": BUNDLE, "environment": "Sandbox",
}


def good():
    old = leaf(INTERMEDIATE, begin=date(2021), end=date(2022))
    before = int(date(2021, 6).timestamp() * 1000)
    yield "transaction", "transaction", sign(transaction())
    yield "transaction of Production", "transaction", sign(transaction(environment="Production"))
    yield "transaction of the other app", "transaction", sign(transaction(bundleId=OTHER_BUNDLE))
    yield "refunded transaction of a commitment", "transaction", sign(transaction(
        type="Auto-Renewable Subscription", revocationDate=SIGNED, revocationReason=1,
        revocationType="REFUND_PRORATED", revocationPercentage=50000, billingPlanType="MONTHLY",
        expiresDate=SIGNED + DAY,
        commitmentInfo={"billingPeriodNumber": 5, "totalBillingPeriods": 12,
                        "commitmentExpiresDate": SIGNED + 200 * DAY, "commitmentPrice": 119880}))
    yield "unknown fields and header fields", "transaction", sign(
        transaction(future={"a": [1, None]}), header={"kid": "x", "typ": "JWT"})
    yield "not ASCII", "transaction", sign(
        json.dumps(transaction(productId="crédits"), ensure_ascii=False).encode())
    yield "old payload under a leaf that has expired since", "transaction", sign(
        transaction(signedDate=before), old.key, chain(old, INTERMEDIATE, ROOT))
    yield "other root in x5c[2]", "transaction", sign(
        transaction(), x5c=chain(LEAF, INTERMEDIATE, OTHER_ROOT))
    yield "no certificate in x5c[2]", "transaction", sign(
        transaction(), x5c=USUAL[:2] + ["none"])
    between = intermediate(SECOND_ROOT)
    party = leaf(between)
    yield "second pinned root while it was valid", "transaction", sign(
        transaction(signedDate=before), party.key, chain(party, between, SECOND_ROOT))
    yield "renewal", "renewal", sign(renewal())
    yield "renewal without a commitment", "renewal", sign(
        without(renewal(), "commitmentInfo", "gracePeriodExpiresDate", "expirationIntent"))
    yield "consumption request", "notification", with_inner(
        sign(transaction()), sign(renewal()), status=4,
        consumptionRequestReason="UNSATISFIED_WITH_PURCHASE")
    yield "consumption request of Production", "notification", with_inner(
        sign(transaction(environment="Production")), None, **PRODUCTION,
        consumptionRequestReason="LEGAL")
    yield "test", "notification", sign(notification(notificationType="TEST"))
    yield "unknown type and subtype", "notification", sign(
        notification(notificationType="NEW_TYPE", subtype="NEW_SUBTYPE"))
    yield "summary", "notification", sign(notification(
        {"summary": SUMMARY}, notificationType="RENEWAL_EXTENSION", subtype="SUMMARY"))
    yield "external purchase", "notification", sign(notification(
        {"externalPurchaseToken": TOKEN}, notificationType="EXTERNAL_PURCHASE_TOKEN",
        subtype="UNREPORTED"))
    yield "external purchase of Production", "notification", sign(notification(
        {"externalPurchaseToken": TOKEN | {"externalPurchaseId": "b2158121"}},
        notificationType="EXTERNAL_PURCHASE_TOKEN"))
    yield "app data", "notification", rescinded(sign(app_transaction()))
    yield "app data of Production", "notification", rescinded(
        sign(app_transaction(receiptType="Production", appAppleId=APP)), **PRODUCTION)
    yield "app data alone", "notification", sign(notification(
        {"appData": APP_DATA}, notificationType="RESCIND_CONSENT"))
    yield "null containers", "notification", sign(notification(
        {"data": data(), "summary": None, "appData": None}))


def bad_chains():
    unmarked = intermediate(ROOT, marker=None)
    expired = intermediate(ROOT, end=date(2026))
    early = intermediate(ROOT, begin=date(2027))
    foreign = intermediate(OTHER_ROOT)
    no_authority = intermediate(ROOT, authority=False, path_length=None)
    no_signer = intermediate(ROOT, signs=False)
    over = intermediate(SECOND_ROOT)
    weak = intermediate(ROOT, key=rsa.generate_private_key(public_exponent=65537, key_size=1024))
    deep = Party("Second Intermediate", intermediate(ROOT, path_length=1),
                 marker=INTERMEDIATE_MARKER, path_length=0)
    lone = Party("Lone", authority=False, marker=LEAF_MARKER)
    twin = Party("Test Intermediate", ROOT, marker=INTERMEDIATE_MARKER, path_length=0)
    rows = {
        "leaf without marker": (leaf(INTERMEDIATE, marker=None), INTERMEDIATE, ROOT),
        "leaf with the intermediate's marker": (
            leaf(INTERMEDIATE, marker=INTERMEDIATE_MARKER), INTERMEDIATE, ROOT),
        "intermediate without marker": (leaf(unmarked), unmarked, ROOT),
        "two certificates": (LEAF, INTERMEDIATE),
        "four certificates": (LEAF, INTERMEDIATE, ROOT, ROOT),
        "self-signed leaf alone": (lone,),
        "self-signed leaf three times": (lone, lone, lone),
        "expired leaf": (leaf(INTERMEDIATE, end=date(2026)), INTERMEDIATE, ROOT),
        "expired intermediate": (leaf(expired), expired, ROOT),
        "expired root": (leaf(over), over, SECOND_ROOT),
        "leaf not yet valid": (leaf(INTERMEDIATE, begin=date(2027)), INTERMEDIATE, ROOT),
        "intermediate not yet valid": (leaf(early), early, ROOT),
        "other root": (leaf(foreign), foreign, OTHER_ROOT),
        "other root's chain with our root in x5c[2]": (leaf(foreign), foreign, ROOT),
        "leaf under the root itself": (leaf(ROOT), INTERMEDIATE, ROOT),
        "intermediate that is no authority": (leaf(no_authority), no_authority, ROOT),
        "intermediate that may not sign": (leaf(no_signer), no_signer, ROOT),
        "two intermediates": (leaf(deep), deep, ROOT),
        "intermediate of the same name": (leaf(twin), INTERMEDIATE, ROOT),
        "leaf and intermediate swapped": (INTERMEDIATE, LEAF, ROOT),
        "leaf under a leaf": (leaf(LEAF), LEAF, ROOT),
        "leaf that doesn't name its issuer's key": (
            leaf(INTERMEDIATE, identifies=False), INTERMEDIATE, ROOT),
        "intermediate with a weak key": (leaf(weak), weak, ROOT),
    }
    for name, parties in rows.items():
        # Some of these keys aren't of P-256; then any 64 bytes do, since the chain comes first.
        is_p256 = isinstance(parties[0].key.curve, ec.SECP256R1)
        yield name, "transaction", under(*parties, signature=None if is_p256 else bytes64)
    yield "no x5c", "transaction", sign(transaction(), remove=["x5c"])
    yield "x5c null", "transaction", sign(transaction(), x5c=None)
    yield "x5c empty", "transaction", sign(transaction(), x5c=[])
    yield "x5c a string", "transaction", sign(transaction(), x5c=USUAL[0])
    yield "x5c of numbers", "transaction", sign(transaction(), x5c=[1, 2, 3])
    yield "x5c in base64url", "transaction", sign(
        transaction(), x5c=[entry.replace("+", "-").replace("/", "_") for entry in USUAL])
    trailing = base64.b64encode(der(LEAF.certificate) + b"\0").decode()
    yield "byte behind the leaf", "transaction", sign(transaction(), x5c=[trailing] + USUAL[1:])
    yield "line break in the leaf", "transaction", sign(
        transaction(), x5c=[USUAL[0][:64] + "\n" + USUAL[0][64:]] + USUAL[1:])
    yield "no certificate as leaf", "transaction", sign(transaction(), x5c=["AAAA"] + USUAL[1:])
    yield "empty leaf", "transaction", sign(transaction(), x5c=[""] + USUAL[1:])
    huge = base64.b64encode(bytes(5000)).decode()
    yield "leaf too long", "transaction", sign(transaction(), x5c=[huge] + USUAL[1:])


def bytes64(message):
    return hashlib.sha512(message).digest()


def bad_signatures():
    rsa_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    rsa_leaf = leaf(INTERMEDIATE, key=rsa_key)
    p384 = leaf(INTERMEDIATE, key=ec.generate_private_key(ec.SECP384R1()))
    koblitz = leaf(INTERMEDIATE, key=ec.generate_private_key(ec.SECP256K1()))
    other = leaf(INTERMEDIATE)
    public = LEAF.key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    usual = sign(transaction())
    head, body, end = usual.split(".")
    yield "alg none", "transaction", sign(
        transaction(), header={"alg": "none"}, signature=lambda _: b"")
    yield "alg missing", "transaction", sign(transaction(), remove=["alg"])
    yield "alg HS256 with the public key", "transaction", sign(
        transaction(), header={"alg": "HS256"},
        signature=lambda message: hmac.digest(public, message, "sha256"))
    yield "alg RS256", "transaction", under(
        rsa_leaf, INTERMEDIATE, ROOT, header={"alg": "RS256"},
        signature=lambda message: rsa_key.sign(message, padding.PKCS1v15(), hashes.SHA256()))
    yield "alg ES384", "transaction", under(
        p384, INTERMEDIATE, ROOT, header={"alg": "ES384"},
        signature=lambda message: raw_signature(p384.key, message, 48))
    yield "alg in lower case", "transaction", sign(transaction(), header={"alg": "es256"})
    yield "P-384 leaf", "transaction", under(
        p384, INTERMEDIATE, ROOT, signature=lambda message: raw_signature(p384.key, message, 48))
    yield "P-384 leaf, 64 bytes", "transaction", under(
        p384, INTERMEDIATE, ROOT, signature=bytes64)
    yield "secp256k1 leaf", "transaction", under(koblitz, INTERMEDIATE, ROOT)
    yield "RSA leaf", "transaction", under(rsa_leaf, INTERMEDIATE, ROOT, signature=bytes64)
    yield "signature in DER", "transaction", sign(
        transaction(),
        signature=lambda message: LEAF.key.sign(message, ec.ECDSA(hashes.SHA256())))
    yield "signature of zeros", "transaction", sign(transaction(), signature=lambda _: bytes(64))
    yield "signature of ones", "transaction", sign(
        transaction(), signature=lambda _: bytes([255]) * 64)
    yield "no signature", "transaction", f"{head}.{body}."
    yield "tampered payload", "transaction", (
        f"{head}.{base64url(text(transaction(price=1)))}.{end}")
    yield "tampered header", "transaction", (
        base64url(text({"x5c": USUAL, "alg": "ES256"})) + f".{body}.{end}")
    yield "signed by another leaf's key", "transaction", sign(transaction(), other.key)
    yield "payload of another token", "transaction", (
        f"{head}.{sign(transaction(price=1)).split('.')[1]}.{end}")
    yield "signature with padding", "transaction", usual + "=="
    yield "signature in base64", "transaction", with_letters_beyond()
    yield "payload in base64", "transaction", sign(
        transaction(productId="~~~???>>>"),
        encode=lambda data: base64.b64encode(data).rstrip(b"=").decode())
    yield "payload with a blank", "transaction", sign(
        transaction(), encode=lambda data: base64url(data) + " ")
    yield "bits that encode nothing", "transaction", usual[:-1] + {
        "A": "B", "Q": "R", "g": "h", "w": "x"}[usual[-1]]
    yield "two parts", "transaction", f"{head}.{body}"
    yield "four parts", "transaction", usual + ".x"
    yield "empty", "transaction", ""


def with_letters_beyond():
    """A good token whose signature is written with the other alphabet's letters."""
    while True:
        head, body, end = sign(transaction()).split(".")
        if "-" in end or "_" in end:
            return f"{head}.{body}." + end.replace("-", "+").replace("_", "/")


def bad_texts():
    def twice(fields, extra):
        return text(fields)[:-1] + b", " + extra + b"}"

    header = {"alg": "ES256", "x5c": USUAL}
    yield "duplicate key", "transaction", sign(twice(transaction(), b'"price": 1'))
    yield "duplicate key within", "transaction", sign(
        twice(transaction(), b'"unknown": {"a": 1, "a": 2}'))
    yield "duplicate header key", "transaction", sign(
        transaction(), header=twice(header, b'"alg": "ES256"'))
    yield "crit", "transaction", sign(transaction(), header={"crit": ["new"], "new": 1})
    yield "crit of b64", "transaction", sign(
        transaction(), header={"crit": ["b64"], "b64": True})
    yield "header of 20 KB", "transaction", sign(transaction(), header={"kid": "x" * 20_000})
    yield "300 KB", "transaction", sign(transaction(future="x" * 300_000))
    yield "payload an array", "transaction", sign(b"[]")
    yield "payload no JSON", "transaction", sign(b"{")
    yield "payload with a trailing comma", "transaction", sign(b'{"a": 1,}')
    yield "payload with invalid UTF-8", "transaction", sign(
        text(transaction(future="?")).replace(b"?", b"\xff"))
    yield "brackets", "transaction", sign(twice(transaction(), b'"deep": ' + b"[" * 99 + b"]" * 99))
    yield "header an array", "transaction", sign(transaction(), header=b"[]")
    yield "header no JSON", "transaction", sign(transaction(), header=b"alg")


def bad_contents():
    yield "without signedDate", "transaction", sign(without(transaction(), "signedDate"))
    yield "signedDate in seconds", "transaction", sign(transaction(signedDate=SIGNED // 1000))
    yield "signedDate a string", "transaction", sign(transaction(signedDate=str(SIGNED)))
    yield "signedDate a fraction", "transaction", sign(transaction(signedDate=SIGNED + 0.5))
    yield "signedDate in two days", "transaction", sign(transaction(signedDate=SIGNED + 2 * DAY))
    yield "without transactionId", "transaction", sign(without(transaction(), "transactionId"))
    yield "empty transactionId", "transaction", sign(transaction(transactionId=""))
    for word in ["Xcode", "LocalTesting", "production", "Staging"]:
        yield f"environment {word}", "transaction", sign(transaction(environment=word))
        yield f"notification from {word}", "notification", sign(
            notification({"data": data(environment=word)}))
    yield "without environment", "transaction", sign(without(transaction(), "environment"))
    yield "renewal from Xcode", "renewal", sign(renewal(environment="Xcode"))
    yield "foreign app", "transaction", sign(transaction(bundleId=FOREIGN_BUNDLE))
    yield "without bundleId", "transaction", sign(without(transaction(), "bundleId"))
    yield "bundle id in another case", "transaction", sign(transaction(bundleId=BUNDLE.upper()))
    yield "transaction as renewal", "renewal", sign(transaction())
    yield "renewal as transaction", "transaction", sign(renewal())
    yield "notification as transaction", "transaction", sign(notification())
    yield "transaction as notification", "notification", sign(transaction())
    yield "renewal without chain", "renewal", sign(without(renewal(), "originalTransactionId"))
    yield "renewal with a word as flag", "renewal", sign(renewal(isInBillingRetryPeriod="yes"))


def bad_notifications():
    sandbox, production = sign(transaction()), sign(transaction(environment="Production"))
    foreign = intermediate(OTHER_ROOT)
    stranger = leaf(foreign)
    yield "notification of a foreign app", "notification", sign(
        notification({"data": data(bundleId=FOREIGN_BUNDLE)}))
    yield "Production without appAppleId", "notification", sign(
        notification({"data": data(environment="Production")}))
    yield "Production with another appAppleId", "notification", sign(
        notification({"data": data(environment="Production", appAppleId=APP + 1)}))
    yield "appAppleId a string", "notification", sign(
        notification({"data": data(environment="Production", appAppleId=str(APP))}))
    yield "summary of a foreign app", "notification", sign(
        notification({"summary": SUMMARY | {"bundleId": FOREIGN_BUNDLE}}))
    yield "summary from Xcode", "notification", sign(
        notification({"summary": SUMMARY | {"environment": "Xcode"}}))
    yield "app data of Production with another appAppleId", "notification", sign(
        notification({"appData": APP_DATA | {"environment": "Production", "appAppleId": 1}}))
    yield "external purchase of Production with another appAppleId", "notification", sign(
        notification({"externalPurchaseToken": TOKEN
                      | {"externalPurchaseId": "b2158121", "appAppleId": 1}}))
    yield "no container", "notification", sign(notification({}))
    yield "unknown container", "notification", sign(notification({"future": data()}))
    yield "two containers", "notification", sign(notification({"data": data(), "summary": SUMMARY}))
    yield "container an array", "notification", sign(notification({"data": []}))
    yield "without notificationUUID", "notification", sign(
        without(notification(), "notificationUUID"))
    yield "without notificationType", "notification", sign(
        without(notification(), "notificationType"))
    yield "inner transaction of a foreign app", "notification", with_inner(
        sign(transaction(bundleId=FOREIGN_BUNDLE)))
    yield "inner transaction of our other app", "notification", with_inner(
        sign(transaction(bundleId=OTHER_BUNDLE)))
    yield "inner Sandbox in outer Production", "notification", with_inner(sandbox, **PRODUCTION)
    yield "inner Production in outer Sandbox", "notification", with_inner(production)
    yield "inner renewal of Sandbox in outer Production", "notification", with_inner(
        production, sign(renewal()), **PRODUCTION)
    yield "inner transaction from Xcode", "notification", with_inner(
        sign(transaction(environment="Xcode")))
    yield "inner transaction under another root", "notification", with_inner(
        sign(transaction(), stranger.key, chain(stranger, foreign, OTHER_ROOT)))
    yield "inner transaction tampered", "notification", with_inner(tampered(sandbox))
    yield "inner renewal tampered", "notification", with_inner(sandbox, tampered(sign(renewal())))
    yield "inner transaction in the renewal's place", "notification", with_inner(sandbox, sandbox)
    yield "inner renewal in the transaction's place", "notification", with_inner(sign(renewal()))
    app = sign(app_transaction())
    yield "inner app tampered", "notification", rescinded(tampered(app))
    yield "inner app of Sandbox in outer Production", "notification", rescinded(app, **PRODUCTION)
    yield "inner app of a foreign app", "notification", rescinded(
        sign(app_transaction(bundleId=FOREIGN_BUNDLE)))
    yield "inner app of Production with another appAppleId", "notification", rescinded(
        sign(app_transaction(receiptType="Production", appAppleId=1)), **PRODUCTION)
    yield "inner app without a date", "notification", rescinded(
        sign(without(app_transaction(), "receiptCreationDate")))
    yield "inner app from Xcode", "notification", rescinded(
        sign(app_transaction(receiptType="Xcode")))
    yield "inner transaction a number", "notification", sign(
        notification({"data": data(signedTransactionInfo=1)}))


def tampered(jws):
    """The token with another signature, which is well written."""
    return jws[:-8] + "AAAAAAAA"


def unverified(jws):
    """The payload as it stands, or nothing."""
    try:
        body = jws.split(".")[1]
        read = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        return read if isinstance(read, dict) else {}
    except (IndexError, ValueError):
        return {}


def container(payload):
    for name in ["data", "summary", "externalPurchaseToken", "appData"]:
        if isinstance(payload.get(name), dict):
            return payload[name]
    return payload


def judge(kind, jws):
    """What Apple's library says. Its verifier knows one app and environment, so it's made for
    those that the payload claims, provided that they are allowed; inner payloads are given to the
    same verifier, as its documentation asks."""
    claims = container(unverified(jws))
    # Given Xcode or LocalTesting, the library would check nothing.
    is_production = claims.get("environment") == "Production" or (
        "externalPurchaseId" in claims
        and not str(claims["externalPurchaseId"]).startswith("SANDBOX"))
    environment = Environment.PRODUCTION if is_production else Environment.SANDBOX
    bundle = OTHER_BUNDLE if claims.get("bundleId") == OTHER_BUNDLE else BUNDLE
    verifier = SignedDataVerifier(
        [der(ROOT.certificate), der(SECOND_ROOT.certificate)], False, environment, bundle, APP)
    try:
        if kind == "transaction":
            verifier.verify_and_decode_signed_transaction(jws)
        elif kind == "renewal":
            verifier.verify_and_decode_renewal_info(jws)
        else:
            decoded = verifier.verify_and_decode_notification(jws)
            inner = decoded.data
            if decoded.appData and decoded.appData.signedAppTransactionInfo:
                verifier.verify_and_decode_app_transaction(
                    decoded.appData.signedAppTransactionInfo)
            if inner and inner.signedTransactionInfo:
                verifier.verify_and_decode_signed_transaction(inner.signedTransactionInfo)
            if inner and inner.signedRenewalInfo:
                verifier.verify_and_decode_renewal_info(inner.signedRenewalInfo)
    except VerificationException as fault:
        return fault.status.name
    except Exception as fault:  # its decoding of fields has faults of many types
        return type(fault).__name__
    return "accepted"


def private_pem(key, encryption=serialization.NoEncryption()):
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption).decode()


def keys():
    key = ec.generate_private_key(ec.SECP256R1())
    p384 = ec.generate_private_key(ec.SECP384R1())
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()
    secret = serialization.BestAvailableEncryption(b"secret")
    return {"private": private_pem(key), "public": public, "p384": private_pem(p384),
            "encrypted": private_pem(key, secret), "certificate": pem(ROOT.certificate)}


def main():
    groups = {
        "good": [good()],
        "bad": [bad_chains(), bad_signatures(), bad_texts(), bad_contents(), bad_notifications()],
    }
    samples = [
        {"name": name, "kind": kind, "jws": jws, "group": group, "judge": judge(kind, jws)}
        for group, makers in groups.items() for maker in makers for name, kind, jws in maker
    ]
    print(json.dumps({
        "signed": SIGNED, "keys": keys(), "samples": samples,
        "roots": {"der": base64.b64encode(der(ROOT.certificate)).decode(),
                  "pem": pem(ROOT.certificate), "second": pem(SECOND_ROOT.certificate),
                  "other": pem(OTHER_ROOT.certificate),
                  "intermediate": pem(INTERMEDIATE.certificate),
                  "leaf": pem(LEAF.certificate)},
    }))


if __name__ == "__main__":
    main()
