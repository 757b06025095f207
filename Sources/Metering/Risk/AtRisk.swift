/// Money that may still go back, and what serving its purchase has cost.
package struct AtRisk: Equatable, Sendable {
  /// Why it is at risk.
  package enum Class: String, CaseIterable, Sendable {
    /// The customer asked for it, and Apple hasn't decided.
    case requested
    /// It could be asked for.
    case refundable
  }

  package var riskClass: Class
  /// By currency, sorted; nothing is converted.
  package var cost: [Money]
  /// The kept proceeds; nil without a known currency.
  package var proceeds: Money?

  /// Nil when nothing can go back: what was free, what wasn't bought by its user, and what has gone
  /// back wholly.
  init?(_ account: PurchaseAccount, cost: CostStatement, proceeds: Proceeds?) {
    guard let period = account.period, period.purchase.isPurchased,
      let price = period.purchase.price, price > 0,
      let riskClass = Self.riskClass(of: period, account)
    else { return nil }
    self.riskClass = riskClass
    self.cost = cost.totals
    self.proceeds = proceeds.map { Money(currency: $0.money.currency, amount: $0.kept) }
  }

  private static func riskClass(of period: ChainPeriod, _ account: PurchaseAccount) -> Class? {
    let isRevoked = period.isRevoked(at: account.now)
    if account.record?.pendingCase(at: account.now) != nil {
      return isRevoked && period.purchase.refundedShare == .one ? nil : .requested
    }
    guard !isRevoked, let start = period.start else { return nil }
    let window = Int64(account.configuration.refundWindowDays) * 86_400_000_000
    return account.now < start.adding(microseconds: window) ? .refundable : nil
  }
}
