package import Metering

/// One call to the App Store Server API, without host and token.
/// https://developer.apple.com/documentation/appstoreserverapi
package struct AppStoreCall: Equatable, Sendable {
  /// The calls that are made here.
  package enum Endpoint: String, CaseIterable, Sendable {
    case sendConsumption, notificationHistory, refundHistory, requestTest, testStatus, lookUpOrder
    case transactionInfo, extendRenewalDate
  }

  /// What is called.
  package var endpoint: Endpoint
  /// The HTTP method.
  package var method: String
  /// Path and query, percent-encoded.
  package var target: String
  /// JSON; empty sends none.
  package var body: [UInt8] = []

  /// Send Consumption Information (V2): answered by 202 without a body.
  package static func sendConsumption(
    _ body: ConsumptionBody, of transaction: ByteString
  ) -> AppStoreCall {
    AppStoreCall(
      endpoint: .sendConsumption, method: "PUT",
      target: "/inApps/v2/transactions/consumption/\(PathSegment.encode(transaction))",
      body: body.json)
  }

  /// Get Refund History (V2) of the customer who bought this; answered by ``RefundHistoryPage``.
  /// `revision` is that of the page before.
  package static func refundHistory(
    of transaction: ByteString, revision: ByteString? = nil
  ) -> AppStoreCall {
    let query = revision.map { "?revision=\(PathSegment.encode($0))" } ?? ""
    return AppStoreCall(
      endpoint: .refundHistory, method: "GET",
      target: "/inApps/v2/refund/lookup/\(PathSegment.encode(transaction))\(query)")
  }

  /// Request a Test Notification; answered by ``TestNotificationToken``.
  package static let requestTest = AppStoreCall(
    endpoint: .requestTest, method: "POST", target: "/inApps/v1/notifications/test")

  /// Get Test Notification Status; answered by ``SentNotification``.
  package static func testStatus(_ token: ByteString) -> AppStoreCall {
    AppStoreCall(
      endpoint: .testStatus, method: "GET",
      target: "/inApps/v1/notifications/test/\(PathSegment.encode(token))")
  }

  /// Look Up Order ID, which the sandbox doesn't have; answered by ``OrderLookUp``.
  package static func lookUp(order: ByteString) -> AppStoreCall {
    AppStoreCall(
      endpoint: .lookUpOrder, method: "GET",
      target: "/inApps/v1/lookup/\(PathSegment.encode(order))")
  }

  /// Get Transaction Info; answered by ``TransactionInfo``.
  package static func info(of transaction: ByteString) -> AppStoreCall {
    AppStoreCall(
      endpoint: .transactionInfo, method: "GET",
      target: "/inApps/v1/transactions/\(PathSegment.encode(transaction))")
  }

  /// Extend a Subscription Renewal Date; answered by ``ExtendedRenewal``.
  package static func extend(_ extension: RenewalExtension) -> AppStoreCall {
    let subscription = PathSegment.encode(`extension`.originalTransactionId)
    return AppStoreCall(
      endpoint: .extendRenewalDate, method: "PUT",
      target: "/inApps/v1/subscriptions/extend/\(subscription)", body: `extension`.json)
  }
}

/// RFC 3986's unreserved characters stay, all else is escaped.
enum PathSegment {
  static func encode(_ text: ByteString) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded: [UInt8] = []
    for byte in text.bytes {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: encoded.append(byte)
      default: encoded += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}
