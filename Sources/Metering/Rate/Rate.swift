/// A price per unit of a meter, narrowed by attributes, in force for a while.
package struct Rate: Equatable, Sendable {
  /// One attribute that must have a value.
  package struct Condition: Hashable, Sendable {
    /// An attribute that the meter declares.
    package var attribute: ByteString
    /// Its value as text.
    package var value: ByteString

    /// The attribute must equal the value.
    package init(attribute: ByteString, value: ByteString) {
      self.attribute = attribute
      self.value = value
    }
  }

  /// Name of the meter.
  package var meter: ByteString
  /// What a reading must have, sorted by attribute; empty for every reading.
  package var conditions: [Condition]
  /// Price of one base unit; of one base unit for a second when the meter is a level.
  package var price: Fraction
  /// The price as the file has it.
  package var printedPrice: String
  /// The amount that the printed price is for, as the file has it.
  package var printedPer: String
  /// ISO 4217.
  package var currency: ByteString
  /// When it comes into force.
  package var from: Instant
  /// The next `from` of the same meter and conditions.
  package var until: Instant

  /// A price for `per` units; `conditions` are sorted here.
  package init(
    meter: ByteString, conditions: [Condition] = [], price: Fraction, printedPrice: String,
    printedPer: String, currency: ByteString, from: Instant = .distantPast,
    until: Instant = .distantFuture
  ) {
    self.meter = meter
    self.conditions = conditions.sorted { $0.attribute < $1.attribute }
    self.price = price
    self.printedPrice = printedPrice
    self.printedPer = printedPer
    self.currency = currency
    self.from = from
    self.until = until
  }
}

extension Rate {
  /// What a rate is followed by: the next one of the same key.
  struct Key: Hashable {
    var meter: ByteString
    var conditions: [Condition]
  }

  var key: Key { Key(meter: meter, conditions: conditions) }

  /// Whether each condition is among the attributes.
  func matches(_ attributes: [(key: ByteString, value: ByteString)]) -> Bool {
    conditions.allSatisfy { condition in
      attributes.contains { $0.key == condition.attribute && $0.value == condition.value }
    }
  }

  /// Whether the rate is in force.
  func isInForce(at instant: Instant) -> Bool { from <= instant && instant < until }

  /// The same rates, each ending where the next of its key begins.
  static func settingEnds(of rates: [Rate]) -> [Rate] {
    var result = rates
    for places in Dictionary(grouping: rates.indices, by: { rates[$0].key }).values {
      let sorted = places.sorted { rates[$0].from < rates[$1].from }
      for (place, next) in zip(sorted, sorted.dropFirst()) {
        result[place].until = rates[next].from
      }
      if let last = sorted.last { result[last].until = .distantFuture }
    }
    return result
  }
}
