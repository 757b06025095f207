/// Whose purchases take a customer's usage: looked for anew for each event, by walking through
/// everything.
extension Reference {
  func customer(of purchase: ReferencePurchase) -> String? {
    links[purchase.original] ?? purchase.accountToken
  }

  /// The customer's purchases in the order in which they are used up.
  func purchases(ofCustomer customer: String) -> [ReferencePurchase] {
    let own = purchases.values.filter {
      self.customer(of: $0).map { $0.utf8.elementsEqual(customer.utf8) } ?? false
    }
    return own.sorted { left, right in
      let first = [
        Int64(configuration.products[left.product]?.priority ?? 0), inForce(left).end,
        left.purchased,
      ]
      let second = [
        Int64(configuration.products[right.product]?.priority ?? 0), inForce(right).end,
        right.purchased,
      ]
      return first == second ? left.id < right.id : first.lexicographicallyPrecedes(second)
    }
  }

  /// Offers every waiting event to the purchases known now, by time and order of arrival.
  mutating func attributeWaiting() {
    moveChains()
    for index in accepted.indices.sorted(by: {
      (accepted[$0].time, $0) < (accepted[$1].time, $1)
    }) where accepted[index].parts == nil && !accepted[index].voided {
      attribute(index)
    }
  }

  /// Gives chains' events to the purchases in force at their times by what is known now. Reading:
  /// a balance holds what was used before its end, so such events stay where they are.
  private mutating func moveChains() {
    for (index, entry) in accepted.enumerated() {
      guard case .usage(let subject, _, _) = entry.event.body, case .chain = subject else {
        continue
      }
      let place = booking(of: subject, at: entry.time)
      let isInBalance = place.flatMap { openings[$0] }.map { entry.time < $0.until } ?? false
      if !isInBalance { accepted[index].place = place }
    }
  }

  /// Gives a customer's event to its purchases, or leaves it waiting.
  mutating func attribute(_ index: Int) {
    let time = accepted[index].time
    guard case .usage(.customer(let customer), _, let readings) = accepted[index].event.body else {
      return
    }
    let parts = parts(of: readings, customer: customer, at: time)
    let isInBalance = parts?.contains { time < openings[$0.booked]?.until ?? .min } ?? false
    accepted[index].parts = isInBalance ? nil : parts
  }

  /// What purchases take of a customer's readings; nil while none can.
  private func parts(
    of readings: [ReferenceReading], customer: String, at time: Int64
  ) -> [Part]? {
    let sums = readings.indices.filter {
      configuration.meters[readings[$0].meter]?.isLevel == false
    }
    guard !sums.isEmpty else { return nil }
    let all = purchases(ofCustomer: customer)
    let inForce = all.filter { self.inForce($0).start <= time && time < self.inForce($0).end }
    guard inForce.isEmpty else { return split(readings, sums, between: inForce, at: time) }
    let leaking = all.first {
      max($0.purchased * 1000, $0.revokedAt) <= time && time < paidUntil($0)
    }
    return leaking.map { one in sums.map { whole(readings[$0], $0, to: one.id) } }
  }

  /// The end of the balance that would hold an event at an instant already; nil without one.
  func openingEnd(
    of subject: ReferenceEvent.Subject, _ readings: [ReferenceReading], at time: Int64
  ) -> Int64? {
    guard case .customer(let customer) = subject else {
      return booking(of: subject, at: time).flatMap { openings[$0]?.until }
    }
    let taking = parts(of: readings, customer: customer, at: time) ?? []
    return taking.compactMap { openings[$0.booked]?.until }.max()
  }

  private func whole(_ reading: ReferenceReading, _ number: Int, to id: String) -> Part {
    Part(
      reading: number, booked: id, quantity: base(reading),
      amount: reading.ownCost?.amount ?? .zero)
  }

  private func split(
    _ readings: [ReferenceReading], _ sums: [Int], between inForce: [ReferencePurchase],
    at time: Int64
  ) -> [Part] {
    let driver = sums.first { number in
      inForce.contains { allowance(readings[number].meter, of: $0, at: time) != nil }
    }
    guard let driver else { return sums.map { whole(readings[$0], $0, to: inForce[0].id) } }
    let meter = readings[driver].meter
    let owing = inForce.filter { allowance(meter, of: $0, at: time) != nil }
    var rest = base(readings[driver])
    let total = rest
    var parts: [Part] = []
    let cost = readings[driver].ownCost?.amount ?? .zero
    for purchase in owing {
      let allowed = allowance(meter, of: purchase, at: time) ?? .zero
      let used = used(meter, of: purchase, inIntervalOf: time)
      let left = allowed > used ? allowed - used : .zero
      let isLast = purchase.id == owing[owing.count - 1].id
      let share = isLast || rest < left ? rest : left
      let isNothing = share == .zero && !(rest == .zero && left > .zero) && !isLast
      if isNothing || (share == .zero && !parts.isEmpty) { continue }
      rest = rest - share
      parts.append(
        Part(
          reading: driver, booked: purchase.id, quantity: share,
          amount: total == .zero ? cost : cost * share / total))
      if rest == .zero { break }
    }
    return parts
      + sums.filter { $0 != driver }.map { whole(readings[$0], $0, to: parts[0].booked) }
  }

  /// What one interval of a purchase entitles to, or its own allowance.
  func allowance(
    _ meter: String, of purchase: ReferencePurchase, at time: Int64
  ) -> Exact? {
    if let own = allowances[purchase.id]?[meter] { return Exact(own) }
    guard let text = configuration.products[purchase.product]?.allowance[meter] else { return nil }
    return ReferenceConfiguration.amount(text) * Exact(purchase.quantity)
  }

  private func used(
    _ meter: String, of purchase: ReferencePurchase, inIntervalOf time: Int64
  ) -> Exact {
    let months =
      allowances[purchase.id]?[meter] == nil
      ? configuration.products[purchase.product]?.everyMonths : nil
    func interval(_ instant: Int64) -> Int {
      guard let months else { return 0 }
      // Days that Apple gave on top make no other interval.
      let last = periodEnd(purchase) == nil ? .max : intervals(of: purchase, months: months) - 1
      var number = 0
      while number < last,
        Calendar.adding(months: months * (number + 1), to: purchase.purchased * 1000) <= instant
      {
        number += 1
      }
      return number
    }
    var sum = Exact.zero
    for booked in booked(to: purchase.id)
    where booked.meter == meter && interval(booked.time) == interval(time) {
      sum += booked.quantity
    }
    return sum
  }

  /// Order of a balance's first reading: all of them come before any event's, each in its place.
  static let balanceOrder = -100

  /// Every sum reading that counts for a transaction, in order of arrival, its opening balance
  /// first.
  func booked(to id: String) -> [Priced] {
    let opening = openings[id]
    let balance = (opening?.readings ?? []).enumerated().filter {
      configuration.meters[$0.element.meter]?.isLevel == false
    }
    let opened = balance.map {
      priced(
        $0.element, whole($0.element, 0, to: id), at: opening?.until ?? 0,
        order: Self.balanceOrder + $0.offset)
    }
    return opened
      + accepted.enumerated().filter { !$0.element.voided }.flatMap { number, entry -> [Priced] in
        guard case .usage(let subject, _, let readings) = entry.event.body else { return [] }
        let parts: [Part] =
          switch subject {
          case .customer: (entry.parts ?? []).filter { $0.booked == id }
          case .chain where entry.place == id, .transaction(id):
            readings.indices.map { whole(readings[$0], $0, to: id) }
          case .chain, .transaction: []
          }
        return parts.compactMap { part -> Priced? in
          let reading = readings[part.reading]
          guard configuration.meters[reading.meter]?.isLevel == false else { return nil }
          return priced(reading, part, at: entry.time, order: number * 100 + part.reading)
        }
      }
  }

  private func priced(
    _ reading: ReferenceReading, _ part: Part, at time: Int64, order: Int
  ) -> Priced {
    Priced(
      meter: reading.meter, attributes: declared(reading), time: time, order: order,
      quantity: part.quantity, own: reading.ownCost.map { (part.amount, $0.currency) })
  }
}
