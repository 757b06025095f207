/// What a sum is kept for, apart from its purchase: a series, a price epoch, a currency.
package struct SumKey: Hashable, Sendable {
  /// Number of the series in its memtable.
  package var series: Int32
  /// Currency of own costs, packed; zero for usage that the price book rates.
  package var own: UInt32
  /// Start of the price epoch, microseconds; `Int64.min` for the first.
  package var epoch: Int64
  /// Parts of 10^-15 that the own costs count: more than one for what splitting them left.
  package var parts: Int128 = 1
}

/// Exact sums of readings with one ``SumKey``. Voids subtract, so deltas may be negative.
package struct Sums: Sendable, Equatable {
  /// Σ quantity, raw 10^-9 base units.
  package var quantity: Int128 = 0
  /// Σ own cost, raw 10^-15 currency units or, of a key that says so, parts of one.
  package var amount: Int128 = 0
  /// Readings counted.
  package var count: Int64 = 0
  /// Earliest and latest event time of the readings, microseconds.
  package var first: Int64 = .max
  package var last: Int64 = .min

  package init() {}

  /// Adds another delta. Whoever decided has checked that no total overflows; what a store that was
  /// made by hand says may wrap, but stops nobody.
  package mutating func add(_ other: Sums) {
    quantity &+= other.quantity
    amount &+= other.amount
    count &+= other.count
    first = min(first, other.first)
    last = max(last, other.last)
  }

  /// Turns what was added into what is taken away; the times stay.
  mutating func negate() {
    quantity = 0 &- quantity
    amount = 0 &- amount
    count = 0 &- count
  }
}
