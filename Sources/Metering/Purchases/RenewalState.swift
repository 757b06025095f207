/// What Apple's signed renewal info says of a subscription's course.
/// https://developer.apple.com/documentation/appstoreserverapi/jwsrenewalinfodecodedpayload
package struct RenewalInfo: Equatable, Sendable {
  package var originalTransactionId: ByteString
  package var signedDate: Instant
  /// 0 off, 1 on.
  package var autoRenewStatus: Int64?
  /// Why it ended: 1 cancelled, 2 billing error, 3 price not consented to, 4 product gone, 5 other.
  package var expirationIntent: Int64?
  package var isInBillingRetryPeriod: Bool?
  package var gracePeriodExpiresDate: Instant?
  /// 0 off, 1 on: whether another commitment follows.
  package var commitmentAutoRenewStatus: Int64?

  /// Says nothing but which chain it is about, and when.
  package init(originalTransactionId: ByteString, signedDate: Instant) {
    self.originalTransactionId = originalTransactionId
    self.signedDate = signedDate
  }
}

/// What all renewal infos of one billing period say together, whatever order they come in: of each
/// thing the newest word, and the earliest that grace is over.
package struct RenewalState: Equatable, Sendable {
  /// When the newest was signed; nil when none counted.
  package private(set) var signedDate: Instant?
  package private(set) var autoRenewStatus: Int64?
  package private(set) var expirationIntent: Int64?
  package private(set) var isInBillingRetryPeriod: Bool?
  package private(set) var commitmentAutoRenewStatus: Int64?
  /// The newest end of grace that was told, and when it was.
  package private(set) var gracePeriodExpiresDate: Instant?
  private var graceSignedDate: Instant?
  /// When Apple said that no grace is left.
  package var overDate: Instant?

  /// Nothing was said.
  package init() {}

  /// What one renewal info says; `hasGrace` is false where access ended with the period.
  init(_ info: RenewalInfo, hasGrace: Bool) {
    signedDate = info.signedDate
    autoRenewStatus = info.autoRenewStatus
    expirationIntent = info.expirationIntent
    isInBillingRetryPeriod = info.isInBillingRetryPeriod
    commitmentAutoRenewStatus = info.commitmentAutoRenewStatus
    if hasGrace, let grace = info.gracePeriodExpiresDate {
      gracePeriodExpiresDate = grace
      graceSignedDate = info.signedDate
    }
  }

  /// Takes in what was said at another time. Of two that were said at one instant the same is taken
  /// in whatever order they come.
  mutating func merge(_ other: RenewalState) {
    if other.isSaid(after: self) {
      signedDate = other.signedDate
      autoRenewStatus = other.autoRenewStatus
      expirationIntent = other.expirationIntent
      isInBillingRetryPeriod = other.isInBillingRetryPeriod
      commitmentAutoRenewStatus = other.commitmentAutoRenewStatus
    }
    let grace = (graceSignedDate ?? .distantPast, gracePeriodExpiresDate ?? .distantPast)
    if (other.graceSignedDate ?? .distantPast, other.gracePeriodExpiresDate ?? .distantPast) > grace
    {
      gracePeriodExpiresDate = other.gracePeriodExpiresDate
      graceSignedDate = other.graceSignedDate
    }
    if let over = other.overDate { overDate = min(overDate ?? over, over) }
  }

  private func isSaid(after other: RenewalState) -> Bool {
    let (left, right) = (told, other.told)
    return left != right && !left.lexicographicallyPrecedes(right)
  }

  /// When something was said, then what.
  private var told: [Int64] {
    [
      signedDate?.microseconds, autoRenewStatus, expirationIntent,
      isInBillingRetryPeriod.map { $0 ? 1 : 0 }, commitmentAutoRenewStatus,
    ].map { $0 ?? .min }
  }

  /// The end of grace, from what was told here, else from a payload; nil without one.
  func graceEnd(else payload: Instant?) -> Instant? {
    guard let grace = gracePeriodExpiresDate ?? payload else { return nil }
    return min(grace, overDate ?? grace)
  }
}

/// The stored form: fields of (tag, value). Tags are stored: a tag never changes its meaning.
extension RenewalState {
  private enum Field {
    static let signedDate: UInt8 = 1
    static let autoRenewStatus: UInt8 = 2
    static let expirationIntent: UInt8 = 3
    static let isInBillingRetryPeriod: UInt8 = 4
    static let commitmentAutoRenewStatus: UInt8 = 5
    static let gracePeriodExpiresDate: UInt8 = 6
    static let graceSignedDate: UInt8 = 7
    static let overDate: UInt8 = 8
  }

  var encoded: [UInt8] {
    var out = RecordWriter()
    out.field(Field.signedDate, signedDate?.microseconds)
    out.field(Field.autoRenewStatus, autoRenewStatus)
    out.field(Field.expirationIntent, expirationIntent)
    out.field(Field.isInBillingRetryPeriod, isInBillingRetryPeriod.map { $0 ? 1 : 0 })
    out.field(Field.commitmentAutoRenewStatus, commitmentAutoRenewStatus)
    out.field(Field.gracePeriodExpiresDate, gracePeriodExpiresDate?.microseconds)
    out.field(Field.graceSignedDate, graceSignedDate?.microseconds)
    out.field(Field.overDate, overDate?.microseconds)
    return out.bytes
  }

  // Assigned to `self` as a whole: a failable initialiser that assigns field by field in a switch
  // lost the last two of them in optimised builds of Swift 6.3.1.
  init?(encoded: [UInt8]) {
    var state = RenewalState()
    var reader = RecordReader(encoded)
    while !reader.isAtEnd {
      guard let tag = reader.byte(), let value = reader.signed(), state.take(tag, value) else {
        return nil
      }
    }
    self = state
  }

  /// Takes one stored field in; false for a tag that no version of the program known here wrote.
  private mutating func take(_ tag: UInt8, _ value: Int64) -> Bool {
    let instant = Instant(microseconds: value)
    switch tag {
    case Field.signedDate: signedDate = instant
    case Field.autoRenewStatus: autoRenewStatus = value
    case Field.expirationIntent: expirationIntent = value
    case Field.isInBillingRetryPeriod: isInBillingRetryPeriod = value != 0
    case Field.commitmentAutoRenewStatus: commitmentAutoRenewStatus = value
    case Field.gracePeriodExpiresDate: gracePeriodExpiresDate = instant
    case Field.graceSignedDate: graceSignedDate = instant
    case Field.overDate: overDate = instant
    default: return false
    }
    return true
  }
}
