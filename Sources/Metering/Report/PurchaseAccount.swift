/// One purchase with everything that was booked to it, at one instant.
package struct PurchaseAccount {
  package let transactionId: ByteString
  /// Nil when nothing but usage is known.
  package let record: PurchaseRecord?
  /// Nil while the purchase isn't known.
  package let period: ChainPeriod?
  package let chain: ChainAccount
  package let lines: [UsageLine]
  /// Everything booked up to `now`, levels among it.
  package let amounts: [BookedAmount]
  package let now: Instant
  private let customerLevels: CustomerLevels?
  /// Single readings, for what sums can't tell; read when asked for.
  let trail: () throws -> [TrailReading]
  /// What decides about the pending refund request; nil without one.
  let decisionFacts: DecisionFacts?

  var configuration: Configuration { chain.configuration }

  /// Reads a transaction with its chain. Throws when reading fails.
  package init(
    _ id: ByteString, from reading: any StoreQueries, configuration: Configuration, now: Instant
  ) throws {
    let record = try reading.record(id)
    let chain = try ChainAccount(
      chain: record?.chain ?? id, including: id, from: reading, configuration: configuration)
    try self.init(id, record: record, in: chain, from: reading, now: now)
  }

  /// Reads a transaction of a chain that was already read. Throws when reading fails.
  package init(
    _ id: ByteString, record: PurchaseRecord?, in chain: ChainAccount,
    from reading: any StoreQueries,
    now: Instant
  ) throws {
    transactionId = id
    self.record = record
    self.chain = chain
    self.now = now
    let trail = { try reading.readings(bookedTo: id) }
    self.trail = trail
    let period = chain.view.period(of: id)
    let lines = try reading.usage(of: id).filter { $0.count > 0 }
    self.period = period
    self.lines = lines
    customerLevels = try chain.customer(of: period?.purchase).flatMap {
      try CustomerLevels(ofCustomer: $0, from: reading, configuration: chain.configuration)
    }
    amounts =
      try Self.sumAmounts(lines, chain.configuration, trail)
      + Self.levelAmounts(period, chain, customerLevels, from: .distantPast, to: now)
    decisionFacts = try record?.pendingCase(at: now).map { pending in
      try DecisionFacts(
        of: pending, customer: chain.customer(of: period?.purchase),
        appTransactionId: period?.purchase.appTransactionId, from: reading,
        configuration: chain.configuration)
    }
  }

  /// The sums' amounts; of meters whose prices got a new boundary among the readings of a sum, the
  /// single readings instead.
  private static func sumAmounts(
    _ lines: [UsageLine], _ configuration: Configuration, _ trail: () throws -> [TrailReading]
  ) throws -> [BookedAmount] {
    var amounts: [BookedAmount] = []
    var split: Set<ByteString> = []
    for line in lines where configuration.stretch(of: line) == nil { split.insert(line.meter) }
    for line in lines where !split.contains(line.meter) {
      var amount = BookedAmount(line)
      amount.epoch = configuration.stretch(of: line) ?? line.epoch
      amounts.append(amount)
    }
    guard !split.isEmpty else { return amounts }
    for reading in try trail() where split.contains(reading.line.meter) {
      amounts.append(BookedAmount(reading, configuration: configuration))
    }
    return amounts
  }

  /// What levels accrue to the purchase within [from, to): those of its chain and its share of its
  /// customer's.
  func levelAmounts(from: Instant, to: Instant) -> [BookedAmount] {
    Self.levelAmounts(period, chain, customerLevels, from: from, to: min(to, now))
  }

  private static func levelAmounts(
    _ period: ChainPeriod?, _ chain: ChainAccount, _ customer: CustomerLevels?, from: Instant,
    to: Instant
  ) -> [BookedAmount] {
    guard let period else { return [] }
    return chain.levelAmounts(of: period, from: from, to: to)
      + (customer?.amounts(of: period.transactionId, from: from, to: to) ?? [])
  }

  /// Whether levels may accrue to the purchase as time goes on.
  package var hasMovingLevels: Bool {
    chain.levels.moves(after: now) || customerLevels?.series.moves(after: now) == true
  }

  /// The key of the purchase's customer where it has levels; nil without.
  var customerOfLevels: ByteString? {
    customerLevels == nil ? nil : chain.customer(of: period?.purchase)?.customerKey
  }

  /// False when there is neither a purchase nor usage nor a refund request: 404. A level is its
  /// chain's, so that of a transaction whose purchase isn't known it is nobody's.
  package var isKnown: Bool { period != nil || !lines.isEmpty || record?.cases.isEmpty == false }

  /// The latest event booked; nil without one.
  package var lastEventAt: Instant? {
    // Where packs of a chain go on side by side, the level is another's from the next one on.
    let last = period.flatMap { chain.view.spans(of: $0).last?.upperBound ?? $0.accrualEnd }
    let end = min(last ?? .distantFuture, now)
    let points = chain.levels.flatMap(\.points).map(\.time).filter { $0 < end }
    let shared = customerLevels?.lastPoint(of: transactionId, before: end)
    return (lines.map(\.lastTime) + points + [shared].compactMap { $0 }).max()
  }

  /// Used and allowed by meter, of meters with an allowance or any usage, sorted by meter.
  package var usage: [MeterUsage] {
    var used: [ByteString: Fraction] = [:]
    for booked in amounts {
      used[booked.meter, default: .zero] = (used[booked.meter] ?? .zero) + booked.quantity
    }
    let owed =
      Array((period?.terms?.allowance ?? [:]).keys) + Array((record?.allowances ?? [:]).keys)
    for meter in owed where used[meter] == nil { used[meter] = .zero }
    return used.sorted { $0.key < $1.key }.map { meter, quantity in
      MeterUsage(
        meter: meter, unit: configuration.printedUnit(of: meter), used: quantity,
        allowed: period?.allowance(of: meter))
    }
  }

  /// The largest of the meters' shares in 1/100000, rounded down and capped; nil without one.
  package static func share(of usage: [MeterUsage]) -> Int64? {
    usage.compactMap(\.flooredShare).max().map { Int64(min(max($0, 0), 100_000)) }
  }

  /// What was delivered: as reported, else seen by use or told by the product; nil when unknown.
  package func deliveryStatus(_ usage: [MeterUsage]) -> DeliveryStatus? {
    if let reported = record?.deliveryStatus { return reported }
    let isUsed = usage.contains { $0.used > .zero }
    return isUsed || period?.terms?.deliveredOnPurchase == true ? .delivered : nil
  }

  /// What serving the purchase has cost.
  package var cost: CostStatement { CostStatement(amounts, configuration: configuration) }

  /// The estimated proceeds; nil when the purchase, its price or its currency is unknown.
  package var proceeds: Proceeds? {
    period.flatMap {
      Proceeds(
        $0, paidDays: chain.view.paidDays(before: transactionId), configuration: configuration,
        now: now)
    }
  }
}
