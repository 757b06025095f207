/// What a refund or revocation cost, as far as the booked sums tell.
package struct RefundFigures: Sendable {
  /// Cost of usage at or after the revocation.
  package private(set) var leak: [Money] = []
  /// Cost before it beyond the kept proceeds; nil when currencies don't convert or the price is
  /// unknown.
  package private(set) var realisedLoss: [Money]? = []
  /// Why the loss is nil, for people.
  package private(set) var because: [String] = []

  /// Reckons the figures of a revoked purchase. Throws when single readings have to be read and
  /// can't.
  init(_ account: PurchaseAccount, cost: CostStatement, proceeds: Proceeds?) throws {
    guard let period = account.period, period.isRevoked(at: account.now) else { return }
    let leaked = CostStatement(
      try Leak.amounts(of: account), configuration: account.configuration
    ).balance
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
}
