extension Limits {
  /// Longest text field of a purchase in bytes: Apple's own are below 100, and a record has to
  /// stay a small row whatever a backend sends.
  package static let purchaseTextBytes = 1024
  /// Longest transaction id in bytes, as for ids of events.
  package static let transactionIdBytes = 256
  /// Longest `advancedCommerceInfo` kept, in bytes of JSON; it is carried, never computed with.
  package static let advancedCommerceBytes = 16_384
  /// A date below this many milliseconds is before March 1973, so it was sent in seconds.
  package static let firstPlausibleMilliseconds: Int64 = 100_000_000_000
  /// The last plausible date in milliseconds, the end of the year 9999, so that instants print.
  package static let lastPlausibleMilliseconds: Int64 = 253_402_300_799_999
  /// Largest `quantity` of one purchase: Apple's field is a 32-bit integer.
  package static let purchaseQuantity: Int64 = 2_147_483_647
  /// Meters with an own allowance in one record: far more than any product has.
  package static let ownAllowances = 64
}
