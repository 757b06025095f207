/// What metrics are summed by: never a series, never a transaction.
package struct TotalKey: Hashable, Sendable {
  package var meter: ByteString
  package var unit: ByteString
  package var label: Label
  package var isLevel: Bool
  /// `price|per|currency` of the rate; empty without one.
  package var rate: ByteString
  /// Whether the meter has rates, so that an empty `rate` means unpriced.
  package var isPriced: Bool
  /// Own costs' currency, packed; zero for rated usage.
  package var own: UInt32

  /// One key of the totals.
  package init(
    meter: ByteString, unit: ByteString, label: Label, isLevel: Bool, rate: ByteString,
    isPriced: Bool, own: UInt32
  ) {
    self.meter = meter
    self.unit = unit
    self.label = label
    self.isLevel = isLevel
    self.rate = rate
    self.isPriced = isPriced
    self.own = own
  }
}

extension TotalKey {
  /// The same for readings with own costs of a currency, which no rate prices; as it is without.
  func costing(_ own: UInt32) -> TotalKey {
    guard own != 0 else { return self }
    var key = self
    key.own = own
    key.rate = ""
    return key
  }
}

/// Exact running totals of one ``TotalKey``.
package struct Total: Sendable, Equatable {
  /// Booked since the store began, never lowered: raw 10^-9 and 10^-15.
  package var gross: Int128 = 0
  package var grossAmount: Int128 = 0
  /// Taken back by voids.
  package var voided: Int128 = 0
  /// As the books stand under the configuration in force.
  package var standing: Int128 = 0
  package var standingAmount: Int128 = 0
  /// What splitting own costs left, in 2^-64 of 10^-15 (see ``Fraction/init(ofTotal:rest:)``).
  package var grossRest: Int128 = 0
  package var standingRest: Int128 = 0

  package init() {}

  /// The own costs booked since the store began, and those that stand.
  package var grossCost: Fraction { Fraction(ofTotal: grossAmount, rest: grossRest) }
  package var standingCost: Fraction { Fraction(ofTotal: standingAmount, rest: standingRest) }

  /// What is told of a rest, in 2^-32.
  package static func told(_ rest: Int128) -> Int128 { (rest + (1 << 31)) >> 32 }

  /// A rest of `parts` parts of 10^-15 as totals count it, cut.
  package static func rest(_ amount: Int128, of parts: Int128) -> Int128 {
    let scaled = Fraction(BigInteger(amount), over: BigInteger(parts))
    guard let cut = (amount < 0 ? -scaled : scaled).floored(times: 1 << 64) else {
      preconditionFailure("a rest is less than one for each of its readings")
    }
    return amount < 0 ? -cut : cut
  }
}

extension Fraction {
  /// An own cost as totals have it.
  ///
  /// A purchase's sums keep what splitting left exactly, one sum for each divisor that there was;
  /// totals are few and live long, so they cut it to 2^-64 of 10^-15. Told is the nearest 2^-32:
  /// parts that make a whole then are one, and what was moved or taken back is nothing.
  fileprivate init(ofTotal amount: Int128, rest: Int128) {
    self.init(
      BigInteger(amount) * BigInteger(1 << 32) + BigInteger(Total.told(rest)),
      over: BigInteger(1 << 32) * .powerOfTen(15))
  }
}

/// Counters and sums for metrics and for the overflow guard, kept by apply and saved with each
/// flush.
package struct Totals: Sendable, Equatable {
  package var byKey: [TotalKey: Total] = [:]
  package var accepted: UInt64 = 0
  package var duplicates: UInt64 = 0
  package var conflicts: UInt64 = 0
  package var rejected: UInt64 = 0
  /// Rejections by the code's number.
  package var rejections: [UInt8: UInt64] = [:]
  /// Σ |quantity| by meter, raw 10^-9: while it fits, no partial sum can overflow.
  package var guards: [ByteString: Int128] = [:]
  /// Σ own costs by packed currency, raw 10^-15.
  package var amountGuards: [UInt32: Int128] = [:]
  /// Latest accepted event time, microseconds.
  package var lastEvent: Int64 = .min
  /// The dedupe floor: nothing older is ever accepted, microseconds.
  package var floor: Int64 = .min
  package var waitingReadings: Int64 = 0
  package var quarantineBytes: Int64 = 0
  package var quarantinedEvents: Int64 = 0
  package var quarantineDropped: UInt64 = 0
  /// Notifications taken in by the type's number; 0 for unknown types.
  package var notifications: [UInt8: UInt64] = [:]
  /// Receipt of the newest notification, microseconds.
  package var lastNotification: Int64 = .min

  package init() {}

  mutating func book(_ key: TotalKey, quantity: Int128, amount: Int128) {
    var total = byKey[key] ?? Total()
    total.gross &+= quantity
    total.grossAmount &+= amount
    total.standing &+= quantity
    total.standingAmount &+= amount
    byKey[key] = total
  }

  mutating func takeBack(_ key: TotalKey, quantity: Int128, amount: Int128) {
    var total = byKey[key] ?? Total()
    total.voided &+= quantity
    total.standing &-= quantity
    total.standingAmount &-= amount
    byKey[key] = total
  }

  /// Books a rest of an own cost, in `parts` parts of 10^-15; negative when it is taken away.
  mutating func book(_ key: TotalKey, rest amount: Int128, of parts: Int128, isGross: Bool) {
    let rest = Total.rest(amount, of: parts)
    byKey[key, default: Total()].standingRest &+= rest
    if isGross { byKey[key, default: Total()].grossRest &+= rest }
  }

  /// Changes where usage stands without anything being used or taken back.
  mutating func shift(_ key: TotalKey, quantity: Int128, amount: Int128) {
    byKey[key, default: Total()].standing &+= quantity
    byKey[key, default: Total()].standingAmount &+= amount
  }

  mutating func guardAdd(meter: ByteString, quantity: Int128) {
    guards[meter, default: 0] &+= quantity
  }
}
