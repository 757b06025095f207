/// Where a purchase stands in a commitment that is paid by the month.
package struct Commitment: Equatable, Sendable {
  package var billingPeriodNumber: Int64?
  package var totalBillingPeriods: Int64?
  package var commitmentExpiresDate: Instant?
  /// The latest of the chain, unexpired and unrevoked.
  package var isCurrent: Bool
  /// Payments after this one; nil when the payload doesn't number them.
  package var remainingPayments: Int64?
  /// What the remaining payments would bring in; nil unless current and priced.
  package var forecastAtRisk: Money?

  /// Nil unless the purchase has the billing plan `MONTHLY`.
  init?(_ account: PurchaseAccount, proceeds: Proceeds?) {
    guard let purchase = account.period?.purchase, purchase.billingPlanType == "MONTHLY" else {
      return nil
    }
    billingPeriodNumber = purchase.billingPeriodNumber
    totalBillingPeriods = purchase.totalBillingPeriods
    commitmentExpiresDate = purchase.commitmentExpiresDate
    isCurrent = account.chain.view.isCurrent(account.transactionId, at: account.now)
    if let billingPeriodNumber, let totalBillingPeriods {
      remainingPayments = max(0, totalBillingPeriods - billingPeriodNumber)
    }
    if isCurrent, let remainingPayments, let proceeds {
      forecastAtRisk = Money(
        currency: proceeds.money.currency,
        amount: proceeds.money.amount * Fraction(Int128(remainingPayments), scale: 0))
    }
  }
}
