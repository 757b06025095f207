/// The exact sums booked for one meter, attributes, price epoch and own currency.
package struct UsageLine: Sendable {
  package var meter: ByteString
  /// The meter's declared attributes that the readings had, sorted by key.
  package var attributes: [(key: ByteString, value: ByteString)]
  /// Start of the stretch of constant prices; rates are looked up at this instant.
  /// `Instant.distantPast` for the first.
  package var epoch: Instant
  /// The currency of the readings' own costs; nil when the price book prices the line.
  package var own: ByteString?
  /// Sum of the quantities, in 10^-9 of the base unit.
  package var quantity: Int128
  /// Sum of the own costs, in 10^-15 of `own` or ``parts`` of one; 0 without.
  package var amount: Int128
  /// Parts of 10^-15 that the amount counts: more than one for what splitting own costs left.
  package var parts: Int128 = 1
  /// Readings in the sums.
  package var count: Int64
  /// Time of the earliest reading.
  package var firstTime: Instant
  /// Time of the latest reading.
  package var lastTime: Instant

  /// Makes a line of sums; see the properties for the units.
  package init(
    meter: ByteString, attributes: [(key: ByteString, value: ByteString)], epoch: Instant,
    own: ByteString?, quantity: Int128, amount: Int128, count: Int64, firstTime: Instant,
    lastTime: Instant
  ) {
    self.meter = meter
    self.attributes = attributes
    self.epoch = epoch
    self.own = own
    self.quantity = quantity
    self.amount = amount
    self.count = count
    self.firstTime = firstTime
    self.lastTime = lastTime
  }
}

extension UsageLine {
  /// The own costs' sum in `own`, exactly.
  package var cost: Fraction {
    parts == 1
      ? Fraction(amount, scale: 15)
      : Fraction(BigInteger(amount), over: BigInteger(parts) * .powerOfTen(15))
  }
}

extension UsageLine: Equatable {
  package static func == (left: UsageLine, right: UsageLine) -> Bool {
    left.meter == right.meter && left.epoch == right.epoch && left.own == right.own
      && left.quantity == right.quantity && left.amount == right.amount
      && left.parts == right.parts
      && left.count == right.count && left.firstTime == right.firstTime
      && left.lastTime == right.lastTime
      && left.attributes.elementsEqual(right.attributes, by: ==)
  }
}
