/// A quantity of one meter within one stretch of constant prices, ready to be priced.
package struct BookedAmount: Sendable {
  package var meter: ByteString
  /// The meter's declared attributes, sorted by key.
  package var attributes: [(key: ByteString, value: ByteString)]
  /// Start of the stretch; rates and exchange rates are looked up at this instant.
  package var epoch: Instant
  /// The currency of an own cost that stands instead of the price book.
  package var own: ByteString?
  /// Base units, of a level unit-seconds.
  package var quantity: Fraction
  /// The own cost in `own`; 0 without.
  package var amount: Fraction

  /// Makes an amount; see the properties for the units.
  package init(
    meter: ByteString, attributes: [(key: ByteString, value: ByteString)], epoch: Instant,
    own: ByteString?, quantity: Fraction, amount: Fraction
  ) {
    self.meter = meter
    self.attributes = attributes
    self.epoch = epoch
    self.own = own
    self.quantity = quantity
    self.amount = amount
  }

  /// The amount of a booked line.
  package init(_ line: UsageLine) {
    self.init(
      meter: line.meter, attributes: line.attributes, epoch: line.epoch, own: line.own,
      quantity: Fraction(line.quantity, scale: 9), amount: line.cost)
  }

  /// A part of it.
  func part(_ share: Fraction) -> BookedAmount {
    var part = self
    part.quantity = quantity * share
    part.amount = amount * share
    return part
  }

  /// The amount of a single reading, in the stretch of constant prices that holds its time.
  init(_ reading: TrailReading, configuration: Configuration) {
    self.init(reading.line)
    epoch = configuration.stretch(of: reading.line.meter, at: reading.time)
  }

  /// What is of one series, stretch of prices and currency as one, in the order of answers: what
  /// was booked and taken back is then nothing, rather than two amounts that have to convert.
  static func joined(_ amounts: [BookedAmount]) -> [BookedAmount] {
    var joined: [BookedAmount] = []
    for amount in amounts.sorted(by: precedes) {
      if let last = joined.last, !precedes(last, amount) {
        joined[joined.count - 1].quantity = last.quantity + amount.quantity
        joined[joined.count - 1].amount = last.amount + amount.amount
      } else {
        joined.append(amount)
      }
    }
    return joined
  }

  /// Order of answers: meter, attributes, epoch, own currency.
  package static func precedes(_ left: BookedAmount, _ right: BookedAmount) -> Bool {
    if left.meter != right.meter { return left.meter < right.meter }
    for (first, second) in zip(left.attributes, right.attributes) where first != second {
      return first < second
    }
    if left.attributes.count != right.attributes.count {
      return left.attributes.count < right.attributes.count
    }
    if left.epoch != right.epoch { return left.epoch < right.epoch }
    return (left.own ?? "") < (right.own ?? "")
  }
}

/// What one ``BookedAmount`` costs.
package enum PricedAmount: Sendable {
  /// Priced by the price book.
  case rated(Rate, Money)
  /// Its own cost.
  case own(Money)
  /// The meter has rates, but none matches.
  case unpriced
  /// No rate names the meter: it only counts.
  case uncounted
}

extension Configuration {
  /// Prices an amount at the start of its stretch; exact.
  package func price(_ booked: BookedAmount) -> PricedAmount {
    if let currency = booked.own {
      return .own(Money(currency: currency, amount: booked.amount))
    }
    guard hasRates(meter: booked.meter) else { return .uncounted }
    guard
      let rate = rate(meter: booked.meter, attributes: booked.attributes, at: booked.epoch)
    else { return .unpriced }
    return .rated(rate, Money(currency: rate.currency, amount: booked.quantity * rate.price))
  }

  /// The unit in which a meter's quantities are printed: a level's are unit × seconds.
  package func printedUnit(of meter: ByteString) -> ByteString {
    guard let known = meters[meter] else { return "" }
    return known.kind == .level ? ByteString(known.unit.bytes + ByteString(".s").bytes) : known.unit
  }
}
