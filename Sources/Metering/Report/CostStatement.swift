/// What amounts cost: lines, totals by currency, and what has no price.
package struct CostStatement: Sendable {
  /// A priced line; lines with the same rate are one.
  package struct Line: Sendable {
    package var meter: ByteString
    package var attributes: [(key: ByteString, value: ByteString)]
    package var quantity: Fraction
    package var unit: ByteString
    /// Price and its quantity as the configuration has them; nil for own costs.
    package var rate: (price: String, per: String)?
    package var cost: Money
  }

  /// A quantity of a meter that has rates, none of which matches.
  package struct Unpriced: Sendable {
    package var meter: ByteString
    package var attributes: [(key: ByteString, value: ByteString)]
    package var quantity: Fraction
    package var unit: ByteString
  }

  package private(set) var lines: [Line] = []
  package private(set) var unpriced: [Unpriced] = []
  /// The costs with the instant at which they convert.
  package private(set) var balance = Balance()

  /// False when something has no price.
  package var isComplete: Bool { unpriced.isEmpty }
  /// Sums by currency, sorted by currency.
  package var totals: [Money] { balance.totals }

  /// Prices amounts; those of nothing at all are left out.
  package init(_ amounts: [BookedAmount], configuration: Configuration) {
    for booked in amounts.sorted(by: BookedAmount.precedes)
    where !booked.quantity.isZero || !booked.amount.isZero {
      let unit = configuration.printedUnit(of: booked.meter)
      switch configuration.price(booked) {
      case .uncounted: continue
      case .unpriced: add(unpriced: booked, unit)
      case .own(let cost): add(booked, unit, rate: nil, cost)
      case .rated(let rate, let cost):
        add(booked, unit, rate: (rate.printedPrice, rate.printedPer), cost)
      }
    }
  }

  private mutating func add(
    _ booked: BookedAmount, _ unit: ByteString, rate: (price: String, per: String)?, _ cost: Money
  ) {
    balance.add(cost, at: booked.epoch)
    // Amounts come sorted, so lines of the same series are at the end.
    let series = lines.indices.reversed().prefix {
      lines[$0].meter == booked.meter
        && lines[$0].attributes.elementsEqual(booked.attributes, by: ==)
    }
    let known = series.first {
      lines[$0].cost.currency == cost.currency && lines[$0].rate?.price == rate?.price
        && lines[$0].rate?.per == rate?.per
    }
    if let known {
      lines[known].quantity = lines[known].quantity + booked.quantity
      lines[known].cost.amount = lines[known].cost.amount + cost.amount
    } else {
      lines.append(
        Line(
          meter: booked.meter, attributes: booked.attributes, quantity: booked.quantity,
          unit: unit, rate: rate, cost: cost))
    }
  }

  private mutating func add(unpriced booked: BookedAmount, _ unit: ByteString) {
    if let last = unpriced.indices.last, unpriced[last].meter == booked.meter,
      unpriced[last].attributes.elementsEqual(booked.attributes, by: ==)
    {
      unpriced[last].quantity = unpriced[last].quantity + booked.quantity
    } else {
      unpriced.append(
        Unpriced(
          meter: booked.meter, attributes: booked.attributes, quantity: booked.quantity,
          unit: unit))
    }
  }
}
