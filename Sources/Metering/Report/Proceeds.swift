/// An estimate of what a purchase brought in after tax and commission.
package struct Proceeds: Equatable, Sendable {
  package var money: Money
  /// What is left of it after a refund.
  package var kept: Fraction
  /// How it was reckoned, for people.
  package var basis: String

  /// Estimates the proceeds of a purchase; nil when its price or currency is unknown.
  /// `now` stands for an unknown `purchaseDate`.
  package init?(
    _ period: ChainPeriod, paidDays: Int, configuration: Configuration, now: Instant
  ) {
    let purchase = period.purchase
    guard let price = purchase.price, let currency = purchase.currency else { return nil }
    guard purchase.isPurchased else {
      money = Money(currency: currency, amount: .zero)
      kept = .zero
      basis = "0: inAppOwnershipType \(purchase.inAppOwnershipType?.string ?? "unknown")"
      return
    }
    let gross = Fraction(Int128(price), scale: 3)
    let taxed = .one + configuration.tax(storefront: purchase.storefront)
    let share =
      .one
      - configuration.commission(
        type: purchase.type, paidDays: paidDays, at: purchase.purchaseDate ?? now)
    money = Money(currency: currency, amount: gross / taxed * share)
    kept = period.isRevoked(at: now) ? money.amount * (.one - purchase.refundedShare) : money.amount
    basis = "\(gross.decimal) / \(taxed.decimal) * \(Self.cents(share))"
  }

  /// A share with at least two decimals, as rates are written.
  private static func cents(_ share: Fraction) -> String {
    let text = share.decimal
    guard let point = text.firstIndex(of: ".") else { return text + ".00" }
    return text.distance(from: point, to: text.endIndex) == 2 ? text + "0" : text
  }
}

extension ChainPeriod {
  /// Whether the purchase was taken back by an instant, with or without money.
  package func isRevoked(at now: Instant) -> Bool {
    purchase.revocationDate.map { $0 <= now } ?? false
  }
}
