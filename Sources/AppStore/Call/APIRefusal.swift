package import Metering

/// What the App Store Server API says instead of 2xx. Numbers that aren't known stay what they are.
/// https://developer.apple.com/documentation/appstoreserverapi/error_codes
package struct APIRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// The HTTP status.
  package var status: Int
  /// Apple's number; nil when there is none, as with 401.
  package var code: Int64?
  /// Apple's text; nil when there is none.
  package var message: String?
  /// From when on to come again, if Apple says so.
  package var retryAfter: Instant?

  /// Reads status, body and `Retry-After`, which Apple writes as milliseconds since 1970.
  package init(status: Int, body: [UInt8], retryAfter header: String? = nil) {
    self.status = status
    if let node = try? JSONNode.parse(body, dialect: .strict) {
      code = node["errorCode"]?.integer
      message = node["errorMessage"]?.string.map { String($0.string.prefix(Self.messageLength)) }
    }
    let plausible = Limits.firstPlausibleMilliseconds...Limits.lastPlausibleMilliseconds
    if let milliseconds = header.flatMap({ Int64($0) }), plausible.contains(milliseconds) {
      retryAfter = Instant(milliseconds: milliseconds)
    }
  }

  /// Characters of a text that are kept: Apple's have below 200.
  private static let messageLength = 500

  /// Apple's name of the number, where it is known.
  package var name: String? { code.flatMap { Self.names[$0] } }

  /// "400 4000036 InvalidDeliveryStatusError: the text".
  package var description: String {
    var text = "\(status)"
    if let code { text += " \(code)" }
    if let name { text += " \(name)" }
    if let message { text += ": \(message)" }
    return text
  }

  /// An auto-renewable subscription got a percentage.
  package static let percentageOfSubscription: Int64 = 4_000_209
  /// No such transaction in this environment.
  package static let transactionNotFound: Int64 = 4_040_010
  /// The test notification isn't known yet, or no longer.
  package static let testNotificationNotFound: Int64 = 4_040_008

  private static let names: [Int64: String] = [
    4_000_000: "GeneralBadRequestError", 4_000_002: "InvalidAppIdentifierError",
    4_000_005: "InvalidRequestRevisionError", 4_000_006: "InvalidTransactionIdError",
    4_000_008: "InvalidOriginalTransactionIdError", 4_000_009: "InvalidExtendByDaysError",
    4_000_010: "InvalidExtendReasonCodeError", 4_000_011: "InvalidRequestIdentifierError",
    4_000_012: "StartDateTooFarInPastError", 4_000_013: "StartDateAfterEndDateError",
    4_000_014: "InvalidPaginationTokenError", 4_000_015: "InvalidStartDateError",
    4_000_016: "InvalidEndDateError", 4_000_017: "PaginationTokenExpiredError",
    4_000_018: "InvalidNotificationTypeError", 4_000_019: "MultipleFiltersSuppliedError",
    4_000_020: "InvalidTestNotificationTokenError", 4_000_035: "InvalidCustomerConsentedError",
    4_000_036: "InvalidDeliveryStatusError", 4_000_041: "InvalidSampleContentProvidedError",
    4_000_044: "InvalidRefundPreferenceError",
    4_000_047: "InvalidTransactionTypeNotSupportedError",
    4_000_048: "AppTransactionIdNotSupportedError",
    4_000_185: "FamilyTransactionNotSupportedError",
    4_000_209: "ConsumptionPercentageAutoRenewableSubscriptionError",
    4_000_227: "InvalidAssignedTransactionNotSupportedError",
    4_030_004: "SubscriptionExtensionIneligibleError", 4_030_005: "SubscriptionMaxExtensionError",
    4_030_007: "FamilySharedSubscriptionExtensionIneligibleError",
    4_030_028: "AssignedSubscriptionExtensionIneligibleError",
    4_040_001: "AccountNotFoundError", 4_040_002: "AccountNotFoundRetryableError",
    4_040_003: "AppNotFoundError", 4_040_004: "AppNotFoundRetryableError",
    4_040_005: "OriginalTransactionIdNotFoundError",
    4_040_006: "OriginalTransactionIdNotFoundRetryableError",
    4_040_007: "ServerNotificationUrlNotFoundError", 4_040_008: "TestNotificationNotFoundError",
    4_040_010: "TransactionIdNotFoundError", 4_290_000: "RateLimitExceededError",
    5_000_000: "GeneralInternalError", 5_000_001: "GeneralInternalRetryableError",
  ]
}
