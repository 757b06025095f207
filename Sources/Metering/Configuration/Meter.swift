/// A named measure with a base unit.
package struct Meter: Equatable, Sendable {
  /// Whether quantities add up or the last value holds and is integrated over time.
  package enum Kind: String, Sendable {
    case sum
    case level
  }

  /// Its key in the configuration.
  package var name: ByteString
  /// The base unit, such as `{token}`, `s` or `By`.
  package var unit: ByteString
  /// How its readings combine.
  package var kind: Kind
  /// Attributes that make a series, sorted.
  package var attributes: [ByteString]
  /// Exact factors of other units into the base unit.
  package var units: [ByteString: Fraction]

  /// A meter; `attributes` are sorted here.
  package init(
    name: ByteString, unit: ByteString, kind: Kind = .sum, attributes: [ByteString] = [],
    units: [ByteString: Fraction] = [:]
  ) {
    self.name = name
    self.unit = unit
    self.kind = kind
    self.attributes = attributes.sorted()
    self.units = units
  }
}
