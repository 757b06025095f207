/// The purchases of one `originalTransactionId`, seen together: each ends where the next begins.
package struct ChainView: Sendable {
  /// By `purchaseDate`, then id; purchases without a date come last, records without a purchase
  /// are left out.
  package let periods: [ChainPeriod]

  /// Views the records of one chain, in any order. Without a configuration no non-renewing
  /// subscription ends by itself, since its duration is the product's.
  package init(_ records: [PurchaseRecord], configuration: Configuration? = nil) {
    var periods = records.compactMap { record -> ChainPeriod? in
      guard let purchase = record.purchase else { return nil }
      return ChainPeriod(
        record: record, purchase: purchase,
        terms: Self.terms(of: purchase, configuration), successor: nil)
    }
    periods.sort { left, right in
      let (first, second) = (left.start ?? .distantFuture, right.start ?? .distantFuture)
      return first == second ? left.transactionId < right.transactionId : first < second
    }
    for index in periods.indices.dropLast() {
      periods[index].successor = periods[index + 1].start
    }
    self.periods = periods
  }

  private static func terms(
    of purchase: Purchase, _ configuration: Configuration?
  ) -> ProductTerms? {
    guard let configuration, let product = purchase.productId else { return nil }
    return configuration.terms(
      product: product, purchasedAt: purchase.purchaseDate ?? .distantFuture)
  }

  /// The period of a transaction; nil when its purchase isn't known.
  package func period(of id: ByteString) -> ChainPeriod? {
    periods.first { $0.transactionId == id }
  }

  /// The transaction that chain-addressed usage at an instant belongs to: the purchase in force,
  /// else one that was revoked before its period's end (its leak), else nil.
  package func purchaseInForce(at time: Instant) -> ByteString? {
    let found =
      periods.last { $0.isInForce(at: time) } ?? periods.last { $0.leaks(at: time) }
    return found?.transactionId
  }

  /// When chain-addressed usage is a purchase's, by time. Subscriptions follow each other; one-time
  /// purchases go on side by side, and the latest in force takes all.
  package func spans(of period: ChainPeriod) -> [Range<Instant>] {
    guard let start = period.start, start < period.accrualEnd else { return [] }
    let whole = start..<period.accrualEnd
    guard periods.count > 1, periods.contains(where: \.purchase.isOneTime) else { return [whole] }
    let changes = periods.flatMap { [$0.start, $0.end, $0.accrualEnd].compactMap { $0 } }
    let inside = Set(changes).filter { whole.lowerBound < $0 && $0 < whole.upperBound }.sorted()
    let cuts = [whole.lowerBound] + inside + [whole.upperBound]
    var spans: [Range<Instant>] = []
    for (from, to) in zip(cuts, cuts.dropFirst())
    where purchaseInForce(at: from) == period.transactionId {
      if let last = spans.last, last.upperBound == from {
        spans[spans.count - 1] = last.lowerBound..<to
      } else {
        spans.append(from..<to)
      }
    }
    return spans
  }

  /// As ``purchaseInForce(at:)`` under a configuration, which knows how long products last.
  package func booked(at time: Instant, _ configuration: Configuration) -> PurchaseRecord? {
    let view = ChainView(periods.map(\.record), configuration: configuration)
    return view.purchaseInForce(at: time).flatMap { view.period(of: $0)?.record }
  }

  /// The first instant after `now` at which time alone changes the state of any purchase.
  package func nextChange(after now: Instant) -> Instant? {
    periods.compactMap { $0.nextChange(after: now) }.min()
  }

  /// Whether a purchase is the latest of the chain, unexpired and unrevoked at an instant.
  package func isCurrent(_ id: ByteString, at now: Instant) -> Bool {
    guard let latest = periods.last(where: { $0.start != nil }), latest.transactionId == id else {
      return false
    }
    return !latest.isRevoked(at: now) && [.active, .grace].contains(latest.course(at: now))
  }

  /// Days of paid service in the chain before a purchase: what subscriptions were paid for and
  /// not refunded. Neither gaps nor days that Apple gave on top count.
  package func paidDays(before id: ByteString) -> Int {
    var microseconds: Int128 = 0
    for period in periods {
      if period.transactionId == id { break }
      guard period.purchase.isPurchased, period.purchase.price.map({ $0 > 0 }) ?? false,
        let start = period.start, let periodEnd = period.periodEnd
      else { continue }
      let end = min(period.end, periodEnd, period.record.boughtEnd ?? .distantFuture)
      if end > start {
        microseconds += Int128(end.microseconds) - Int128(start.microseconds)
      }
    }
    return Int(microseconds / 86_400_000_000)
  }
}
