/// What owners of levels add to sums: the levels that hold, and what accrued to no purchase. What
/// accrued to a purchase is among the purchase's own figures.
extension PurchaseFigures {
  /// The figures of a chain's levels; nil without levels.
  package init?(levelsOf chain: ChainAccount, at now: Instant) {
    guard !chain.levels.isEmpty else { return nil }
    self.init(
      chain.levels, unheld: chain.unheldLevels(until: now), chain.configuration, now)
  }

  /// The figures of a customer's levels.
  package init(levelsOf customer: CustomerLevels, at now: Instant) {
    self.init(
      customer.series, unheld: customer.amounts(of: nil, from: .distantPast, to: now),
      customer.configuration, now)
  }

  private init(
    _ series: [LevelSeries], unheld: [BookedAmount], _ configuration: Configuration, _ now: Instant
  ) {
    self.init()
    for one in series {
      guard let point = one.points.last(where: { $0.time <= now }) else { continue }
      let unit = configuration.meters[one.meter]?.unit ?? ""
      add(Fraction(point.value, scale: 9), RollupKey(.level, one.meter, unit))
    }
    add(levels: unheld, of: RollupLabel(nil, configuration), configuration)
    if series.moves(after: now) {
      due = now.adding(microseconds: Limits.levelPauseMicroseconds)
    }
  }
}

extension [LevelSeries] {
  /// Whether time alone makes any of the levels accrue after an instant.
  func moves(after now: Instant) -> Bool {
    contains { one in one.points.last.map { $0.value != 0 || $0.time > now } ?? false }
  }
}

extension ChainAccount {
  /// What the chain's levels accrue while no purchase takes them.
  fileprivate func unheldLevels(until now: Instant) -> [BookedAmount] {
    guard let first = levels.compactMap(\.points.first?.time).min(), first < now else { return [] }
    let changes = view.periods.flatMap { period in
      [period.start, period.end, period.accrualEnd].compactMap { $0 }
    }
    let cuts = Set(changes).filter { first < $0 && $0 < now }.sorted()
    return zip([first] + cuts, cuts + [now]).flatMap { from, to -> [BookedAmount] in
      guard view.purchaseInForce(at: from) == nil else { return [] }
      return LevelAccrual.amounts(of: levels, from: from, to: to, configuration: configuration)
    }
  }
}
