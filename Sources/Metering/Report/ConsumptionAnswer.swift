/// What was consumed of a purchase, what it cost and what it brought in: contract §3.3.
package struct ConsumptionAnswer: Sendable {
  package var transactionId: ByteString
  /// Nil while the purchase isn't known.
  package var purchase: Purchase?
  package var customer: ByteString?
  package var asOf: Instant
  package var lastEventAt: Instant?
  /// Nil while the purchase isn't known; its end is nil when nothing but a revocation ends it.
  package var billingPeriod: (start: Instant?, end: Instant?)?
  package var state: PurchaseState?
  package var deliveryStatus: DeliveryStatus?
  /// 0…100000; nil where Apple wants none or none is known.
  package var consumptionPercentage: Int64?
  package var usage: [MeterUsage]
  package var cost: CostStatement
  package var proceeds: Proceeds?
  package var margin: [Money]
  package var refund: RefundFigures
  /// Cost of usage in grace, which nobody has paid for yet; empty without.
  package var unpaid: [Money]
  package var commitment: Commitment?
  package var atRisk: AtRisk?
  /// The latest request for the purchase's money; nil without one.
  package var refundCase: CaseStanding?
  /// Whether that request is answered, and with what.
  package var decision: Decision

  /// Why, for people: the decision's gate or rule, then why a figure is missing.
  package var because: [String] { [decision.because].compactMap { $0 } + refund.because }

  /// The largest of the meters' shares in 1/100000, rounded down and capped; nil without one.
  package var share: Int64? { PurchaseAccount.share(of: usage) }

  /// Answers for a transaction; nil when neither it nor usage is known. Throws when reading
  /// fails.
  package init?(
    transaction id: ByteString, from reading: any StoreQueries, configuration: Configuration,
    now: Instant
  ) throws {
    try self.init(
      PurchaseAccount(id, from: reading, configuration: configuration, now: now))
  }

  /// Answers for an account that was already read; nil when it holds nothing. Throws when single
  /// readings have to be read and can't.
  package init?(_ account: PurchaseAccount) throws {
    guard account.isKnown else { return nil }
    let period = account.period
    transactionId = account.transactionId
    purchase = period?.purchase
    customer = account.chain.customer(of: period?.purchase)
    asOf = account.now
    lastEventAt = account.lastEventAt
    billingPeriod = period.map { ($0.start, $0.periodEnd) }
    state = period?.state(at: account.now)
    usage = account.usage
    deliveryStatus = account.deliveryStatus(usage)
    cost = account.cost
    proceeds = account.proceeds
    margin = Self.margin(account, cost: cost, proceeds: proceeds)
    refund = try RefundFigures(account, cost: cost, proceeds: proceeds)
    unpaid = try Self.unpaid(account)
    commitment = Commitment(account, proceeds: proceeds)
    consumptionPercentage = Self.percentage(period, usage, account.record?.deliveryStatus)
    atRisk = AtRisk(account, cost: cost, proceeds: proceeds)
    refundCase = account.record?.latestCase(at: account.now)
    decision = Decision(
      DecisionInput(
        account, delivery: deliveryStatus, share: PurchaseAccount.share(of: usage)))
  }

  private static func unpaid(_ account: PurchaseAccount) throws -> [Money] {
    guard let period = account.period, let end = period.periodEnd, let lapse = period.lapse,
      lapse > end, !period.isRevoked(at: account.now)
    else { return [] }
    let amounts = try Leak.amounts(of: account, since: end, until: lapse)
    return CostStatement(amounts, configuration: account.configuration).balance
      .settled(by: account.configuration)
      // What was used then and has moved since to the purchase that paid.
      .filter { !$0.amount.isZero }
  }

  private static func percentage(
    _ period: ChainPeriod?, _ usage: [MeterUsage], _ delivery: DeliveryStatus?
  ) -> Int64? {
    guard let period, !period.purchase.isAutoRenewable else { return nil }
    if let delivery, delivery.isUndelivered { return 0 }
    return PurchaseAccount.share(of: usage)
  }

  /// Kept proceeds − cost; empty while what came in is unknown.
  private static func margin(
    _ account: PurchaseAccount, cost: CostStatement, proceeds: Proceeds?
  ) -> [Money] {
    guard let period = account.period, let proceeds else { return [] }
    var balance = Balance()
    balance.add(
      Money(currency: proceeds.money.currency, amount: proceeds.kept),
      at: period.start ?? account.now)
    balance.subtract(cost.balance)
    return balance.settled(by: account.configuration)
  }
}
