"""What Apple publishes about each call of the App Store Server API, as checks.

A check returns what is answered: a status with a body, or a Refusal with Apple's number. Three
numbers aren't published; for these the fake has its own, which start with 4999.
"""

import json
import time

import jwt

KEY_ID = "2X9R4HXF34"
ISSUER_ID = "57246542-96fe-1a63-e053-0824d011072a"
HOUR = 3600
DAY = 86_400_000
DELIVERIES = {
    "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM",
    "UNDELIVERED_SERVER_OUTAGE", "UNDELIVERED_OTHER",
}
PREFERENCES = {"DECLINE", "GRANT_FULL", "GRANT_PRORATED"}
FIELDS = {
    "customerConsented", "deliveryStatus", "sampleContentProvided", "consumptionPercentage",
    "refundPreference",
}
HISTORY_FIELDS = {
    "startDate", "endDate", "notificationType", "notificationSubtype", "transactionId",
    "onlyFailures",
}
OUT_OF_RANGE = 4999001
UNDELIVERED_NOT_ZERO = 4999002
ADVANCED_COMMERCE = 4999003


class Refusal(Exception):
    """An answer other than 2xx; without a number it has no body."""

    def __init__(self, status, code=None, message="refused"):
        super().__init__(f"{status} {code}")
        self.status = status
        self.code = code
        self.message = message


def whole(value):
    return isinstance(value, int) and not isinstance(value, bool)


def check_token(header, public_key, bundle_ids, now=None):
    """The bundle id of a good token. A bad one is 401 without a body."""
    now = time.time() if now is None else now
    scheme, _, token = (header or "").partition(" ")
    try:
        if scheme != "Bearer":
            raise ValueError("no bearer")
        head = jwt.get_unverified_header(token)
        if (head.get("alg"), head.get("kid"), head.get("typ")) != ("ES256", KEY_ID, "JWT"):
            raise ValueError("header")
        claims = jwt.decode(
            token, public_key, algorithms=["ES256"], audience="appstoreconnect-v1",
            issuer=ISSUER_ID, options={"verify_exp": False, "verify_iat": False,
                                       "require": ["iss", "exp", "aud", "bid"]})
        issued = claims.get("iat", now)
        if claims["bid"] not in bundle_ids:
            raise ValueError("bundle")
        # Apple takes a minute of disagreement between clocks.
        if not (now - 60 < claims["exp"] <= issued + HOUR and issued <= now + 60):
            raise ValueError("time")
        return claims["bid"]
    except (jwt.PyJWTError, ValueError) as fault:
        raise Refusal(401) from fault


def body_object(body):
    """400 without a number stands for a malformed request."""
    try:
        value = json.loads(body)
    except ValueError as fault:
        raise Refusal(400) from fault
    if not isinstance(value, dict):
        raise Refusal(400)
    return value


def known(purchases, identifier, missing=4040010):
    if not identifier.isdigit():
        raise Refusal(400, 4000006)
    if identifier not in purchases:
        raise Refusal(404, missing)
    return purchases[identifier]


def check_consumption(purchases, identifier, body):
    value = body_object(body)
    if set(value) - FIELDS:
        raise Refusal(400)
    purchase = known(purchases, identifier)
    if purchase.get("inAppOwnershipType") == "FAMILY_SHARED":
        raise Refusal(400, 4000185)
    if purchase.get("inAppOwnershipType") == "ASSIGNED":
        raise Refusal(400, 4000227)
    if "advancedCommerceInfo" in purchase:
        raise Refusal(400, ADVANCED_COMMERCE)
    if value.get("customerConsented") is not True:
        raise Refusal(400, 4000035)
    delivery = value.get("deliveryStatus")
    if delivery not in DELIVERIES:
        raise Refusal(400, 4000036)
    if not isinstance(value.get("sampleContentProvided"), bool):
        raise Refusal(400, 4000041)
    renews = purchase.get("type") == "Auto-Renewable Subscription"
    share = value.get("consumptionPercentage")
    if "consumptionPercentage" in value:
        if renews:
            raise Refusal(400, 4000209)
        if not whole(share) or not 0 <= share <= 100_000:
            raise Refusal(400, OUT_OF_RANGE)
        if delivery != "DELIVERED" and share != 0:
            raise Refusal(400, UNDELIVERED_NOT_ZERO)
    if "refundPreference" in value:
        preference = value["refundPreference"]
        if preference not in PREFERENCES:
            raise Refusal(400, 4000044)
        if preference == "GRANT_PRORATED" and not renews and share in (0, 100_000):
            raise Refusal(400, 4000044)
    return 202, None


def check_history(body, environment, now):
    """The filters of a question for notifications."""
    value = body_object(body)
    if set(value) - HISTORY_FIELDS:
        raise Refusal(400)
    for name, code in [("startDate", 4000015), ("endDate", 4000016)]:
        if not whole(value.get(name)) or value[name] < 10**11:
            raise Refusal(400, code)
    if value["startDate"] >= value["endDate"]:
        raise Refusal(400, 4000013)
    days = 180 if environment == "Production" else 30
    if value["startDate"] < now - days * DAY:
        raise Refusal(400, 4000012)
    if "notificationType" in value and "transactionId" in value:
        raise Refusal(400, 4000019)
    if value.get("notificationType", "TEST") not in {"CONSUMPTION_REQUEST", "REFUND", "TEST"}:
        raise Refusal(400, 4000018)
    if not isinstance(value.get("onlyFailures", False), bool):
        raise Refusal(400)
    return value


def check_extension(purchases, identifier, body):
    value = body_object(body)
    if not identifier.isdigit():
        raise Refusal(400, 4000008)
    if identifier not in purchases:
        raise Refusal(404, 4040005)
    if not whole(value.get("extendByDays")) or not 1 <= value["extendByDays"] <= 90:
        raise Refusal(400, 4000009)
    if not whole(value.get("extendReasonCode")) or not 0 <= value["extendReasonCode"] <= 3:
        raise Refusal(400, 4000010)
    if not isinstance(value.get("requestIdentifier"), str) or not value["requestIdentifier"]:
        raise Refusal(400, 4000011)
    purchase = purchases[identifier]
    if purchase.get("type") != "Auto-Renewable Subscription":
        raise Refusal(403, 4030004)
    if purchase.get("inAppOwnershipType") == "FAMILY_SHARED":
        raise Refusal(403, 4030007)
    if purchase.setdefault("extensions", 0) >= 2:
        raise Refusal(403, 4030005)
    purchase["extensions"] += 1
    return value["extendByDays"]
