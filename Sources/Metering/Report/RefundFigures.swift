/// What a refund or revocation cost, as far as the booked sums tell.
package struct RefundFigures: Sendable {
  /// Cost of usage at or after the revocation.
  package private(set) var leak: [Money] = []
  /// Cost before it beyond the kept proceeds; nil when currencies don't convert or the price is
  /// unknown.
  package private(set) var realisedLoss: [Money]? = []
  /// Why the loss is nil, for people.
  package private(set) var because: [String] = []

  /// Reckons the figures of a revoked purchase. They stay empty when only single readings could
  /// tell: usage on both sides of the revocation within one sum, or a part of the allowance.
  init(_ account: PurchaseAccount, cost: CostStatement, proceeds: Proceeds?) {
    guard let period = account.period, period.isRevoked(at: account.now),
      let amounts = Self.leaked(from: account, period)
    else { return }
    let leaked = CostStatement(amounts, configuration: account.configuration).balance
    leak = leaked.settled(by: account.configuration)
    guard period.purchase.refundedShare > .zero else { return }
    guard let proceeds else {
      realisedLoss = nil
      because = ["price or currency unknown"]
      return
    }
    var loss = cost.balance
    loss.subtract(leaked)
    loss.add(
      Money(currency: proceeds.money.currency, amount: -proceeds.kept),
      at: period.start ?? account.now)
    if let whole = loss.single(by: account.configuration) {
      realisedLoss = [Money(currency: whole.currency, amount: max(whole.amount, .zero))]
    } else {
      realisedLoss = nil
      because = loss.unconvertible(by: account.configuration).map {
        "no exchange rate from \($0.string) to \(account.configuration.reportingCurrency.string)"
      }
    }
  }

  private static func leaked(
    from account: PurchaseAccount, _ period: ChainPeriod
  ) -> [BookedAmount]? {
    guard let revoked = period.purchase.revocationDate else { return nil }
    let share = period.purchase.refundedShare
    let isPartial = share > .zero && share < .one
    if isPartial && !period.purchase.isAutoRenewable { return nil }
    var amounts: [BookedAmount] = []
    for line in account.lines where line.lastTime >= revoked {
      guard line.firstTime >= revoked else { return nil }
      amounts.append(BookedAmount(line))
    }
    return amounts + account.chain.levelAmounts(of: period, from: revoked, to: account.now)
  }
}
