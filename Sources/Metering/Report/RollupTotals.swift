/// The exact sums of all figures, kept by taking old figures out and new ones in.
package struct RollupTotals: Equatable, Sendable {
  /// The sums; one that became zero stays, so that its series doesn't end.
  package private(set) var sums: [RollupKey: Fraction]
  /// Keys whose sums changed since ``settle()``.
  package private(set) var changed: Set<RollupKey> = []

  /// Sums that were kept before.
  package init(_ sums: [RollupKey: Fraction] = [:]) { self.sums = sums }

  /// Puts figures in the place of what the same purchase added until now.
  package mutating func replace(_ old: PurchaseFigures?, with new: PurchaseFigures?) {
    guard old?.amounts != new?.amounts || old?.cases != new?.cases else { return }
    var deltas = new?.amounts ?? [:]
    for (key, count) in new?.cases.counts ?? [:] { deltas[key] = Fraction(Int128(count), scale: 0) }
    for (key, amount) in old?.amounts ?? [:] { deltas[key] = (deltas[key] ?? .zero) - amount }
    for (key, count) in old?.cases.counts ?? [:] {
      deltas[key] = (deltas[key] ?? .zero) - Fraction(Int128(count), scale: 0)
    }
    for (key, delta) in deltas where !delta.isZero {
      sums[key] = (sums[key] ?? .zero) + delta
      changed.insert(key)
    }
  }

  /// Forgets what changed: it is saved.
  package mutating func settle() { changed.removeAll() }
}

/// The sums as they are told, ready to be printed.
package struct RollupReport: Equatable, Sendable {
  /// The nearest double of each sum.
  package private(set) var values: [RollupKey: Double] = [:]
  /// The exact costs of levels and unpriced quantities, which other sums are added to.
  package private(set) var levels: [RollupKey: Fraction] = [:]
  /// The soonest end of the time to answer an open refund case; nil without one.
  package var respondBy: Instant?

  /// Nothing was rolled up yet.
  package init() {}

  /// Takes over one sum of another report.
  package mutating func take(_ key: RollupKey, from other: RollupReport) {
    values[key] = other.values[key]
  }

  /// Takes over those sums that changed.
  package mutating func update(_ totals: RollupTotals, _ keys: some Sequence<RollupKey>) {
    for key in keys {
      let sum = totals.sums[key] ?? .zero
      switch key.family {
      case .levelCost, .levelUnpriced: levels[key] = sum
      default: values[key] = sum.nearestDouble
      }
    }
  }
}
