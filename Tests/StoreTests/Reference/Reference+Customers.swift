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
    for index in accepted.indices.sorted(by: {
      (accepted[$0].time, $0) < (accepted[$1].time, $1)
    }) where accepted[index].parts == nil && !accepted[index].voided {
      attribute(index)
    }
  }

  /// Gives a customer's event to its purchases, or leaves it waiting.
  mutating func attribute(_ index: Int) {
    let time = accepted[index].time
    guard case .usage(.customer(let customer), _, let readings) = accepted[index].event.body else {
      return
    }
    let sums = readings.indices.filter {
      configuration.meters[readings[$0].meter]?.isLevel == false
    }
    guard !sums.isEmpty else { return }
    let all = purchases(ofCustomer: customer)
    let inForce = all.filter { self.inForce($0).start <= time && time < self.inForce($0).end }
    if inForce.isEmpty {
      let leaking = all.first {
        max($0.purchased * 1000, $0.revokedAt) <= time && time < paidUntil($0)
      }
      if let leaking {
        accepted[index].parts = sums.map { whole(readings[$0], $0, to: leaking.id) }
      }
      return
    }
    accepted[index].parts = split(readings, sums, between: inForce, at: time)
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
    var amountLeft = readings[driver].ownCost?.amount ?? .zero
    for purchase in owing {
      let allowed = allowance(meter, of: purchase, at: time) ?? .zero
      let used = used(meter, of: purchase, inIntervalOf: time)
      let left = allowed > used ? allowed - used : .zero
      let isLast = purchase.id == owing[owing.count - 1].id
      let share = isLast || rest < left ? rest : left
      let isNothing = share == .zero && !(rest == .zero && left > .zero) && !isLast
      if isNothing || (share == .zero && !parts.isEmpty) { continue }
      rest = rest - share
      var amount = amountLeft
      if rest > .zero {
        let exact = (readings[driver].ownCost?.amount ?? .zero) * share / total
        let scale = Digits.powerOfTen(15)
        amount = Exact((exact * Exact(scale)).floored, over: scale)
      }
      amountLeft = amountLeft - amount
      parts.append(
        Part(reading: driver, booked: purchase.id, quantity: share, amount: amount))
      if rest == .zero { break }
    }
    return parts
      + sums.filter { $0 != driver }.map { whole(readings[$0], $0, to: parts[0].booked) }
  }

  /// What one interval of a purchase entitles to, or its own allowance.
  private func allowance(
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
      var number = 0
      while Calendar.adding(months: months * (number + 1), to: purchase.purchased * 1000) <= instant
      {
        number += 1
      }
      return number
    }
    var sum = Exact.zero
    for (entry, booked) in booked(to: purchase.id)
    where booked.meter == meter && interval(entry.time) == interval(time) {
      sum += booked.quantity
    }
    return sum
  }

  /// A sum reading, or the part of one, that counts for a transaction.
  struct Booked {
    var meter: String
    var attributes: [String: String]
    var quantity: Exact
    var own: (amount: Exact, currency: String)?
  }

  /// Every sum reading that counts for a transaction, in order of arrival.
  func booked(to id: String) -> [(entry: Accepted, booked: Booked)] {
    accepted.filter { !$0.voided }.flatMap { entry -> [(entry: Accepted, booked: Booked)] in
      guard case .usage(let subject, _, let readings) = entry.event.body else { return [] }
      let parts: [Part]
      if case .customer = subject {
        parts = (entry.parts ?? []).filter { $0.booked == id }
      } else if booking(of: subject, at: entry.time) == id {
        parts = readings.indices.map { whole(readings[$0], $0, to: id) }
      } else {
        return []
      }
      return parts.compactMap { part -> (entry: Accepted, booked: Booked)? in
        let reading = readings[part.reading]
        guard configuration.meters[reading.meter]?.isLevel == false else { return nil }
        let own = reading.ownCost.map { (amount: part.amount, currency: $0.currency) }
        return (
          entry,
          Booked(
            meter: reading.meter, attributes: declared(reading), quantity: part.quantity,
            own: own)
        )
      }
    }
  }
}
