/// A stated exchange rate, in force until the next of the same pair.
package struct ExchangeRate: Equatable, Sendable {
  /// Currency that is converted.
  package var from: ByteString
  /// Currency that it becomes.
  package var to: ByteString
  /// Units of `to` for one of `from`; above zero.
  package var rate: Fraction
  /// When it comes into force.
  package var since: Instant

  /// One unit of `from` is `rate` units of `to`, never the other way round.
  package init(from: ByteString, to: ByteString, rate: Fraction, since: Instant = .distantPast) {
    self.from = from
    self.to = to
    self.rate = rate
    self.since = since
  }
}
