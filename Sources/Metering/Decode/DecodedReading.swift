/// One reading of an event: a meter, an exact quantity, attributes, perhaps a cost of its own.
package struct DecodedReading: Equatable, Sendable {
  /// Keyed hash of ``canonical``.
  package var shape = Hash128(high: 0, low: 0)
  /// Perhaps the same bytes as other readings' of the batch:
  /// UInt16 LE length of the meter, the meter, UInt8 1 if there is a unit, UInt16 LE length of the
  /// unit, the unit, then ``attributes``.
  package var canonical = TextSpan()
  /// The meter's name, at most 256 bytes, perhaps empty.
  package var meter = TextSpan()
  /// The unit as sent, at most 256 bytes; meaningful if ``hasUnit``.
  package var unit = TextSpan()
  /// Whether a unit was given; else the quantity is in the meter's base unit.
  package var hasUnit = false
  /// Whether the quantity was a JSON number, not a string.
  package var quantityWasNumber = false
  /// Whether the reading brings its own cost.
  package var hasCost = false
  /// Three upper-case letters, `USD` as 0x555344; 0 without a cost.
  package var currency: UInt32 = 0
  /// Sorted by key: UInt16 LE count, then per attribute UInt8 type (0 string, 1 number, 2 boolean),
  /// UInt16 LE length of the key, the key, UInt16 LE length of the value, the value. Numbers are
  /// the shortest exact decimal, booleans `true` or `false`.
  package var attributes = TextSpan()
  /// In the unit sent, times 10^9; not negative, below 10^27.
  package var quantity: Int128 = 0
  /// The reading's own cost times 10^15; not negative, below 10^33.
  package var cost: Int128 = 0

  package init() {}
}
