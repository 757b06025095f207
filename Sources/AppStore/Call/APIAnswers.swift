package import Metering

/// An answer of the App Store Server API that lacks what it promises; the field is named.
package struct APIAnswerFault: Error, Equatable, Sendable, CustomStringConvertible {
  /// The field that is missing or of another type.
  package var field: String

  init(_ field: String) { self.field = field }

  /// One line for people.
  package var description: String { "the App Store's answer has no usable \(field)" }
}

/// A page of Get Refund History.
package struct RefundHistoryPage: Equatable, Sendable {
  /// At most twenty signed transactions, by their revocation, the oldest first.
  package var signedTransactions: [ByteString]
  /// Names the next page; nil at the end.
  package var next: ByteString?

  /// Reads a page. Throws when it isn't one.
  package init(_ node: JSONNode) throws(APIAnswerFault) {
    guard let elements = node["signedTransactions"]?.elements else {
      throw APIAnswerFault("signedTransactions")
    }
    signedTransactions = elements.compactMap(\.string)
    if node["hasMore"]?.bool == true {
      guard let revision = node["revision"]?.string else { throw APIAnswerFault("revision") }
      next = revision
    }
  }
}

/// The answer to Request a Test Notification.
package struct TestNotificationToken: Equatable, Sendable {
  /// Names the notification when its status is asked for.
  package var token: ByteString

  /// Reads it. Throws when there is none.
  package init(_ node: JSONNode) throws(APIAnswerFault) {
    guard let token = node["testNotificationToken"]?.string else {
      throw APIAnswerFault("testNotificationToken")
    }
    self.token = token
  }
}

/// The answer to Look Up Order ID.
package struct OrderLookUp: Equatable, Sendable {
  /// Whether it is an order of this app.
  package var isValid: Bool
  /// What was bought with it.
  package var signedTransactions: [ByteString]

  /// Reads it. Throws when it has no status.
  package init(_ node: JSONNode) throws(APIAnswerFault) {
    guard let status = node["status"]?.integer else { throw APIAnswerFault("status") }
    isValid = status == 0
    signedTransactions = (node["signedTransactions"]?.elements ?? []).compactMap(\.string)
  }
}

/// The answer to Get Transaction Info.
package struct TransactionInfo: Equatable, Sendable {
  /// The transaction as it is now.
  package var signedTransactionInfo: ByteString

  /// Reads it. Throws when there is none.
  package init(_ node: JSONNode) throws(APIAnswerFault) {
    guard let signed = node["signedTransactionInfo"]?.string else {
      throw APIAnswerFault("signedTransactionInfo")
    }
    signedTransactionInfo = signed
  }
}

/// What a customer is given: days at the end of the current period, at most twice in 365 days.
package struct RenewalExtension: Equatable, Sendable {
  /// Why, in Apple's order: the code is the place.
  package enum Reason: Int, CaseIterable, Sendable {
    case undeclared, satisfaction, other, outage

    /// The word on the command line.
    package var name: String {
      switch self {
      case .undeclared: "undeclared"
      case .satisfaction: "satisfaction"
      case .other: "other"
      case .outage: "outage"
      }
    }
  }

  /// The subscription.
  package var originalTransactionId: ByteString
  /// 1…90.
  package var days: Int
  /// Why.
  package var reason: Reason
  /// Names this request; the same again isn't another extension. A UUID.
  package var requestIdentifier: ByteString

  /// Days that one extension may have, Apple's bound.
  package static let dayRange = 1...90

  /// Makes one; `days` are within ``dayRange``.
  package init(
    of originalTransactionId: ByteString, days: Int, reason: Reason, requestIdentifier: ByteString
  ) {
    precondition(Self.dayRange.contains(days), "the caller checks the days")
    self.originalTransactionId = originalTransactionId
    self.days = days
    self.reason = reason
    self.requestIdentifier = requestIdentifier
  }

  var json: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("extendByDays")
    writer.number(days)
    writer.key("extendReasonCode")
    writer.number(reason.rawValue)
    writer.key("requestIdentifier")
    writer.string(requestIdentifier)
    writer.endObject()
    return writer.bytes
  }
}

/// The answer to Extend a Subscription Renewal Date.
package struct ExtendedRenewal: Equatable, Sendable {
  /// Whether it was extended.
  package var isExtended: Bool
  /// When it renews now; nil when Apple doesn't say.
  package var effectiveDate: Instant?

  /// Reads it. Throws when it doesn't say whether it succeeded.
  package init(_ node: JSONNode) throws(APIAnswerFault) {
    guard let success = node["success"]?.bool else { throw APIAnswerFault("success") }
    isExtended = success
    effectiveDate = node["effectiveDate"]?.integer.map { Instant(milliseconds: $0) }
  }
}
