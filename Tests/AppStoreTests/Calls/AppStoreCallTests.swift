import AppStore
import Metering
import Testing

/// Paths, queries and bodies as Apple's documentation has them, and what comes back.
struct AppStoreCallTests {
  private static let start = Instant(milliseconds: 1_790_000_000_000)
  private static let question = NotificationHistoryQuestion(
    start: start, end: start.adding(microseconds: 1_000), notificationType: "CONSUMPTION_REQUEST",
    isOnlyFailures: true)
  private static let asked =
    #"{"startDate":1790000000000,"endDate":1790000000001,"#
    + #""notificationType":"CONSUMPTION_REQUEST","onlyFailures":true}"#
  private static let days = RenewalExtension(
    of: "7", days: 90, reason: .outage, requestIdentifier: "u-u")

  @Test(
    arguments: [
      (.refundHistory(of: "7"), "GET /inApps/v2/refund/lookup/7 "),
      (
        .refundHistory(of: "7", revision: "a+b=/é"),
        "GET /inApps/v2/refund/lookup/7?revision=a%2Bb%3D%2F%C3%A9 "
      ),
      (.requestTest, "POST /inApps/v1/notifications/test "),
      (.testStatus("a/b"), "GET /inApps/v1/notifications/test/a%2Fb "),
      (.lookUp(order: "MQ 1"), "GET /inApps/v1/lookup/MQ%201 "),
      (.info(of: "7"), "GET /inApps/v1/transactions/7 "),
      (question.call(), "POST /inApps/v1/notifications/history \(asked)"),
      (
        question.call(paginationToken: "t=="),
        "POST /inApps/v1/notifications/history?paginationToken=t%3D%3D \(asked)"
      ),
      (
        .extend(days),
        "PUT /inApps/v1/subscriptions/extend/7 "
          + #"{"extendByDays":90,"extendReasonCode":3,"requestIdentifier":"u-u"}"#
      ),
    ] as [(AppStoreCall, String)])
  func isWritten(call: AppStoreCall, text: String) {
    let body = String(decoding: call.body, as: UTF8.self)
    #expect("\(call.method) \(call.target) \(body)" == text)
  }

  private static func node(_ text: String) throws -> JSONNode {
    try JSONNode.parse(Array(text.utf8), dialect: .strict)
  }

  @Test func pagesAreRead() throws {
    let notifications = try NotificationHistoryPage(
      Self.node(
        """
        {"notificationHistory":[{"signedPayload":"a","sendAttempts":[{"attemptDate":1,
        "sendAttemptResult":"TIMED_OUT"},{"sendAttemptResult":"NEW_WORD"}]},{"signedPayload":"b"}],
        "hasMore":true,"paginationToken":"t","future":1}
        """))
    #expect(notifications.notifications.map(\.signedPayload) == ["a", "b"])
    #expect(notifications.notifications.map(\.results) == [["TIMED_OUT", "NEW_WORD"], []])
    #expect(notifications.next == "t")
    let last = try NotificationHistoryPage(Self.node(#"{"hasMore":false,"paginationToken":"t"}"#))
    #expect(last.notifications == [] && last.next == nil)
    let refunds = try RefundHistoryPage(
      Self.node(#"{"signedTransactions":["a"],"revision":"r","hasMore":false}"#))
    #expect(refunds.signedTransactions == ["a"] && refunds.next == nil)
    let order = try OrderLookUp(Self.node(#"{"status":1}"#))
    #expect(!order.isValid && order.signedTransactions == [])
    let extended = try ExtendedRenewal(
      Self.node(#"{"success":true,"effectiveDate":1790000000000}"#))
    #expect(extended.isExtended && extended.effectiveDate == Self.start)
  }

  @Test func whatIsMissingIsNamed() throws {
    let empty = try Self.node(#"{"hasMore":true}"#)
    func field(_ read: () throws -> Void) -> String? {
      do { try read() } catch { return (error as? APIAnswerFault)?.field }
      return nil
    }
    #expect(field { _ = try NotificationHistoryPage(empty) } == "paginationToken")
    #expect(field { _ = try RefundHistoryPage(empty) } == "signedTransactions")
    #expect(field { _ = try TestNotificationToken(empty) } == "testNotificationToken")
    #expect(field { _ = try OrderLookUp(empty) } == "status")
    #expect(field { _ = try TransactionInfo(empty) } == "signedTransactionInfo")
    #expect(field { _ = try ExtendedRenewal(empty) } == "success")
    #expect(field { _ = try SentNotification(empty) } == "signedPayload")
  }

  @Test(
    arguments: [
      (
        400, #"{"errorCode":4000036,"errorMessage":"m"}"#,
        "400 4000036 InvalidDeliveryStatusError: m"
      ),
      (400, #"{"errorCode":4999999,"errorMessage":"new"}"#, "400 4999999: new"),
      (400, "", "400"), (401, "", "401"), (500, "<html>", "500"),
      (404, #"{"errorCode":4040010}"#, "404 4040010 TransactionIdNotFoundError"),
    ] as [(Int, String, String)])
  func refusalsKeepNumberAndText(status: Int, body: String, text: String) {
    #expect(APIRefusal(status: status, body: Array(body.utf8)).description == text)
  }

  @Test(
    arguments: [
      ("1790000000000", start), ("120", nil), ("1790000000", nil), ("soon", nil), ("", nil),
      ("99999999999999999999", nil),
    ] as [(String, Instant?)])
  func retryAfterIsAnInstantInMilliseconds(header: String, instant: Instant?) {
    #expect(APIRefusal(status: 429, body: [], retryAfter: header).retryAfter == instant)
  }

  @Test func hostsAreApplesUnlessConfigured() {
    var settings = ResponderSettings()
    #expect(AppStoreHosts(settings)[.production] == "https://api.storekit.apple.com")
    #expect(AppStoreHosts(settings)[.sandbox] == "https://api.storekit-sandbox.apple.com")
    settings.sandboxHost = "https://localhost:1"
    #expect(AppStoreHosts(settings)[.sandbox] == "https://localhost:1")
  }
}
