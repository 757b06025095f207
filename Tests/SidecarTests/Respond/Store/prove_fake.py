"""Runs Apple's own App Store Server Library against the fake: what the library sends has to be
right for the fake, and what the fake answers has to be right for the library. Prints "proved"."""

import os
import sys
import tempfile

import fake_store
from appstoreserverlibrary.api_client import APIException, AppStoreServerAPIClient
from appstoreserverlibrary.models.ConsumptionRequest import ConsumptionRequest
from appstoreserverlibrary.models.DeliveryStatus import DeliveryStatus
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.ExtendReasonCode import ExtendReasonCode
from appstoreserverlibrary.models.ExtendRenewalDateRequest import ExtendRenewalDateRequest
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.NotificationTypeV2 import NotificationTypeV2
from appstoreserverlibrary.models.OrderLookupStatus import OrderLookupStatus
from appstoreserverlibrary.models.RefundPreference import RefundPreference
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

CREDITS, PRO, FAMILY = "2000000900000001", "2000000900000002", "2000000900000003"


def refused(call, status, code=None):
    try:
        call()
    except APIException as fault:
        assert (fault.http_status_code, fault.raw_api_error) == (status, code), (
            fault.http_status_code, fault.raw_api_error, status, code)
        return
    raise AssertionError(f"{code or status} was expected")


def client(known, environment, bundle=None, key=None):
    with open(known["key"], "rb") as file:
        made = AppStoreServerAPIClient(
            key or file.read(), known["keyId"], known["issuerId"], bundle or known["bundleId"],
            Environment.LOCAL_TESTING)
    made._base_url = f"https://localhost:{known[environment]}"
    return made


def body(**fields):
    usual = {"customerConsented": True, "sampleContentProvided": False,
             "deliveryStatus": DeliveryStatus.DELIVERED}
    return ConsumptionRequest(**{
        name: value for name, value in (usual | fields).items() if value is not None})


def prove_consumption(apple, sandbox):
    send = apple.send_consumption_information
    send(CREDITS, body(consumptionPercentage=80_000, refundPreference=RefundPreference.DECLINE))
    send(CREDITS, body(consumptionPercentage=1, refundPreference=RefundPreference.GRANT_PRORATED))
    send(PRO, body(refundPreference=RefundPreference.GRANT_PRORATED))
    undelivered = DeliveryStatus.UNDELIVERED_OTHER
    send(CREDITS, body(deliveryStatus=undelivered, consumptionPercentage=0))
    for identifier, request, status, code in [
        (CREDITS, body(customerConsented=False), 400, 4000035),
        (CREDITS, body(deliveryStatus=None, rawDeliveryStatus="NOWHERE"), 400, 4000036),
        (CREDITS, body(sampleContentProvided="no"), 400, 4000041),
        (CREDITS, body(consumptionPercentage=100_001), 400, 4999001),
        (CREDITS, body(deliveryStatus=undelivered, consumptionPercentage=5), 400, 4999002),
        (CREDITS, body(consumptionPercentage=100_000,
                       refundPreference=RefundPreference.GRANT_PRORATED), 400, 4000044),
        (PRO, body(consumptionPercentage=0), 400, 4000209),
        (FAMILY, body(), 400, 4000185),
        ("x", body(), 400, 4000006),
        ("1", body(), 404, 4040010),
    ]:
        refused(lambda: send(identifier, request), status, code)
    # Each purchase lives in one environment.
    refused(lambda: sandbox.send_consumption_information(CREDITS, body()), 404, 4040010)


def prove_histories(apple, commands, known):
    verifier = SignedDataVerifier(
        [fake_store.apple.der(fake_store.apple.ROOT.certificate)], False, Environment.PRODUCTION,
        known["bundleId"], known["appAppleId"])
    for _ in range(45):
        commands.failure("Production", CREDITS, "LEGAL")
        commands.refund("Production", CREDITS, CREDITS, revocationDate=1, revocationReason=0)
    now = commands.store.milliseconds()
    question = NotificationHistoryRequest(
        startDate=now - fake_store.constraints.DAY, endDate=now + 1000, onlyFailures=True,
        notificationType=NotificationTypeV2.CONSUMPTION_REQUEST)
    token, found = None, []
    while True:
        page = apple.get_notification_history(token, question)
        found += page.notificationHistory
        token = page.paginationToken
        if not page.hasMore:
            break
    assert len(found) == 45
    decoded = verifier.verify_and_decode_notification(found[0].signedPayload)
    assert decoded.data.rawConsumptionRequestReason == "LEGAL"
    verifier.verify_and_decode_signed_transaction(decoded.data.signedTransactionInfo)
    refused(lambda: apple.get_notification_history("nonsense", question), 400, 4000014)
    late = NotificationHistoryRequest(startDate=now, endDate=now - 1)
    refused(lambda: apple.get_notification_history(None, late), 400, 4000013)
    old = NotificationHistoryRequest(
        startDate=now - 181 * fake_store.constraints.DAY, endDate=now)
    refused(lambda: apple.get_notification_history(None, old), 400, 4000012)
    revision, refunds = None, []
    while True:
        page = apple.get_refund_history(CREDITS, revision)
        refunds += page.signedTransactions
        revision = page.revision
        if not page.hasMore:
            break
    assert len(refunds) == 45
    refused(lambda: apple.get_refund_history(CREDITS, "nonsense"), 400, 4000005)


def prove_the_rest(apple, sandbox, commands):
    commands.order("MQ1", [CREDITS, PRO])
    found = apple.look_up_order_id("MQ1")
    assert found.status == OrderLookupStatus.VALID and len(found.signedTransactions) == 2
    assert apple.look_up_order_id("MQ2").status == OrderLookupStatus.INVALID
    refused(lambda: sandbox.look_up_order_id("MQ1"), 404)
    assert apple.get_transaction_info(CREDITS).signedTransactionInfo
    refused(lambda: apple.get_transaction_info("1"), 404, 4040010)

    def extend(identifier, days, reason=ExtendReasonCode.OTHER, name="r"):
        return apple.extend_subscription_renewal_date(identifier, ExtendRenewalDateRequest(
            extendByDays=days, extendReasonCode=reason, requestIdentifier=name))
    assert extend(PRO, 45).success
    refused(lambda: extend(PRO, 91), 400, 4000009)
    refused(lambda: extend(PRO, 45, None), 400, 4000010)
    refused(lambda: extend(PRO, 45, name=""), 400, 4000011)
    refused(lambda: extend(CREDITS, 45), 403, 4030004)
    refused(lambda: extend("1", 45), 404, 4040005)
    assert extend(PRO, 1).success
    refused(lambda: extend(PRO, 1), 403, 4030005)
    refused(apple.request_test_notification, 404, 4040007)
    commands.tests_go_to("http://127.0.0.1:9/nobody")
    token = apple.request_test_notification().testNotificationToken
    refused(lambda: apple.get_test_notification_status(token), 404, 4040008)
    status = apple.get_test_notification_status(token)
    assert status.sendAttempts[0].rawSendAttemptResult == "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
    refused(lambda: apple.get_test_notification_status("nonsense"), 400, 4000020)


def prove_faults(apple, known, commands):
    until = str(commands.store.milliseconds() + 1000)
    commands.plan([
        {"status": 429, "code": 4290000, "headers": {"Retry-After": until}},
        {"status": 500, "code": 5000001}, {"status": 400, "code": 4999999}, {"status": 400}])
    for status, code in [(429, 4290000), (500, 5000001), (400, 4999999), (400, None)]:
        refused(lambda: apple.get_transaction_info(CREDITS), status, code)
    other = fake_store.private(fake_store.ec.generate_private_key(fake_store.ec.SECP256R1()))
    refused(client(known, "Production", key=other).request_test_notification, 401)
    refused(client(known, "Production", "com.example.foreign").request_test_notification, 401)
    commands.clock(4000)
    refused(lambda: apple.get_transaction_info(CREDITS), 401)
    commands.clock(0)


def main():
    with tempfile.TemporaryDirectory() as folder:
        store, known = fake_store.start(folder)
        os.environ["REQUESTS_CA_BUNDLE"] = known["authority"]
        commands = fake_store.Commands(store)
        commands.purchase("Production", CREDITS)
        commands.purchase("Production", PRO, type="Auto-Renewable Subscription")
        commands.purchase("Production", FAMILY, inAppOwnershipType="FAMILY_SHARED")
        apple, sandbox = client(known, "Production"), client(known, "Sandbox")
        prove_consumption(apple, sandbox)
        prove_histories(apple, commands, known)
        prove_the_rest(apple, sandbox, commands)
        prove_faults(apple, known, commands)
    print("proved")


if __name__ == "__main__":
    sys.exit(main())
