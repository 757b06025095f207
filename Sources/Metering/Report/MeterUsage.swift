/// How much of one meter a purchase used, and of how much.
package struct MeterUsage: Equatable, Sendable {
  package var meter: ByteString
  package var unit: ByteString
  package var used: Fraction
  /// Nil without an allowance.
  package var allowed: Fraction?

  /// Used ÷ allowed, not capped; nil without an allowance or with one of 0.
  package var share: Fraction? {
    guard let allowed, allowed > .zero else { return nil }
    return used / allowed
  }

  /// The share in 1/100000, rounded down; the largest number when it doesn't fit.
  package var flooredShare: Int128? {
    share.map { $0.floored(times: 100_000) ?? .max }
  }
}

extension ChainPeriod {
  /// What a product's allowance of a meter gives over the whole billing period, or the purchase's
  /// own allowance; nil without one, and when its intervals can't be counted because the period
  /// isn't known to end.
  func allowance(of meter: ByteString) -> Fraction? {
    if let own = record.allowances[meter] { return Fraction(own.raw, scale: 9) }
    guard let terms, let one = terms.allowance[meter] else { return nil }
    let units = one * Fraction(Int128(purchase.quantity ?? 1), scale: 0)
    guard let every = terms.every else { return units }
    guard let start, let periodEnd else { return nil }
    return units
      * Fraction(Int128(Self.intervals(of: every, from: start, to: periodEnd)), scale: 0)
  }

  /// Intervals of an anchor that a period from there has: those that begin in it and lie in it by
  /// at least half, so that neither a long month nor days that Apple gave on top make another; the
  /// first always counts.
  static func intervals(
    of every: CalendarDuration, from start: Instant, to end: Instant
  ) -> Int {
    let begun = steps(of: every, from: start, to: end)
    guard begun > 1 else { return 1 }
    // Only the last can reach beyond the end.
    let last = every.boundary(begun - 1, from: start)
    let next = every.boundary(begun, from: start)
    let inside = Int128(min(end, next).microseconds) - Int128(last.microseconds)
    let whole = Int128(next.microseconds) - Int128(last.microseconds)
    return inside * 2 >= whole ? begun : begun - 1
  }

  /// Intervals of an anchor that begin within [start, end).
  static func steps(of every: CalendarDuration, from start: Instant, to end: Instant) -> Int {
    guard start < end else { return 0 }
    var high = 1
    while every.boundary(high, from: start) < end { high *= 2 }
    var low = high / 2
    while low + 1 < high {
      let middle = low + (high - low) / 2
      if every.boundary(middle, from: start) < end { low = middle } else { high = middle }
    }
    return high
  }
}
