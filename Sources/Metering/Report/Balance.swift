/// Money of several currencies and moments, added only where an exchange rate allows it.
package struct Balance: Sendable {
  package private(set) var entries: [(money: Money, at: Instant)] = []

  /// Nothing yet.
  package init() {}

  /// Adds money that converts by the exchange rate in force at an instant.
  package mutating func add(_ money: Money, at instant: Instant) {
    entries.append((money, instant))
  }

  /// Adds another balance, negated.
  package mutating func subtract(_ other: Balance) {
    for entry in other.entries {
      add(Money(currency: entry.money.currency, amount: -entry.money.amount), at: entry.at)
    }
  }

  /// Sums by currency, sorted by currency; nothing is converted.
  package var totals: [Money] {
    var sum = MoneySum()
    for entry in entries { sum.add(entry.money) }
    return sum.totals
  }

  /// The whole in the reporting currency; nil when one entry doesn't convert.
  package func converted(by configuration: Configuration) -> Money? {
    let currency = configuration.reportingCurrency
    var amount = Fraction.zero
    for entry in entries {
      guard let money = configuration.convert(entry.money, to: currency, at: entry.at) else {
        return nil
      }
      amount = amount + money.amount
    }
    return Money(currency: currency, amount: amount)
  }

  /// In the reporting currency when all converts, else by currency; empty without entries.
  package func settled(by configuration: Configuration) -> [Money] {
    guard !entries.isEmpty else { return [] }
    return converted(by: configuration).map { [$0] } ?? totals
  }

  /// One sum: in the reporting currency, else in the only currency there is; nil when currencies
  /// stand alone.
  package func single(by configuration: Configuration) -> Money? {
    if let whole = converted(by: configuration) { return whole }
    let totals = totals
    return totals.count == 1 ? totals[0] : nil
  }

  /// Currencies that don't convert into the reporting currency, sorted.
  package func unconvertible(by configuration: Configuration) -> [ByteString] {
    let currency = configuration.reportingCurrency
    let missing = entries.filter {
      configuration.convert($0.money, to: currency, at: $0.at) == nil
    }
    return Set(missing.map(\.money.currency)).sorted()
  }
}
