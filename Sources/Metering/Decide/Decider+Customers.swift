/// Attribution by customer, contract §3.1: decided per event when it commits, and stays.
extension Decider {
  /// Where the readings of a customer's event go; nil when they have to wait.
  func attribute(
    _ readings: [AttributedReading], ofCustomer key: ByteString, at time: Int64,
    knowing knowledge: any Knowledge
  ) throws -> Attribution? {
    let sums = readings.filter { !$0.isLevel }
    var attribution = Attribution()
    let view = try customerView(key, knowing: knowledge)
    if !sums.isEmpty {
      let inForce = view.inForce(at: time)
      if !inForce.isEmpty {
        try attribution.split(sums, between: inForce, at: time) {
          try use(of: $0, knowing: knowledge)
        }
      } else if let leaking = view.leaking(at: time) {
        attribution.book(sums, to: leaking)
      } else {
        return nil
      }
    }
    let holders = Set(readings.filter(\.isLevel).map { view.holder(of: $0.meter, at: time)?.id })
    for candidate in view.candidates {
      let isBefore = candidate.period.record.isBeforeOpening(time)
      guard candidate.isRevoked || isBefore,
        holders.contains(candidate.id)
          || attribution.parts.contains(where: { $0.booked == candidate.id })
      else { continue }
      if isBefore { attribution.isBeforeOpening = true }
      if candidate.isRevoked {
        attribution.revoked.append(
          RevokedPurchase(transactionId: candidate.id, customer: key))
      }
    }
    attribution.add(levels: readings, under: key.customerSeries)
    return attribution
  }

  /// The customer's purchases, from memory or by look-ups.
  func customerView(
    _ key: ByteString, knowing knowledge: any Knowledge
  ) throws -> CustomerView {
    if let known = customerViews[key] { return known }
    var chains = Set<ByteString>()
    for id in try knowledge.transactions(ofCustomer: key) {
      if let chain = try record(id, knowing: knowledge)?.chain { chains.insert(chain) }
    }
    for id in pending.tokens[key] ?? [] {
      if let chain = pending.records[id]?.chain { chains.insert(chain) }
    }
    for (chain, customer) in pending.links where customer.customerKey == key {
      chains.insert(chain)
    }
    var candidates: [CustomerView.Candidate] = []
    for original in chains {
      let linked = try link(original, knowing: knowledge)
      let view = try chain(original, knowing: knowledge)
      for period in ChainView(view.periods.map(\.record), configuration: configuration).periods {
        let customer = linked?.customerKey ?? period.purchase.accountToken
        guard customer == key else { continue }
        candidates.append(
          CustomerView.Candidate(period: period, label: cached(period.record).label))
      }
    }
    let view = CustomerView(candidates)
    if customerViews.count >= Limits.customerViews { forgetCustomers() }
    customerViews[key] = view
    return view
  }

  /// What a purchase has used, with this commit's events.
  private func use(
    of candidate: CustomerView.Candidate, knowing knowledge: any Knowledge
  ) throws -> PurchaseUse {
    if let known = purchaseUses[candidate.id] { return known.use }
    var use = PurchaseUse()
    if candidate.isByInterval {
      for location in try knowledge.trail(of: candidate.id) {
        try knowledge.fact(at: location).forEachChange { event, sign in
          for reading in event.readings where reading.booked == candidate.id && !reading.isLevel {
            let meter = reading.series.meter
            use.add(
              reading.quantity * sign, meter,
              interval: candidate.interval(at: event.time, of: meter))
          }
        }
      }
    } else {
      for line in try knowledge.usage(of: candidate.id) {
        use.add(line.quantity, line.meter, interval: 0)
      }
    }
    for booked in pending.uses[candidate.id] ?? [] {
      use.add(
        booked.quantity, booked.meter,
        interval: candidate.interval(at: booked.time, of: booked.meter))
    }
    purchaseUses[candidate.id] = (candidate, use)
    return use
  }

  /// Keeps what customers' purchases have used up to date.
  func note(_ quantity: Int128, of meter: ByteString, at time: Int64, bookedTo id: ByteString) {
    pending.uses[id, default: []].append(
      PendingUse(meter: meter, time: time, quantity: quantity))
    guard let known = purchaseUses[id] else { return }
    purchaseUses[id]?.use.add(
      quantity, meter, interval: known.candidate.interval(at: time, of: meter))
  }

  /// Forgets customers' purchases: something about them changed, or may have.
  func forgetCustomers() {
    customerViews.empty()
    purchaseUses.empty()
  }
}

/// A reading of this commit, for purchases whose use is looked up later in it.
struct PendingUse {
  var meter: ByteString
  var time: Int64
  var quantity: Int128
}

extension Attribution {
  /// Books whole readings to one purchase.
  mutating func book(_ readings: [AttributedReading], to candidate: CustomerView.Candidate) {
    parts += readings.map {
      AttributedPart(
        number: $0.number, booked: candidate.id, label: candidate.label, quantity: $0.quantity,
        amount: $0.amount)
    }
  }

  /// Levels stand under a series of their own and are attributed when read.
  mutating func add(levels readings: [AttributedReading], under series: ByteString) {
    parts += readings.filter(\.isLevel).map {
      AttributedPart(
        number: $0.number, booked: series, label: 0, quantity: $0.quantity, amount: $0.amount)
    }
  }

  /// The driver rule: the first reading with an allowance anywhere is split where allowances end,
  /// and the other readings follow its first part.
  mutating func split(
    _ readings: [AttributedReading], between inForce: [CustomerView.Candidate], at time: Int64,
    use: (CustomerView.Candidate) throws -> PurchaseUse
  ) throws {
    let driver = readings.first { reading in
      inForce.contains { $0.allowance(of: reading.meter, at: time) != nil }
    }
    guard let driver else { return book(readings, to: inForce[0]) }
    let owing = inForce.filter { $0.allowance(of: driver.meter, at: time) != nil }
    var shares: [(candidate: CustomerView.Candidate, quantity: Int128)] = []
    var rest = driver.quantity
    for (index, candidate) in owing.enumerated() {
      let isLast = index == owing.count - 1 || shares.count == Limits.splitPurchases - 1
      guard let allowance = candidate.allowance(of: driver.meter, at: time) else { continue }
      let used = try use(candidate).quantity(driver.meter, interval: allowance.interval)
      let left = max(0, allowance.quantity - max(0, used))
      let share = isLast ? rest : min(rest, left)
      if share > 0 || (isLast && shares.isEmpty) || (rest == 0 && left > 0 && shares.isEmpty) {
        shares.append((candidate, share))
      }
      rest -= share
      if isLast || (rest == 0 && !shares.isEmpty) { break }
    }
    parts += Self.parts(of: driver, shares)
    book(readings.filter { $0.number != driver.number }, to: shares[0].candidate)
    parts.sort { $0.number < $1.number }
  }

  /// Parts that add up to the driver, its own cost included: beside each part whose cost doesn't
  /// come out even in 10^-15 stands what is left of it, as a part of no quantity.
  private static func parts(
    of driver: AttributedReading,
    _ shares: [(candidate: CustomerView.Candidate, quantity: Int128)]
  ) -> [AttributedPart] {
    let costs = driver.cost(by: shares.map(\.quantity))
    return zip(shares, costs).flatMap { share, cost -> [AttributedPart] in
      let part = AttributedPart(
        number: driver.number, booked: share.candidate.id, label: share.candidate.label,
        quantity: share.quantity, amount: cost.whole)
      guard cost.rest != 0 else { return [part] }
      var left = part
      left.quantity = 0
      left.amount = cost.rest
      left.parts = cost.parts
      return [part, left]
    }
  }
}
