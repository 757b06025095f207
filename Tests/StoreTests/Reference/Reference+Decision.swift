/// The answer to propose, by the contract's gates and rules in their order.
extension Reference {
  struct Proposal: Equatable {
    var gate: String?
    /// `status percentage preference sample`; nil with a gate.
    var request: String?
  }

  func proposal(_ id: String, figures: Figures, now: Int64) -> Proposal {
    guard let pending = pendingCase(id, now: now) else { return Proposal(gate: "no_case") }
    guard let purchase = purchases[id] else { return Proposal(gate: "unknown_purchase") }
    let conditions = [
      ("revoked", purchase.revokedAt <= now), ("answered", pending.response != nil),
      ("late", pending.respondBy(isSandbox: isSandbox(id)) <= now),
      ("not_consented", !hasConsent(purchase)),
      ("family_shared", purchase.ownership == "FAMILY_SHARED"),
      ("assigned", purchase.ownership == "ASSIGNED"),
      ("advanced_commerce", purchase.isAdvancedCommerce),
      ("delivery_unknown", figures.delivery == nil),
    ]
    if let gate = conditions.first(where: \.1)?.0 { return Proposal(gate: gate) }
    let delivery = figures.delivery ?? ""
    let (preference, sharesUsage) = rule(pending, purchase, figures, now: now)
    let isUndelivered = delivery.hasPrefix("UNDELIVERED")
    let share = isUndelivered ? 0 : Self.share(figures)
    let percentage = purchase.isAutoRenewable || !sharesUsage ? nil : share
    let sample = configuration.products[purchase.product]?.sampleContentProvided ?? false
    return Proposal(
      request: "\(delivery) \(percentage.map(String.init) ?? "-") \(preference ?? "-") \(sample)")
  }

  /// The largest of the meters' shares, floored and capped.
  static func share(_ figures: Figures) -> Int? {
    figures.usage.values.compactMap(\.share).max().map { min($0, 100_000) }
  }

  /// The preference, and whether usage may be told.
  private func rule(
    _ pending: ReferenceCase, _ purchase: ReferencePurchase, _ figures: Figures, now: Int64
  ) -> (preference: String?, sharesUsage: Bool) {
    if figures.delivery?.hasPrefix("UNDELIVERED") == true { return ("GRANT_FULL", true) }
    if pending.reason == "LEGAL" { return ("GRANT_FULL", true) }
    let allowed = Int64(configuration.money.staleAfterMinutes) * Calendar.minute
    // Reading: the request is when it was received; marks that came since count.
    let isStale = marks.values.contains { $0 < pending.received - allowed }
    guard let share = Self.share(figures), !isStale else { return (nil, false) }
    let own = pending.reason.flatMap { configuration.money.byReason[$0] }
    let limits = own ?? configuration.money.thresholds
    if share <= limits.grantAtOrBelow { return ("GRANT_FULL", true) }
    if share >= limits.declineAt { return ("DECLINE", true) }
    guard purchase.isAutoRenewable else {
      return (0 < share && share < 100_000 ? "GRANT_PRORATED" : nil, true)
    }
    guard let end = periodEnd(purchase) else { return (nil, true) }
    let start = purchase.purchased * 1000
    let elapsed = Exact(Int(min(max(now, start), end) - start)) / Exact(Int(end - start))
    return (Exact(share) / Exact(100_000) > elapsed ? nil : "GRANT_PRORATED", true)
  }

  /// Reading: of what a customer and, for a minor, a parent said, the newest counts.
  private func hasConsent(_ purchase: ReferencePurchase) -> Bool {
    let own = customer(of: purchase).flatMap { consents[$0] } ?? []
    let parents = purchase.appTransaction.flatMap { rescinded[$0] } ?? []
    let all = own + parents.map { (consented: false, at: $0) }
    return all.max { $0.at < $1.at }?.consented ?? false
  }
}
