/// Amounts of several currencies, each with the instant that its exchange rate is taken at.
struct ReferenceBalance {
  var entries: [(currency: String, amount: Exact, at: Int64)] = []

  mutating func add(_ amount: Exact, _ currency: String, at time: Int64) {
    entries.append((currency, amount, time))
  }

  static func - (left: ReferenceBalance, right: ReferenceBalance) -> ReferenceBalance {
    ReferenceBalance(
      entries: left.entries + right.entries.map { ($0.currency, -$0.amount, $0.at) })
  }

  /// By currency, none converted.
  var totals: [String: Exact] {
    entries.reduce(into: [:]) { $0[$1.currency, default: .zero] += $1.amount }
  }

  /// All of it in one currency; nil where one entry doesn't convert.
  func whole(in currency: String, by rules: ReferenceMoneyRules) -> Exact? {
    var sum = Exact.zero
    for entry in entries {
      guard let rate = rules.exchange(entry.currency, into: currency, at: entry.at) else {
        return nil
      }
      sum += entry.amount * rate
    }
    return sum
  }

  /// In the reporting currency when all converts, else each currency alone; without zeros.
  func settled(_ configuration: ReferenceConfiguration) -> [String: Exact] {
    let reporting = configuration.reportingCurrency
    let sums = whole(in: reporting, by: configuration.money).map { [reporting: $0] } ?? totals
    return sums.filter { $0.value != .zero }
  }
}

/// What a purchase brought in, after tax and commission.
struct ReferenceProceeds {
  var currency: String
  var amount: Exact
  var kept: Exact
  /// As the contract's example reckons.
  var basis: String
}

extension Reference {
  /// Nil while the price isn't known.
  func proceeds(of purchase: ReferencePurchase, now: Int64) -> ReferenceProceeds? {
    guard let price = purchase.price else { return nil }
    guard purchase.ownership == "PURCHASED" else {
      return ReferenceProceeds(
        currency: purchase.currency, amount: .zero, kept: .zero,
        basis: "0: inAppOwnershipType \(purchase.ownership)")
    }
    let rules = configuration.money
    let gross = Exact(price) / Exact(1000)
    let taxed = .one + rules.tax(in: purchase.storefront)
    let share =
      .one
      - rules.commission(
        type: purchase.type, paidDays: paidDays(before: purchase),
        purchased: purchase.purchased * 1000)
    let amount = gross / taxed * share
    let isRevoked = purchase.revokedAt <= now
    let kept = isRevoked ? amount * (.one - purchase.refunded) : amount
    return ReferenceProceeds(
      currency: purchase.currency, amount: amount, kept: kept,
      basis: "\(gross) / \(taxed) * \(Self.cents(share))")
  }

  /// The example writes 0.70: two decimals at least.
  private static func cents(_ share: Exact) -> String {
    let text = share.description
    let decimals = text.split(separator: ".").dropFirst().first?.count ?? 0
    return text + (decimals == 0 ? ".00" : decimals == 1 ? "0" : "")
  }

  /// Whole days of service that the chain's earlier purchases paid for. Reading: what was bought
  /// for money and as far as it was in force, grace and extensions left out; gaps neither count
  /// nor reset.
  private func paidDays(before purchase: ReferencePurchase) -> Int {
    var microseconds: Int64 = 0
    for earlier in chain(purchase.original) where earlier.purchased < purchase.purchased {
      guard earlier.ownership == "PURCHASED", earlier.price ?? 0 > 0,
        let end = periodEnd(earlier)
      else { continue }
      let (start, inForceEnd) = inForce(earlier)
      let bought = boughtEnds[earlier.id].map { $0 * 1000 } ?? .max
      microseconds += max(0, min(end, inForceEnd, bought) - start)
    }
    return Int(microseconds / Calendar.day)
  }

  /// What amounts cost, without what has no price. Usage of nothing costs nothing in no currency.
  func cost(of booked: [Priced]) -> ReferenceBalance {
    var balance = ReferenceBalance()
    for item in booked where item.quantity != .zero || item.own?.amount ?? .zero != .zero {
      if let own = item.own {
        balance.add(own.amount, own.currency, at: item.time)
      } else if let rate = configuration.rate(
        meter: item.meter, attributes: item.attributes, at: item.time)
      {
        balance.add(rate.each * item.quantity, rate.currency, at: item.time)
      }
    }
    return balance
  }

  /// Kept proceeds − cost; nothing while what came in is unknown.
  func margin(
    _ purchase: ReferencePurchase?, _ proceeds: ReferenceProceeds?, _ cost: ReferenceBalance
  ) -> [String: Exact] {
    guard let purchase, let proceeds else { return [:] }
    var kept = ReferenceBalance()
    kept.add(proceeds.kept, proceeds.currency, at: purchase.purchased * 1000)
    return (kept - cost).settled(configuration)
  }

  /// The loss of a refund; nil where it can't be reckoned in one currency. Reading: the price
  /// unknown is no price of 0, so the loss is unknown too; one currency alone needs no rate.
  func realisedLoss(
    of purchase: ReferencePurchase, _ proceeds: ReferenceProceeds?, cost: ReferenceBalance,
    leak: ReferenceBalance, now: Int64
  ) -> [String: Exact]? {
    guard purchase.revokedAt <= now, purchase.refunded > .zero else { return [:] }
    guard let proceeds else { return nil }
    var kept = ReferenceBalance()
    kept.add(proceeds.kept, proceeds.currency, at: purchase.purchased * 1000)
    let loss = cost - leak - kept
    let reporting = configuration.reportingCurrency
    if let whole = loss.whole(in: reporting, by: configuration.money) {
      return whole > .zero ? [reporting: whole] : [:]
    }
    guard loss.totals.count == 1 else { return nil }
    return loss.totals.filter { $0.value > .zero }
  }

  /// The class of risk; nil where no money can go back any more.
  func riskClass(of purchase: ReferencePurchase, now: Int64) -> String? {
    guard purchase.ownership == "PURCHASED", purchase.price ?? 0 > 0 else { return nil }
    let isRevoked = purchase.revokedAt <= now
    if pendingCase(purchase.id, now: now) != nil {
      // Reading: what went back wholly can't go back again, whatever is asked for.
      return isRevoked && purchase.refunded == .one ? nil : "requested"
    }
    let window = Int64(configuration.money.refundWindowDays) * Calendar.day
    return !isRevoked && now < purchase.purchased * 1000 + window ? "refundable" : nil
  }

  /// `number of total until, current, remaining, forecast`; nil without a monthly commitment.
  func commitment(
    of purchase: ReferencePurchase, _ proceeds: ReferenceProceeds?, now: Int64
  ) -> String? {
    guard let commitment = purchase.commitment else { return nil }
    let isLatest = chain(purchase.original).last?.id == purchase.id
    let isUnexpired = (lapse(purchase) ?? .max) > now
    // Reading: an upgrade ends the commitment, before its successor is known.
    let isCurrent =
      isLatest && isUnexpired && purchase.revokedAt > now && !purchase.isUpgraded
    let remaining = max(0, commitment.total - commitment.number)
    let forecast =
      isCurrent ? proceeds.map { "\($0.amount * Exact(remaining)) \($0.currency)" } : nil
    return "\(commitment.number) of \(commitment.total) until \(commitment.expires), "
      + "current \(isCurrent), remaining \(remaining), forecast \(forecast ?? "-")"
  }
}
