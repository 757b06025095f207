/// What one purchase, or one owner of levels, adds to the sums that metrics tell.
///
/// It is made of the same account and answer as every question about the purchase, so that the sums
/// are those of the single answers.
package struct PurchaseFigures: Equatable, Sendable {
  /// What it adds to each sum; nothing is zero.
  package internal(set) var amounts: [RollupKey: Fraction] = [:]
  /// What its refund cases were counted for.
  package internal(set) var cases = CaseTally()
  /// Until when its open refund case can be answered; nil without one.
  package internal(set) var respondBy: Instant?
  /// The next instant at which time alone changes the figures; nil when it never does.
  package internal(set) var due: Instant?
  /// The chain, where it isn't the purchase's own id.
  package internal(set) var chain: ByteString?
  /// The customer, where levels of the customer may accrue to the purchase.
  package internal(set) var customer: ByteString?
  /// Where the purchase stands among those at risk; nil when it isn't, or has cost nothing.
  package internal(set) var rank: RiskRank?

  init() {}

  /// The figures of an account and its answer; `earlier` are those that were counted before.
  package init(
    _ account: PurchaseAccount, _ answer: ConsumptionAnswer, after earlier: PurchaseFigures?
  ) {
    let configuration = account.configuration
    let label = RollupLabel(answer.purchase, configuration)
    if let state = answer.state { add(state, answer.share, label) }
    if let proceeds = answer.proceeds {
      add(proceeds.money.amount, RollupKey(.proceeds, "", proceeds.money.currency, of: label))
    }
    if let atRisk = answer.atRisk {
      rank = RiskRank(atRisk, converted: answer.cost.balance.converted(by: configuration))
      let name = ByteString(atRisk.riskClass.rawValue)
      for money in atRisk.cost {
        add(money.amount, RollupKey(.costAtRisk, name, money.currency, of: label))
      }
      if let money = atRisk.proceeds {
        add(money.amount, RollupKey(.proceedsAtRisk, name, money.currency, of: label))
      }
    }
    for money in answer.refund.realisedLoss ?? [] {
      add(money.amount, RollupKey(.realisedLoss, "", money.currency, of: label))
    }
    for money in answer.refund.leak {
      add(money.amount, RollupKey(.leak, "", money.currency, of: label))
    }
    if answer.purchase != nil, !Self.converts(account, answer) { add(1, RollupKey(.unconverted)) }
    if let standing = answer.refundCase, standing.state == .open {
      respondBy = standing.respondBy
      add(1, RollupKey(.openCases, Self.gate(answer.decision)))
    }
    let levels = account.levelAmounts(from: .distantPast, to: account.now)
    add(levels: levels, of: label, configuration)
    cases = CaseTally(account.record, at: account.now, continuing: earlier?.cases)
    due = account.nextChange
    chain = account.record.flatMap { $0.chain == account.transactionId ? nil : $0.chain }
    customer = account.customerOfLevels
  }

  /// Whether nothing has to be remembered.
  package var isEmpty: Bool { amounts.isEmpty && cases.isEmpty && due == nil && customer == nil }

  mutating func add(_ amount: Fraction, _ key: RollupKey) {
    let sum = (amounts[key] ?? .zero) + amount
    amounts[key] = sum.isZero ? nil : sum
  }

  private mutating func add(_ state: PurchaseState, _ share: Int64?, _ label: RollupLabel) {
    var key = RollupKey(.purchases, ByteString(state.name), of: label)
    key.product = ""
    add(1, key)
    guard state == .active || state == .grace, let share,
      let limit = RollupKey.shareLimits.first(where: { share <= $0.share })
    else { return }
    add(1, RollupKey(.share, limit.name))
  }

  /// Adds what levels cost, and what of them has no price.
  mutating func add(
    levels: [BookedAmount], of label: RollupLabel, _ configuration: Configuration
  ) {
    guard !levels.isEmpty else { return }
    let cost = CostStatement(levels, configuration: configuration)
    for line in cost.lines {
      add(line.cost.amount, RollupKey(.levelCost, line.meter, line.cost.currency, of: label))
    }
    for line in cost.unpriced {
      add(line.quantity, RollupKey(.levelUnpriced, line.meter, line.unit))
    }
  }

  private static func gate(_ decision: Decision) -> ByteString {
    switch decision.verdict {
    case .gated(let gate): ByteString(gate.rawValue)
    case .send: RollupKey.none
    }
  }

  /// Whether all of a purchase's money converts into the reporting currency.
  private static func converts(_ account: PurchaseAccount, _ answer: ConsumptionAnswer) -> Bool {
    var balance = answer.cost.balance
    if let proceeds = answer.proceeds {
      balance.add(proceeds.money, at: account.period?.start ?? account.now)
    }
    return balance.unconvertible(by: account.configuration).isEmpty
  }
}

extension PurchaseAccount {
  /// The next instant after `now` at which time alone changes what is told of the purchase in
  /// sums; nil when it never does. Levels move all the time: they are looked at again and again.
  var nextChange: Instant? {
    var instants: [Instant?] = []
    if let refundCase = record?.cases.last {
      instants.append(refundCase.respondBy(in: record?.environment))
      instants.append(refundCase.lapsesAt(in: record?.environment))
    }
    if let period {
      let window = Int64(configuration.refundWindowDays) * 86_400_000_000
      instants.append(period.nextChange(after: now))
      instants.append(period.purchase.revocationDate)
      instants.append(period.start?.adding(microseconds: window))
      if period.start == nil { instants.append(configuration.nextTerms(after: now)) }
      if now < period.accrualEnd, hasMovingLevels {
        instants.append(now.adding(microseconds: Limits.levelPauseMicroseconds))
      }
    }
    return instants.compactMap { $0 }.filter { $0 > now && $0 < .distantFuture }.min()
  }
}

extension Configuration {
  /// The next instant at which commission or an exchange rate may become another for a purchase
  /// whose date isn't known: it is reckoned as of now.
  fileprivate func nextTerms(after now: Instant) -> Instant? {
    (commissions.map(\.from) + exchangeRates.map(\.since)).filter { $0 > now }.min()
  }
}

extension Limits {
  /// Raised when the rules change by which figures are reckoned: those that are kept are then made
  /// anew at the next start, as after a change of the configuration.
  package static let figuresVersion: UInt8 = 2
  /// How old what is told of moving levels may be, microseconds: with the time to look at them it
  /// stays within the fifteen seconds that gauges may lag.
  static let levelPauseMicroseconds: Int64 = 10_000_000
}
