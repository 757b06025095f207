package import Metering

/// One row of a cost table.
package struct CostRow: Equatable, Sendable {
  /// The window, half-open.
  package var start: Instant
  package var end: Instant
  /// nil when rows aren't kept apart by meter.
  package var meter: ByteString?
  /// nil when rows aren't kept apart by product, or the purchase isn't known.
  package var product: ByteString?
  /// `unknown` while the purchase isn't known.
  package var environment: ByteString
  /// nil for usage without a price.
  package var currency: ByteString?
  /// In `unit`; nil when rows aren't kept apart by meter.
  package var quantity: Fraction?
  /// The meter's base unit; for a level the unit held for a second, such as `By.s`.
  package var unit: ByteString?
  /// nil for usage without a price.
  package var amount: Fraction?
  /// False when some of the group's usage has no price.
  package var isComplete: Bool
  /// True when no event can come any more that would change the row.
  package var isFinal: Bool
}
