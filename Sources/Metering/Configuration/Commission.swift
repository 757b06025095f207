/// The store's share of a price. Of several that match a purchase, the last counts.
package struct Commission: Equatable, Sendable {
  /// 0…1.
  package var rate: Fraction
  /// Product types that it is for, as Apple spells them; empty for all.
  package var types: [ByteString]
  /// Only after so many days of paid service.
  package var afterPaidDays: Int
  /// Only for purchases from here on.
  package var from: Instant

  /// A share; without conditions it matches every purchase.
  package init(
    rate: Fraction, types: [ByteString] = [], afterPaidDays: Int = 0,
    from: Instant = .distantPast
  ) {
    self.rate = rate
    self.types = types
    self.afterPaidDays = afterPaidDays
    self.from = from
  }

  /// Apple's standard terms: 30 %, and 15 % for subscribers of more than a year. A file that says
  /// nothing gets these, since proceeds without commission would look better than they are.
  package static let standard = [
    Commission(rate: Fraction(30, scale: 2)),
    Commission(
      rate: Fraction(15, scale: 2), types: [Purchase.autoRenewable], afterPaidDays: 365),
  ]
}
