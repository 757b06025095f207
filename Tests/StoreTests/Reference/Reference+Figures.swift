/// One booked quantity at one instant: what is multiplied with a price.
struct Priced {
  var meter: String
  var attributes: [String: String]
  /// Of a level's piece the start.
  var time: Int64
  /// The end of a level's piece.
  var until: Int64?
  /// Place among readings of one instant; 0 for levels.
  var order = 0
  /// The event, a balance before all of them.
  var event: Int { (order - Reference.balanceOrder) / 100 }
  var quantity: Exact
  var own: (amount: Exact, currency: String)?
}

extension Reference {
  /// Quantities that wait for a purchase of the customer, by meter in base units.
  func unattributed(customer: String, now: Int64) -> [String: Exact] {
    var sums: [String: Exact] = [:]
    for entry in accepted where entry.parts == nil && !entry.voided {
      guard case .usage(.customer(customer), _, let readings) = entry.event.body else { continue }
      for reading in readings where configuration.meters[reading.meter]?.isLevel == false {
        sums[reading.meter, default: .zero] += base(reading)
      }
    }
    for piece in customerIntegrals(customer, heldBy: nil, now: now) {
      sums[piece.meter, default: .zero] += piece.quantity
    }
    return sums.filter { $0.value != .zero }
  }

  /// The answer about one transaction at `now`; nil when nothing is known of it.
  func figures(_ id: String, now: Int64) -> Figures? {
    let purchase = purchases[id]
    // Levels are the chain's: without a purchase they accrue to nobody.
    let isUsed = !sums(of: id).isEmpty
    guard purchase != nil || isUsed || cases[id]?.isEmpty == false else { return nil }
    var figures = Figures()
    figures.product = purchase?.product
    figures.customer = purchase.flatMap(customer(of:)) ?? links[id]
    figures.state = purchase.map { state(of: $0, now: now) }
    figures.start = purchase.map { $0.purchased * 1000 }
    figures.end = purchase.flatMap(periodEnd)
    let booked = sums(of: id) + integrals(of: id, now: now)
    addCosts(of: booked, to: &figures)
    addUsage(of: booked, purchase: purchase, id: id, to: &figures)
    addDecision(purchase: purchase, id: id, to: &figures)
    return figures
  }

  /// A reading's quantity in its meter's base unit.
  func base(_ reading: ReferenceReading) -> Exact {
    let meter = configuration.meters[reading.meter]
    guard let factor = reading.unit.flatMap({ meter?.units[$0] }).flatMap({ Exact($0) }) else {
      return reading.sentQuantity
    }
    return reading.sentQuantity * factor
  }

  /// The attributes that a meter declares, as its prices see them.
  func declared(_ reading: ReferenceReading) -> [String: String] {
    let names = configuration.meters[reading.meter]?.attributes ?? []
    return reading.attributes.filter { names.contains($0.key) }.mapValues(\.plain)
  }

  private func addCosts(of booked: [Priced], to figures: inout Figures) {
    var totals: [String: Exact] = [:]
    var rates: [Figures.LineKey: Exact] = [:]
    for item in booked {
      var line = Figures.LineKey(
        meter: item.meter, attributes: item.attributes, rate: "own", currency: "")
      if let own = item.own {
        line.currency = own.currency
        totals[own.currency, default: .zero] += own.amount
      } else if let rate = configuration.rate(
        meter: item.meter, attributes: item.attributes, at: item.time)
      {
        line.currency = rate.currency
        line.rate = rate.label
        rates[line] = rate.each
      } else {
        if configuration.hasRates(item.meter) {
          figures.unpriced[item.meter, default: .zero] += item.quantity
        }
        continue
      }
      figures.lines[line, default: .zero] += item.quantity
    }
    for (line, each) in rates {
      totals[line.currency, default: .zero] += each * (figures.lines[line] ?? .zero)
    }
    figures.lines = figures.lines.filter { $0.value != .zero }
    figures.unpriced = figures.unpriced.filter { $0.value != .zero }
    // Less than is printed is printed as nothing.
    figures.totals = totals.mapValues(\.description).filter { $0.value != "0" }
    figures.complete = figures.unpriced.isEmpty
  }

  private func addUsage(
    of booked: [Priced], purchase: ReferencePurchase?, id: String, to figures: inout Figures
  ) {
    var used: [String: Exact] = [:]
    for item in booked { used[item.meter, default: .zero] += item.quantity }
    let allowed = allowance(of: purchase, id: id)
    for meter in Set(used.keys).union(allowed.keys) {
      let sum = used[meter] ?? .zero
      let share = allowed[meter].flatMap { $0 == .zero ? nil : sum / $0 }
      if sum == .zero, allowed[meter] == nil { continue }
      figures.usage[meter] = Figures.Usage(
        unit: configuration.meters[meter]?.unit ?? "", used: sum, allowed: allowed[meter],
        share: share.flatMap { ($0 * Exact(100_000)).floored.integer })
    }
  }

  /// Allowance × quantity × intervals, or the purchase's own.
  func allowance(of purchase: ReferencePurchase?, id: String) -> [String: Exact] {
    guard let purchase else { return [:] }
    var allowed: [String: Exact] = [:]
    if let product = configuration.products[purchase.product] {
      let times = Exact(purchase.quantity * intervals(of: purchase, months: product.everyMonths))
      for (meter, text) in product.allowance {
        allowed[meter] = ReferenceConfiguration.amount(text) * times
      }
    }
    for (meter, text) in allowances[id] ?? [:] { allowed[meter] = Exact(text) }
    return allowed
  }

  func intervals(of purchase: ReferencePurchase, months: Int?) -> Int {
    guard let months, let end = periodEnd(purchase) else { return 1 }
    let anchor = purchase.purchased * 1000
    var count = 0
    var number = 0
    while true {
      let start = Calendar.adding(months: months * number, to: anchor)
      let next = Calendar.adding(months: months * (number + 1), to: anchor)
      guard start < end else { return max(count, 1) }
      // One that begins inside counts if at least half of it lies inside.
      if (min(next, end) - start) * 2 >= next - start { count += 1 }
      number += 1
    }
  }

  private func addDecision(purchase: ReferencePurchase?, id: String, to figures: inout Figures) {
    let product = purchase.flatMap { configuration.products[$0.product] }
    let isUsed = figures.usage.values.contains { $0.used != .zero }
    let assumed = isUsed || product?.deliveredOnPurchase == true
    figures.delivery = deliveries[id] ?? (assumed ? "DELIVERED" : nil)
    guard let purchase, !purchase.isAutoRenewable else { return }
    if figures.delivery?.hasPrefix("UNDELIVERED") == true {
      figures.percentage = 0
    } else {
      figures.percentage = figures.usage.values.compactMap(\.share).max().map { min($0, 100_000) }
    }
  }

  private func state(of purchase: ReferencePurchase, now: Int64) -> String {
    if purchase.revokedAt <= now { return purchase.refunded > .zero ? "refunded" : "revoked" }
    if pendingCase(purchase.id, now: now) != nil { return "refund_requested" }
    if purchase.isUpgraded { return "superseded" }
    let isRenewed = chain(purchase.original).contains {
      $0.purchased > purchase.purchased && $0.purchased * 1000 <= now
    }
    if isRenewed { return "superseded" }
    if let lapse = lapse(purchase), lapse <= now { return "expired" }
    if let end = periodEnd(purchase), end <= now { return "grace" }
    return "active"
  }
}
