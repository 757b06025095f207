/// An exact amount with its ISO 4217 currency.
package struct Money: Hashable, Sendable {
  package var currency: ByteString
  package var amount: Fraction

  /// An amount of a currency.
  package init(currency: ByteString, amount: Fraction) {
    self.currency = currency
    self.amount = amount
  }
}

/// Sums by currency: amounts of different currencies are never added.
package struct MoneySum: Hashable, Sendable {
  private var amounts: [ByteString: Fraction] = [:]

  package init() {}

  /// Adds an amount to its currency's sum.
  package mutating func add(_ money: Money) {
    amounts[money.currency] = (amounts[money.currency] ?? .zero) + money.amount
  }

  /// The sums by currency, sorted; a zero that was added stays.
  package var totals: [Money] {
    amounts.sorted { $0.key < $1.key }.map { Money(currency: $0.key, amount: $0.value) }
  }
}
