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
  /// How long a refund request can be answered, microseconds: Apple's twelve hours.
  package static let answerMicroseconds: Int64 = 12 * 3_600_000_000
  /// The same in Apple's sandbox: five minutes.
  package static let sandboxAnswerMicroseconds: Int64 = 300_000_000
  /// Silence after which a case is taken for over, microseconds: thirty days, since Apple says
  /// nothing when it declines a request that was made on its web page.
  package static let caseSilenceMicroseconds: Int64 = 30 * 86_400_000_000
  /// Longest claim of a case, seconds: it bridges one attempt to send, and nobody else can send
  /// while it holds.
  package static let claimSeconds: Int64 = 3_600
  /// Cases kept of one purchase; the oldest go, and numbers are never used again.
  package static let cases = 32
  /// Cases of one purchase that keep their figures, the newest: figures are the large part, and a
  /// record has to stay below a frame's capacity.
  package static let casesWithFigures = 4
  /// Figures frozen with one answer, bytes of JSON: about fifty priced lines.
  package static let figuresBytes = 16_384
  /// The body sent to Apple, bytes of JSON: it has five short fields.
  package static let sentBytes = 2_048
  /// Longest reason of a refund request, bytes: Apple's are below 30, and Apple adds some.
  package static let reasonBytes = 64
}
