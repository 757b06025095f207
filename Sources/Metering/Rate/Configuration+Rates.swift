extension Configuration {
  /// Instants at which a meter's price, or its conversion, may change: sorted, distinct, finite.
  package func boundaries(meter: ByteString) -> [Instant] {
    var instants = Set((ratesByMeter[meter] ?? []).map(\.from))
    for exchange in exchangeRates { instants.insert(exchange.since) }
    instants.remove(.distantPast)
    return instants.sorted()
  }

  /// Start of the stretch of constant prices that all of a line's readings lie in. It is another
  /// than the line's own when prices got new boundaries since it was booked; nil when one of them
  /// lies among its readings, so that only single readings can tell.
  package func stretch(of line: UsageLine) -> Instant? {
    let newer = boundaries(meter: line.meter).last { $0 <= line.lastTime }
    guard let newer, newer > line.epoch else { return line.epoch }
    return newer <= line.firstTime ? newer : nil
  }

  /// Start of the stretch of constant prices that holds an instant.
  package func stretch(of meter: ByteString, at time: Instant) -> Instant {
    boundaries(meter: meter).last { $0 <= time } ?? .distantPast
  }

  /// The rate in force with the most matching conditions; nil when none matches.
  package func rate(
    meter: ByteString, attributes: [(key: ByteString, value: ByteString)], at instant: Instant
  ) -> Rate? {
    var best: Rate?
    for rate in ratesByMeter[meter] ?? []
    where rate.isInForce(at: instant) && rate.conditions.count > best?.conditions.count ?? -1 {
      if rate.matches(attributes) { best = rate }
    }
    return best
  }

  /// Whether any rate names the meter: without one it only counts.
  package func hasRates(meter: ByteString) -> Bool { ratesByMeter[meter] != nil }

  /// The terms of a product in force at its purchase; nil for an unknown product and before the
  /// first terms.
  package func terms(product: ByteString, purchasedAt: Instant) -> ProductTerms? {
    products[product]?.last { $0.from <= purchasedAt }
  }

  /// The store's share of a price: that of the last entry that matches; 0 when none does.
  package func commission(type: ByteString?, paidDays: Int, at instant: Instant) -> Fraction {
    let found = commissions.last { entry in
      let isOfType = entry.types.isEmpty || type.map { entry.types.contains($0) } ?? false
      return isOfType && paidDays >= entry.afterPaidDays && entry.from <= instant
    }
    return found?.rate ?? .zero
  }

  /// The tax that a storefront's prices contain; 0 for one that isn't stated.
  package func tax(storefront: ByteString?) -> Fraction { storefront.flatMap { tax[$0] } ?? .zero }

  /// The amount in another currency by the stated rate in force; nil without one.
  package func convert(_ money: Money, to currency: ByteString, at instant: Instant) -> Money? {
    if money.currency == currency { return money }
    let stated = exchangeRates.filter {
      $0.from == money.currency && $0.to == currency && $0.since <= instant
    }
    return stated.max { $0.since < $1.since }.map {
      Money(currency: currency, amount: money.amount * $0.rate)
    }
  }
}
