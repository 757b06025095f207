"""A fake of Apple's side: the App Store Server API for both environments, over TLS.

Prints one JSON line with its ports and files, then obeys commands: one JSON object a line on
standard input, one JSON object a line as the answer. See `Commands`. Ends with its input.
"""

import datetime
import http.server
import json
import os
import pathlib
import socket
import ssl
import struct
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parents[2] / "AppStoreTests" / "Samples"))

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

import constraints
import make_samples as apple
from constraints import Refusal

PAGE = 20
LONG = 5 * 1024 * 1024


class Store:
    """What Apple knows, and what was asked."""

    def __init__(self):
        self.lock = threading.Condition()
        self.purchases = {"Production": {}, "Sandbox": {}}
        self.orders = {}
        self.refunds = {}
        self.failures = {"Production": [], "Sandbox": []}
        self.tests = {}
        self.histories = {}
        self.planned = []
        self.refusing = {}
        self.calls = []
        self.connections = 0
        self.notification_url = None
        self.clock_ahead = 0
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.public = self.key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

    def now(self):
        return time.time() + self.clock_ahead

    def milliseconds(self):
        return int(self.now() * 1000)

    def signed(self, identifier, environment, **more):
        """A transaction as it is now, signed."""
        purchase = self.purchases[environment][identifier]
        fields = {name: value for name, value in purchase.items() if name != "extensions"}
        return apple.sign(
            apple.transaction() | {"environment": environment, "transactionId": identifier,
                                   "originalTransactionId": identifier,
                                   "signedDate": self.milliseconds()} | fields | more)

    def notification(self, environment, kind, identifier=None, age=0, **more):
        """A notification signed so many seconds ago."""
        signed = self.milliseconds() - age * 1000
        bundle = self.bundle(environment, identifier)
        data = {"bundleId": bundle, "bundleVersion": "1", "environment": environment}
        if environment == "Production":
            data["appAppleId"] = apple.APP
        if identifier:
            data["signedTransactionInfo"] = self.signed(
                identifier, environment, signedDate=signed)
        payload = {"notificationType": kind, "notificationUUID": str(uuid.uuid4()),
                   "version": "2.0", "signedDate": signed, "data": data | more}
        return apple.sign(payload)

    def bundle(self, environment, identifier):
        """The app that sold a purchase; the usual one for what isn't known."""
        return self.purchases[environment].get(identifier, {}).get("bundleId", apple.BUNDLE)

    def undelivered(self, environment, kind, payload, ago=0):
        """Notes what a later question for failed deliveries is to find."""
        self.failures[environment].append(
            {"kind": kind, "signedPayload": payload, "at": self.milliseconds() - ago * 1000})


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "fake"
    timeout = 60

    @property
    def store(self):
        return self.server.store

    def log_message(self, *_):
        pass

    def setup(self):
        super().setup()
        with self.store.lock:
            self.store.connections += 1

    def date_time_string(self, timestamp=None):
        return super().date_time_string(self.store.now() if timestamp is None else timestamp)

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        url = urllib.parse.urlsplit(self.path)
        path = [urllib.parse.unquote(part) for part in url.path.split("/")[1:]]
        endpoint = self.endpoint(path)
        with self.store.lock:
            planned = None
            for index, one in enumerate(self.store.planned):
                if (one.get("endpoint", endpoint) == endpoint
                        and one.get("environment", self.environment) == self.environment):
                    planned = self.store.planned.pop(index)
                    break
        try:
            answer = self.obey(planned, endpoint, path, url.query, body)
        except Refusal as refusal:
            answer = refusal
        if planned and "retryAfter" in planned:
            # Seconds from now, as Apple's clock has it.
            until = self.store.milliseconds() + planned["retryAfter"] * 1000
            planned["headers"] = {"Retry-After": str(until)}
        self.note(endpoint, body, answer)
        if isinstance(answer, str):
            return self.misbehave(answer)
        if isinstance(answer, Refusal):
            if answer.code is None:
                return self.answer(answer.status, None, planned)
            return self.answer(
                answer.status,
                {"errorCode": answer.code, "errorMessage": answer.message}, planned)
        return self.answer(*answer, planned)

    do_GET = do_POST = do_PUT = handle_any

    def endpoint(self, path):
        rest = "/".join(path)
        for prefix, name in [
            ("inApps/v2/transactions/consumption/", "sendConsumption"),
            ("inApps/v1/notifications/history", "notificationHistory"),
            ("inApps/v2/refund/lookup/", "refundHistory"),
            ("inApps/v1/notifications/test/", "testStatus"),
            ("inApps/v1/notifications/test", "requestTest"),
            ("inApps/v1/lookup/", "lookUpOrder"),
            ("inApps/v1/transactions/", "transactionInfo"),
            ("inApps/v1/subscriptions/extend/", "extendRenewalDate"),
        ]:
            if rest.startswith(prefix):
                return name
        return "unknown"

    METHODS = {"sendConsumption": "PUT", "extendRenewalDate": "PUT",
               "notificationHistory": "POST", "requestTest": "POST"}

    def obey(self, planned, endpoint, path, query, body):
        """The planned fault, or the answer that the rules give. A planned status is given only to
        a call that is right, so that it can't hide a wrong one."""
        if planned and planned.get("before"):
            return planned["before"]
        if self.command != self.METHODS.get(endpoint, "GET"):
            raise Refusal(405)
        if self.environment in self.store.refusing:
            raise Refusal(self.store.refusing[self.environment])
        with self.store.lock:
            self.bundle = constraints.check_token(
                self.headers["Authorization"], self.store.public,
                {apple.BUNDLE, apple.OTHER_BUNDLE}, self.store.now())
            if self.headers["Accept"] != "application/json" or not self.headers["User-Agent"]:
                raise Refusal(400)
            if body and self.headers["Content-Type"] != "application/json":
                raise Refusal(415)
            parameters = urllib.parse.parse_qs(query, strict_parsing=bool(query))
            answer = getattr(self, endpoint)(path[-1], parameters, body)
        if planned and "status" in planned:
            raise Refusal(planned["status"], planned.get("code"), planned.get("message", "planned"))
        if planned and planned.get("fault"):
            return planned["fault"]
        return answer

    def unknown(self, *_):
        raise Refusal(404)

    @property
    def environment(self):
        return self.server.environment

    def check_app(self, identifier):
        """Another app's purchases are as good as none."""
        if self.store.bundle(self.environment, identifier) != self.bundle:
            raise Refusal(404, 4040010)

    def sendConsumption(self, identifier, _, body):
        self.check_app(identifier)
        return constraints.check_consumption(
            self.store.purchases[self.environment], identifier, body)

    def notificationHistory(self, _, query, body):
        value = constraints.check_history(body, self.environment, self.store.milliseconds())
        start = 0
        if "paginationToken" in query:
            token = query["paginationToken"][0]
            # The same question has to come with every page.
            if self.store.histories.get(token, (None,))[0] != value:
                raise Refusal(400, 4000014)
            start = self.store.histories[token][1]
        items = [one for one in self.store.failures[self.environment]
                 if value["startDate"] <= one["at"] <= value["endDate"]
                 and value.get("notificationType", one["kind"]) == one["kind"]]
        page = {"notificationHistory": [
            {"signedPayload": one["signedPayload"],
             "sendAttempts": [{"attemptDate": one["at"], "sendAttemptResult": "TIMED_OUT"}]}
            for one in items[start:start + PAGE]], "hasMore": start + PAGE < len(items)}
        if page["hasMore"]:
            page["paginationToken"] = f"token/{uuid.uuid4()}=="
            self.store.histories[page["paginationToken"]] = (value, start + PAGE)
        return 200, page

    def refundHistory(self, identifier, query, _):
        self.check_app(identifier)
        constraints.known(self.store.purchases[self.environment], identifier)
        items = self.store.refunds.get(identifier, [])
        start = 0
        if "revision" in query:
            word = query["revision"][0]
            if not word.startswith("r=") or not word[2:].isdigit():
                raise Refusal(400, 4000005)
            start = int(word[2:])
        return 200, {"signedTransactions": items[start:start + PAGE],
                     "revision": f"r={min(start + PAGE, len(items))}",
                     "hasMore": start + PAGE < len(items)}

    def requestTest(self, *_):
        if not self.store.notification_url:
            raise Refusal(404, 4040007)
        token = str(uuid.uuid4())
        payload = self.store.notification(self.environment, "TEST")
        self.store.tests[token] = {"payload": payload, "asked": 0, "result": None}
        return 200, {"testNotificationToken": token}

    def testStatus(self, token, *_):
        try:
            uuid.UUID(token)
        except ValueError:
            raise Refusal(400, 4000020) from None
        test = self.store.tests.get(token)
        if test is None:
            raise Refusal(404, 4040008)
        test["asked"] += 1
        if test["asked"] == 1:
            raise Refusal(404, 4040008)
        if test["result"] is None:
            status = post(self.store.notification_url, test["payload"])
            test["result"] = (
                "SUCCESS" if 200 <= status <= 206 else "UNSUCCESSFUL_HTTP_RESPONSE_CODE")
        return 200, {"signedPayload": test["payload"], "sendAttempts": [
            {"attemptDate": self.store.milliseconds(), "sendAttemptResult": test["result"]}]}

    def lookUpOrder(self, order, *_):
        if self.environment == "Sandbox":
            raise Refusal(404)
        found = self.store.orders.get(order)
        if found is None:
            return 200, {"status": 1}
        return 200, {"status": 0, "signedTransactions": [
            self.store.signed(identifier, "Production") for identifier in found]}

    def transactionInfo(self, identifier, *_):
        self.check_app(identifier)
        constraints.known(self.store.purchases[self.environment], identifier)
        return 200, {"signedTransactionInfo": self.store.signed(identifier, self.environment)}

    def extendRenewalDate(self, identifier, _, body):
        days = constraints.check_extension(
            self.store.purchases[self.environment], identifier, body)
        return 200, {"originalTransactionId": identifier, "webOrderLineItemId": "1",
                     "success": True,
                     "effectiveDate": self.store.milliseconds() + days * constraints.DAY}

    def note(self, endpoint, body, answer):
        with self.store.lock:
            self.store.calls.append({
                "endpoint": endpoint, "environment": self.environment, "path": self.path,
                "body": body.decode(), "answer": answer if isinstance(answer, str)
                else answer.status if isinstance(answer, Refusal) else answer[0],
                "code": answer.code if isinstance(answer, Refusal) else None,
                "at": self.store.milliseconds()})
            self.store.lock.notify_all()

    def answer(self, status, value, planned):
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        if body:
            self.send_header("Content-Type", "application/json")
        for name, text in ((planned or {}).get("headers") or {}).items():
            self.send_header(name, text)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def misbehave(self, how):
        self.close_connection = True
        if how == "reset":
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            # Without TLS's own farewell.
            os.close(self.connection.detach())
        elif how == "half":
            self.wfile.write(b"HTTP/1.1 202 Accepted\r\nContent-Length: 100\r\n\r\n{\"err")
            self.wfile.flush()
        elif how == "cut head":
            self.wfile.write(b"HTTP/1.1 202 Accepted\r\nContent-Le")
            self.wfile.flush()
        elif how == "cut status":
            self.wfile.write(b"HTTP/1.1 202 Acc")
            self.wfile.flush()
        elif how == "garbage":
            self.wfile.write(b"what?\r\n\r\n")
            self.wfile.flush()
        elif how == "long":
            self.answer(200, "x" * LONG, None)
        else:
            # Until the client gives up.
            try:
                self.connection.recv(1)
            except OSError:
                pass


def post(url, payload):
    """Sends a notification as Apple does; the status, or 0."""
    request = urllib.request.Request(
        url, json.dumps({"signedPayload": payload}).encode(),
        {"Content-Type": "application/json"}, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status
    except urllib.error.HTTPError as fault:
        return fault.code
    except OSError:
        return 0


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, store, environment, context):
        super().__init__(("127.0.0.1", 0), Handler, bind_and_activate=True)
        self.store = store
        self.environment = environment
        self.socket = context.wrap_socket(
            self.socket, server_side=True, do_handshake_on_connect=False)

    def handle_error(self, *_):
        # A client that breaks off is no fault of ours; anything else is.
        if not isinstance(sys.exception(), OSError):
            super().handle_error(*_)



def certificate(name, issuer=None, names=None):
    """An authority, or a server's certificate for names."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = (
        x509.CertificateBuilder().subject_name(subject)
        .issuer_name(issuer[0].subject if issuer else subject).public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=30))
        .add_extension(x509.BasicConstraints(ca=not issuer, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.KeyUsage(
                digital_signature=True, content_commitment=False, key_encipherment=False,
                data_encipherment=False, key_agreement=False, key_cert_sign=not issuer,
                crl_sign=not issuer, encipher_only=False, decipher_only=False), critical=True))
    issuer_key = issuer[1] if issuer else key
    builder = builder.add_extension(
        x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()),
        critical=False)
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return builder.sign(issuer_key, hashes.SHA256()), key


def write(path, data, mode=0o644):
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(data)
    return str(path)


def private(key):
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption())


def start(folder):
    """Listens for both environments; the store and what its users need to know."""
    folder = pathlib.Path(folder)
    store = Store()
    authority = certificate("Test authority")
    # 127.0.0.1 isn't among the names: who asks for it there has to refuse.
    server = certificate("localhost", authority, [x509.DNSName("localhost")])
    pem = serialization.Encoding.PEM
    chain = write(folder / "server.pem", server[0].public_bytes(pem) + private(server[1]), 0o600)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain)
    known = {
        "authority": write(folder / "authority.pem", authority[0].public_bytes(pem)),
        "key": write(folder / "key.p8", private(store.key), 0o600),
        "root": write(folder / "root.pem", apple.pem(apple.ROOT.certificate).encode()),
        "keyId": constraints.KEY_ID, "issuerId": constraints.ISSUER_ID,
        "bundleId": apple.BUNDLE, "otherBundleId": apple.OTHER_BUNDLE, "appAppleId": apple.APP,
    }
    for name in ["Production", "Sandbox"]:
        listener = Server(store, name, context)
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        known[name] = listener.server_address[1]
    return store, known


class Commands:
    """Each takes the command's members and returns the answer's."""

    def __init__(self, store):
        self.store = store

    def purchase(self, environment, transactionId, **fields):
        with self.store.lock:
            self.store.purchases[environment][transactionId] = fields
            return {"signedTransactionInfo": self.store.signed(transactionId, environment)}

    def order(self, orderId, transactionIds):
        self.store.orders[orderId] = transactionIds
        return {}

    def refund(self, environment, transactionId, of, **fields):
        """Adds a refund to the history of whoever bought `of`."""
        with self.store.lock:
            self.store.refunds.setdefault(of, []).append(
                self.store.signed(transactionId, environment, **fields))
        return {}

    def failure(self, environment, transactionId, reason="OTHER", ago=0):
        """A refund request that couldn't be delivered, so many seconds ago."""
        with self.store.lock:
            payload = self.store.notification(
                environment, "CONSUMPTION_REQUEST", transactionId, consumptionRequestReason=reason)
            self.store.undelivered(environment, "CONSUMPTION_REQUEST", payload, ago)
        return {"signedPayload": payload}

    def notify(self, url, environment, kind, transactionId=None, **more):
        """Delivers a notification once."""
        with self.store.lock:
            payload = self.store.notification(environment, kind, transactionId, **more)
        status = post(url, payload)
        if not 200 <= status <= 206:
            with self.store.lock:
                self.store.undelivered(environment, kind, payload)
        return {"status": status, "signedPayload": payload}

    def sign(self, environment, kind, transactionId=None, **more):
        """A notification that is left to others to deliver."""
        with self.store.lock:
            return {"signedPayload": self.store.notification(
                environment, kind, transactionId, **more)}

    def tests_go_to(self, url):
        self.store.notification_url = url
        return {}

    def plan(self, answers):
        """What the next calls get: status with code, message and headers, a fault after the call
        was taken, or (`before`) one before it was looked at."""
        with self.store.lock:
            self.store.planned += answers
        return {}

    def refuse(self, environment, status):
        """From now on an environment answers everything so; 0 as usual again."""
        with self.store.lock:
            if status:
                self.store.refusing[environment] = status
            else:
                self.store.refusing.pop(environment, None)
        return {}

    def clock(self, ahead):
        self.store.clock_ahead = ahead
        return {}

    def wait(self, endpoint, count, seconds=120):
        """Waits for so many calls."""
        def calls():
            return [call for call in self.store.calls if call["endpoint"] == endpoint]
        with self.store.lock:
            came = self.store.lock.wait_for(lambda: len(calls()) >= count, seconds)
            return {"came": came, "calls": calls(), "connections": self.store.connections}


def main():
    store, known = start(sys.argv[1])
    print(json.dumps(known), flush=True)
    commands = Commands(store)
    for line in sys.stdin:
        command = json.loads(line)
        print(json.dumps(getattr(commands, command.pop("do"))(**command)), flush=True)


if __name__ == "__main__":
    main()
