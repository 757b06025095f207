extension Reference {
  /// Sum readings that wait for a purchase: those of chains without one then, and of customers.
  var waitingReadings: Int64 {
    var count: Int64 = 0
    for entry in accepted where !entry.voided {
      guard case .usage(let subject, _, let readings) = entry.event.body else { continue }
      let isWaiting: Bool
      switch subject {
      case .transaction: isWaiting = false
      case .chain: isWaiting = entry.place == nil
      case .customer: isWaiting = entry.parts == nil
      }
      guard isWaiting else { continue }
      count += Int64(
        readings.filter { configuration.meters[$0.meter]?.isLevel == false }.count)
    }
    return count
  }

  /// What metrics should tell of all purchases, by family and labels: each the sum of what single
  /// purchases say.
  func rollUp(of ids: [String], now: Int64) -> [String: Exact] {
    var sums: [String: Exact] = [:]
    for id in ids {
      guard let figures = figures(id, now: now) else { continue }
      addCase(proposal(id, figures: figures, now: now), id, to: &sums, now: now)
      guard let purchase = purchases[id], let state = figures.state else { continue }
      let isNamed = configuration.products[purchase.product] != nil
      let place = (isNamed ? purchase.product : "_other", purchase.environment)
      sums["purchases \(state) \(place.1)", default: .zero] += .one
      func add(_ money: [String: Exact], _ family: String, _ risk: String = "-") {
        for (currency, amount) in money {
          sums["\(family) \(risk) \(place.0) \(currency) \(place.1)", default: .zero] += amount
        }
      }
      let cost = cost(of: self.sums(of: id) + integrals(of: id, now: now))
      let leak = self.cost(of: leak(of: purchase, now: now))
      let proceeds = proceeds(of: purchase, now: now)
      if let proceeds { add([proceeds.currency: proceeds.amount], "proceeds") }
      if let risk = riskClass(of: purchase, now: now) {
        add(cost.totals, "costAtRisk", risk)
        if let proceeds { add([proceeds.currency: proceeds.kept], "proceedsAtRisk", risk) }
      }
      add(leak.settled(configuration), "leak")
      let loss = realisedLoss(of: purchase, proceeds, cost: cost, leak: leak, now: now)
      add(loss ?? [:], "realisedLoss")
    }
    return sums.filter { $0.value != .zero }
  }

  private func addCase(
    _ proposal: Proposal, _ id: String, to sums: inout [String: Exact], now: Int64
  ) {
    guard let last = cases[id]?.last, last.state(isSandbox: isSandbox(id), now: now) == "open"
    else { return }
    sums["openCases \(proposal.gate ?? "none")", default: .zero] += .one
  }

  /// The soonest end of the time to answer an open case.
  func nextDeadline(now: Int64) -> Int64? {
    cases.compactMap { id, list -> Int64? in
      let isSandbox = isSandbox(id)
      guard let last = list.last, last.state(isSandbox: isSandbox, now: now) == "open" else {
        return nil
      }
      return last.respondBy(isSandbox: isSandbox)
    }.min()
  }
}
