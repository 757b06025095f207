import Metering

/// Purchases, what is told of them, and requests for their money.
extension Simulation {
  mutating func happen() {
    guard let told = store.happen(&seed) else { return }
    outbox.append(told)
  }

  /// The oldest mostly, sometimes any, sometimes one again under its id or a new one.
  mutating func deliver() throws {
    // Apple repeats one for a week; ids are remembered for a month.
    let repeatable = delivered.filter { $0.at > server.clock.truth - 20 * Calendar.day }
    if !repeatable.isEmpty, seed.chance(12) {
      var again = seed.pick(repeatable).told
      if seed.chance(30) {
        serial += 1
        again.id += "-\(serial)"
      }
      return try notify(again)
    }
    guard !outbox.isEmpty else { return }
    let index = seed.chance(55) ? 0 : seed.below(outbox.count)
    let told = outbox.remove(at: index)
    delivered.append((told, server.clock.truth))
    try notify(told)
  }

  private mutating func notify(_ told: ReferenceNotification) throws {
    tell("\(told)")
    let expected = reference.notify(told, now: now)
    let (outcome, isRepeated) = try attempt { try $0.tell(LifeChange.notification(told)) }
    switch (outcome, expected) {
    case (.notified, .taken) where isRepeated: return
    case (.environmentMismatch, .mismatch): return
    case (.notified(let seen), .duplicate) where seen.isDuplicate && !seen.isApplied: return
    case (.notified(let seen), .taken(let refundCase))
    where !seen.isDuplicate && seen.refundCase?.text.string == refundCase: return
    default: fail("\(told) answered \(outcome as Any), expected \(expected)")
    }
  }

  mutating func putPayload() throws {
    guard let id = store.purchases.keys.sorted().randomElement(using: &seed),
      var purchase = store.purchases[id]
    else { return }
    purchase.signed = store.sign()
    let isSigned = seed.chance(40)
    if !isSigned, seed.chance(30) { purchase.environment = "Sandbox" }
    tell("\(isSigned ? "signed" : "unsigned") \(purchase)")
    let expected = reference.take(purchase, isSigned: isSigned)
    let (outcome, isRepeated) = try attempt {
      try $0.tell(isSigned ? LifeChange.signed(purchase) : .unsigned(purchase))
    }
    switch (outcome, expected) {
    case (.updated, .created) where isRepeated: return
    case (.updated, .updated) where isRepeated: return
    case (.created, .created), (.environmentMismatch, .mismatch): return
    case (.updated(let applied), .updated(let wanted)) where applied == wanted: return
    default: fail("\(purchase) answered \(outcome as Any), expected \(expected)")
    }
  }

  mutating func tellFact() throws {
    let id = seed.pick(LifeWorld.transactions)
    let customer = seed.pick(World.customers)
    switch seed.below(6) {
    case 0:
      let status = seed.pick(["DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_OTHER"])
      reference.putDelivery(id, status: status)
      try expectStored { try $0.tell(Change.delivery(id: id, status: status)) }
      tell("delivery of \(id): \(status)")
    case 1:
      reference.putCustomer(id, customer: customer)
      tell("\(id) is \(customer)'s")
      try expectStored { try $0.tell(Change.customer(id: id, customer: customer)) }
    case 2:
      let amounts = ["credits": "\(1 + seed.below(9000)).5"]
      reference.putAllowance(id, amounts)
      tell("allowance of \(id): \(amounts)")
      try expectStored { try $0.tell(Change.allowance(id: id, amounts: amounts)) }
    case 3: try openBalance(of: id)
    default:
      let consented = seed.chance(85)
      let time = fresh(now - Int64(seed.below(3)) * Calendar.day)
      reference.consent(customer, consented, at: time)
      tell("\(customer) consents \(consented) at \(Calendar.text(time))")
      try expectStored {
        try $0.tell(LifeChange.consent(customer: customer, consented: consented, at: time))
      }
    }
  }

  private mutating func expectStored(
    _ tell: (SimulatedServer) throws -> CommandOutcome?
  ) throws {
    let outcome = try attempt(tell).answer
    if outcome != .stored { fail("a fact answered \(outcome as Any)") }
  }

  private mutating func openBalance(of id: String) throws {
    let until = fresh(now - Int64(seed.below(20)) * Calendar.day)
    // What a balance once held stays in it: whether a later one with an earlier end gives usage
    // back isn't said.
    if until < reference.openings[id]?.until ?? .min { return }
    var readings = [ReferenceReading(meter: "credits", quantity: "\(seed.below(4000))")]
    if stepsOut == nil, seed.chance(50) {
      readings.append(ReferenceReading(meter: "gpu_time", quantity: "2", unit: "h"))
      readings.append(ReferenceReading(meter: "storage", quantity: "9e14"))
    }
    tell("opening of \(id) at \(Calendar.text(until)): \(readings)")
    reference.open(id, until: until, readings)
    try expectStored {
      try $0.tell(LifeChange.opening(id: id, until: until, readings: readings))
    }
  }

  mutating func request() throws {
    let id = seed.pick(LifeWorld.transactions)
    let reason = seed.pick(["OTHER", "UNSATISFIED_WITH_PURCHASE", nil])
    let number = reference.ask(id, reason: reason, now: now)
    tell("request for \(id)")
    let outcome = try attempt { try $0.tell(LifeChange.request(id: id, reason: reason)) }.answer
    switch outcome {
    case .refundCase(.opened(let standing)), .refundCase(.joined(let standing)):
      if standing.id.text.string == "\(id):\(number)" { return }
    default: break
    }
    fail("request for \(id) answered \(outcome as Any), expected \(number)")
  }
}
