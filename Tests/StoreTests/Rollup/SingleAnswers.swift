import Metering
import Store

/// The sums that metrics tell, added up from the answers about every single purchase: slow, and
/// obviously right.
struct SingleAnswers: Equatable {
  /// By family's name and labels; nothing is zero.
  var sums: [String: Fraction] = [:]
  var respondBy: Instant?

  init() {}

  /// Asks about each transaction of a store.
  init(
    _ books: Books, _ transactions: some Sequence<ByteString>, _ configuration: Configuration,
    at now: Instant
  ) throws {
    try books.ask(try books.makeView()) { reading in
      for id in transactions {
        if let answer = try ConsumptionAnswer(
          transaction: id, from: reading, configuration: configuration, now: now)
        {
          add(answer, configuration)
        }
        for one in try reading.record(id).map({ record in
          record.cases.map { record.standing(of: $0, at: now) }
        }) ?? [] {
          add(one, now)
        }
      }
      try addLevels(reading, configuration, now)
    }
    sums = sums.filter { !$0.value.isZero }
  }

  private mutating func add(_ amount: Fraction, _ labels: ByteString?...) {
    let key = labels.map { $0?.string ?? "?" }.joined(separator: " ")
    sums[key] = (sums[key] ?? .zero) + amount
  }

  private mutating func add(_ answer: ConsumptionAnswer, _ configuration: Configuration) {
    let named = answer.purchase?.productId.flatMap { configuration.products[$0] == nil ? nil : $0 }
    let product = named ?? "_other"
    let environment = answer.purchase?.environment ?? "unknown"
    if let state = answer.state {
      self.add(1, "purchases", ByteString(state.name), environment)
      if ["active", "grace"].contains(state.name), let share = answer.share {
        for (name, limit) in [
          ("0.25", 25_000), ("0.5", 50_000), ("0.75", 75_000), ("0.9", 90_000), ("1", 100_000),
          ("+Inf", Int64.max),
        ] where share <= limit { self.add(1, "share", ByteString(name)) }
      }
    }
    func add(_ money: Money, _ family: ByteString, _ risk: ByteString = "-") {
      self.add(money.amount, family, risk, product, money.currency, environment)
    }
    if let proceeds = answer.proceeds { add(proceeds.money, "proceeds") }
    if let atRisk = answer.atRisk {
      let risk = ByteString(atRisk.riskClass.rawValue)
      for money in atRisk.cost { add(money, "costAtRisk", risk) }
      if let money = atRisk.proceeds { add(money, "proceedsAtRisk", risk) }
    }
    for money in answer.refund.realisedLoss ?? [] { add(money, "realisedLoss") }
    for money in answer.refund.leak { add(money, "leak") }
    let currencies = answer.cost.totals.map(\.currency) + [answer.proceeds?.money.currency]
    let foreign = currencies.compactMap { $0 }.filter { $0 != configuration.reportingCurrency }
    if answer.purchase != nil, !foreign.isEmpty, configuration.exchangeRates.isEmpty {
      self.add(1, "unconverted")
    }
    guard let standing = answer.refundCase, standing.state == .open else { return }
    respondBy = min(respondBy ?? .distantFuture, standing.respondBy)
    switch answer.decision.verdict {
    case .send: self.add(1, "openCases", "none")
    case .gated(let gate): self.add(1, "openCases", ByteString(gate.rawValue))
    }
  }

  private mutating func add(_ standing: CaseStanding, _ now: Instant) {
    let one = standing.refundCase
    add(1, "requests", one.reason ?? "none")
    let wasInTime = one.response.map { $0.at < standing.respondBy } ?? false
    if !wasInTime, standing.respondBy <= min(one.end?.at ?? now, now) {
      add(1, "missed", one.reason ?? "none")
    }
    if let response = one.response {
      add(1, "responses", response.preference ?? "none", "accepted")
    }
    if let failures = one.failures { add(Fraction(Int(failures.count)), "responses failed") }
    guard !standing.state.isPending else { return }
    let preference = one.response.map { $0.preference ?? "none" } ?? "unanswered"
    if standing.state == .reversed { add(1, "outcomes", preference, "granted") }
    add(1, "outcomes", preference, ByteString(standing.state.rawValue))
  }

  /// All that levels cost, whoever holds them: each integral has one price or none. Those of one
  /// chain are one.
  private mutating func addLevels(
    _ reading: some StoreQueries, _ configuration: Configuration, _ now: Instant
  ) throws {
    var owners: [ByteString: [LevelSeries]] = [:]
    for subject in try reading.levelSubjects() {
      owners[try reading.record(subject)?.chain ?? subject, default: []] +=
        try reading.levels(of: subject)
    }
    for series in owners.values.flatMap(LevelAccrual.joined) {
      if let point = series.points.last(where: { $0.time <= now }) {
        add(Fraction(point.value, scale: 9), "level", series.meter)
      }
      let amounts = LevelAccrual.amounts(
        of: [series], from: .distantPast, to: now, configuration: configuration)
      let cost = CostStatement(amounts, configuration: configuration)
      for money in cost.totals { add(money.amount, "levelCost", money.currency) }
      for line in cost.unpriced { add(line.quantity, "levelUnpriced", line.meter) }
    }
  }
}

extension SingleAnswers {
  /// The same as the rollup tells it.
  init(_ report: RollupReport, _ sums: [RollupKey: Fraction]) {
    respondBy = report.respondBy
    for (key, sum) in sums {
      switch key.family {
      case .purchases: add(sum, "purchases", key.first, key.environment)
      case .share:
        let limits = RollupKey.shareLimits.drop { $0.name != key.first }
        for limit in limits { add(sum, "share", limit.name) }
      case .unconverted: add(sum, "unconverted")
      case .openCases, .requests, .missed: add(sum, ByteString("\(key.family)"), key.first)
      case .miscounted: add(sum, "miscounted", key.first)
      case .responses where key.second == "failed": add(sum, "responses failed")
      case .responses, .outcomes: add(sum, ByteString("\(key.family)"), key.first, key.second)
      case .level: add(sum, "level", key.first)
      case .levelCost: add(sum, "levelCost", key.second)
      case .levelUnpriced: add(sum, "levelUnpriced", key.first)
      default:
        let risk = key.first.isEmpty ? "-" : key.first
        add(sum, ByteString("\(key.family)"), risk, key.product, key.second, key.environment)
      }
    }
    self.sums = self.sums.filter { !$0.value.isZero }
  }

  /// What differs, in words.
  func differences(from expected: SingleAnswers) -> [String] {
    var differences: [String] = []
    for key in Set(sums.keys).union(expected.sums.keys).sorted() {
      let (found, wanted) = (sums[key] ?? .zero, expected.sums[key] ?? .zero)
      if found != wanted {
        differences.append("\(key): \(found.decimal), expected \(wanted.decimal)")
      }
    }
    if respondBy != expected.respondBy {
      differences.append("respondBy: \(respondBy as Any), expected \(expected.respondBy as Any)")
    }
    return differences
  }

  /// The same without what was counted for good.
  var gauges: SingleAnswers {
    var gauges = self
    gauges.sums = sums.filter { !Self.isCounter($0.key) }
    return gauges
  }

  /// What only grows.
  var counters: [String: Fraction] { sums.filter { Self.isCounter($0.key) } }

  private static func isCounter(_ key: String) -> Bool {
    ["requests", "missed", "responses", "outcomes", "miscounted"].contains { key.hasPrefix($0) }
  }
}
