/// Where a purchase stands among those at risk, for looking up the dearest without adding anything
/// up: it orders, and is never told.
///
/// What the purchase has cost in the reporting currency; where that doesn't convert, its largest
/// amount in one currency. To the nearest double.
package struct RiskRank: Hashable, Sendable, Comparable {
  /// Greater for greater costs; never negative.
  package let order: Int64

  /// Takes a rank back.
  package init(order: Int64) { self.order = order }

  /// Nil when nothing was spent that is at risk.
  init?(_ atRisk: AtRisk, converted: Money?) {
    let amounts = converted.map { [$0] } ?? atRisk.cost
    guard let cost = amounts.map(\.amount.nearestDouble).max(), cost > 0 else { return nil }
    // The bits of positive doubles are ordered as the doubles are.
    order = Int64(bitPattern: cost.bitPattern)
  }

  package static func < (left: RiskRank, right: RiskRank) -> Bool { left.order < right.order }
}

/// A purchase's place in the list of those at risk: the dearest comes first.
package struct RiskPlace: Hashable, Sendable, Comparable {
  package var rank: RiskRank
  package var transactionId: ByteString

  package init(rank: RiskRank, transactionId: ByteString) {
    self.rank = rank
    self.transactionId = transactionId
  }

  package static func < (left: RiskPlace, right: RiskPlace) -> Bool {
    left.rank == right.rank
      ? left.transactionId > right.transactionId : left.rank > right.rank
  }
}
