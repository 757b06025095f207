/// What one sum of the rollup is of: a family of figures with the values of its labels. Every value
/// is one of few, so that sums are few however many purchases there are.
package struct RollupKey: Hashable, Sendable {
  /// What is summed; the numbers are stored.
  package enum Family: UInt8, CaseIterable, Sendable {
    /// Purchases by state and environment.
    case purchases = 1
    /// Active purchases by the smallest of ``RollupKey/shareLimits`` that their share fits in.
    case share = 2
    /// Proceeds by currency, product and environment.
    case proceeds = 3
    /// Cost at risk by class, currency, product and environment.
    case costAtRisk = 4
    /// The kept proceeds of the same purchases.
    case proceedsAtRisk = 5
    /// Realised loss by currency, product and environment.
    case realisedLoss = 6
    /// Leak by currency, product and environment.
    case leak = 7
    /// Purchases with money that doesn't convert.
    case unconverted = 8
    /// Open refund cases by gate.
    case openCases = 9
    /// Refund cases ever opened, by reason.
    case requests = 10
    /// Refund cases ever missed, by reason.
    case missed = 11
    /// Answers ever reported, by preference and result.
    case responses = 12
    /// Outcomes ever, by the preference that was sent and by outcome.
    case outcomes = 13
    /// Levels that hold, by meter and unit.
    case level = 14
    /// What levels cost, by meter, currency, product and environment.
    case levelCost = 15
    /// Level usage that no rate matches, by meter and unit.
    case levelUnpriced = 16
    /// Refund cases that were counted while the clock ran ahead, by what for.
    case miscounted = 17
  }

  package var family: Family
  /// State, limit, class, gate, reason, preference or meter; empty where there is none.
  package var first: ByteString
  /// Currency, result, outcome or unit; empty where there is none.
  package var second: ByteString
  /// Empty where sums are over all products.
  package var product: ByteString
  /// Empty where sums are over all environments.
  package var environment: ByteString

  /// A key; what isn't given is no label of the family.
  package init(
    _ family: Family, _ first: ByteString = "", _ second: ByteString = "",
    of label: RollupLabel? = nil
  ) {
    self.family = family
    self.first = first
    self.second = second
    product = label?.product ?? ""
    environment = label?.environment ?? ""
  }

  /// The label values of active purchases by share, with the share that each stands for in
  /// 1/100000; shares are capped, so that the last holds nothing of its own.
  package static let shareLimits: [(name: ByteString, share: Int64)] = [
    ("0.25", 25_000), ("0.5", 50_000), ("0.75", 75_000), ("0.9", 90_000), ("1", 100_000),
    ("+Inf", .max),
  ]
  /// What stands for everything that the configuration or Apple's documentation doesn't name.
  package static let other: ByteString = "_other"
  /// What stands for what isn't known.
  package static let unknown: ByteString = "unknown"
  /// What stands for a text that isn't there.
  package static let none: ByteString = "none"
}

extension RollupKey: Comparable {
  package static func < (left: RollupKey, right: RollupKey) -> Bool {
    if left.family != right.family { return left.family.rawValue < right.family.rawValue }
    if left.first != right.first { return left.first < right.first }
    if left.product != right.product { return left.product < right.product }
    if left.second != right.second { return left.second < right.second }
    return left.environment < right.environment
  }
}

/// The product and environment that money is summed by.
package struct RollupLabel: Hashable, Sendable {
  package var product: ByteString
  package var environment: ByteString

  /// Of a purchase; products that the configuration doesn't name are one.
  package init(_ purchase: Purchase?, _ configuration: Configuration) {
    let named = purchase?.productId.flatMap { configuration.products[$0] == nil ? nil : $0 }
    product = named ?? RollupKey.other
    environment = purchase?.environment ?? RollupKey.unknown
  }
}
