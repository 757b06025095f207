/// Levels: values that hold until the next, integrated over time.
extension Reference {
  struct LevelKey: Hashable {
    var meter: String
    var attributes: [String: String]
  }

  typealias LevelPoints = [(time: Int64, value: Exact)]

  /// Readings that count for a transaction, its balance's levels among them.
  func sums(of id: String) -> [Priced] { openedLevels(of: id) + booked(to: id) }

  /// Unit-seconds that accrue to a transaction within [from, now), cut at prices and at `cuts`:
  /// those of its chain while the chain's purchase, and its part of its customer's.
  func integrals(
    of id: String, from: Int64 = .min, cutAt cuts: Set<Int64> = [], now: Int64
  ) -> [Priced] {
    guard let purchase = purchases[id] else { return [] }
    // After a revocation levels go on accruing as leak.
    let (start, end) = (max(purchase.purchased * 1000, from), min(paidUntil(purchase), now))
    let own = levels(of: id).flatMap { series, points in
      pieces(series, points, from: start, until: end, cutAt: cuts)
    }
    let shared = customer(of: purchase).map {
      customerIntegrals($0, heldBy: id, from: from, cutAt: cuts, now: now)
    }
    return own + (shared ?? [])
  }

  /// A balance's levels are unit-seconds already, priced at its end.
  private func openedLevels(of id: String) -> [Priced] {
    guard let opening = openings[id] else { return [] }
    return opening.readings.enumerated().filter {
      configuration.meters[$0.element.meter]?.isLevel == true
    }.map { place, reading in
      Priced(
        meter: reading.meter, attributes: declared(reading), time: opening.until,
        order: Self.balanceOrder + place, quantity: base(reading), own: reading.ownCost)
    }
  }

  /// A transaction's levels stand for its chain. Points by time; at one instant the later commit
  /// wins.
  func levels(of id: String) -> [LevelKey: LevelPoints] {
    let chain = purchases[id]?.original ?? id
    return points { subject in
      switch subject {
      case .transaction(let named), .chain(let named):
        named == id || (self.purchases[named]?.original ?? named) == chain
      case .customer: false
      }
    }
  }

  /// What accrues of a customer's levels to a transaction, or to nobody, within [from, now): at
  /// each instant to the purchase that would take the meter then.
  func customerIntegrals(
    _ customer: String, heldBy id: String?, from: Int64 = .min, cutAt cuts: Set<Int64> = [],
    now: Int64
  ) -> [Priced] {
    let series = points { subject in
      if case .customer(let named) = subject {
        return named.utf8.elementsEqual(customer.utf8)
      }
      return false
    }
    guard !series.isEmpty else { return [] }
    let all = purchases(ofCustomer: customer)
    let changes = all.flatMap { [$0.purchased * 1000, inForce($0).end, paidUntil($0)] }
    return series.flatMap { key, points in
      pieces(key, points, from: from, until: now, cutAt: cuts.union(changes)).filter {
        holder(of: key.meter, among: all, at: $0.time) == id
      }
    }
  }

  private func holder(
    of meter: String, among all: [ReferencePurchase], at time: Int64
  ) -> String? {
    let inForce = all.filter { self.inForce($0).start <= time && time < self.inForce($0).end }
    let owing = inForce.first { allowance(meter, of: $0, at: time) != nil }
    let leaking = all.first {
      max($0.purchased * 1000, $0.revokedAt) <= time && time < paidUntil($0)
    }
    return (owing ?? inForce.first ?? leaking)?.id
  }

  private func points(
    where isMeant: (ReferenceEvent.Subject) -> Bool
  ) -> [LevelKey: LevelPoints] {
    var series: [LevelKey: [Int64: Exact]] = [:]
    for entry in accepted where !entry.voided {
      guard case .usage(let subject, _, let readings) = entry.event.body, isMeant(subject) else {
        continue
      }
      for reading in readings where configuration.meters[reading.meter]?.isLevel == true {
        let key = LevelKey(meter: reading.meter, attributes: declared(reading))
        series[key, default: [:]][entry.time] = base(reading)
      }
    }
    return series.mapValues { points in
      points.sorted { $0.key < $1.key }.map { (time: $0.key, value: $0.value) }
    }
  }

  /// One series within [from, until), cut where prices and exchange rates change.
  private func pieces(
    _ key: LevelKey, _ points: LevelPoints, from: Int64, until: Int64, cutAt cuts: Set<Int64>
  ) -> [Priced] {
    let changes =
      configuration.boundaries(key.meter) + configuration.money.exchangeRates.map(\.since)
    var pieces: [Priced] = []
    for (index, point) in points.enumerated() {
      let next = index + 1 < points.count ? points[index + 1].time : .max
      let (start, stop) = (max(point.time, from), min(next, until))
      guard start < stop else { continue }
      let inside = cuts.union(changes).filter { start < $0 && $0 < stop }.sorted()
      for (begin, end) in zip([start] + inside, inside + [stop]) {
        let seconds = Exact(Int(end - begin)) / Exact(1_000_000)
        pieces.append(
          Priced(
            meter: key.meter, attributes: key.attributes, time: begin, until: end,
            quantity: point.value * seconds))
      }
    }
    return pieces
  }
}
