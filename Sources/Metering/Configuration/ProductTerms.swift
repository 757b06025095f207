/// What one unit of a product entitles to, from an instant on.
package struct ProductTerms: Equatable, Sendable {
  /// Purchases from here on have these terms.
  package var from = Instant.distantPast
  /// Base units by meter; base units × seconds for levels.
  package var allowance: [ByteString: Fraction] = [:]
  /// The allowance counts once for each interval that begins in the billing period.
  package var every: CalendarDuration?
  /// How long a non-renewing subscription runs.
  package var duration: CalendarDuration?
  /// Order in which a customer's purchases are used up, lowest first.
  package var priority = 0
  /// Whether buying it already delivers it.
  package var deliveredOnPurchase = false
  /// Apple's field: whether a sample could be tried before buying.
  package var sampleContentProvided = false

  /// Terms that entitle to nothing, for all time.
  package init() {}
}
