/// One random history, told step by step to the product and to the reference.
struct History {
  let subject: any Subject
  var reference: Reference
  var seed: Seed
  var world: World
  /// What went wrong, in words; empty while both agree.
  private(set) var faults: [String] = []
  private(set) var steps = 0

  private var sent: [ReferenceEvent] = []
  private var unheard: [Int]
  private var unheardPeriods: [ReferencePurchase]
  private var signed: Int64 = 1_700_000_000_000
  private var serial = 0
  private var markedThrough: Int64 = 0

  init(subject: any Subject, seed: UInt64, world: World) throws {
    self.subject = subject
    self.world = world
    self.seed = Seed(seed)
    reference = Reference(world.configuration)
    unheard = Array(World.transactions.indices)
    unheardPeriods = world.periods()
  }

  /// Goes on for `count` steps, then compares everything; stops at the first fault.
  mutating func run(steps count: Int) throws {
    for _ in 0..<count where faults.isEmpty {
      steps += 1
      try step()
    }
    if faults.isEmpty { try compareAll() }
  }

  private mutating func step() throws {
    switch seed.below(100) {
    case ..<55: try sendBatch()
    case ..<67: try registerPurchase()
    case ..<75: try changeFacts()
    case ..<79: try subject.flush()
    case ..<83: try subject.merge()
    case ..<86: try subject.restart(killing: seed.chance(50))
    case ..<88: try changePrices()
    default: try compare(seed.pick(World.transactions + [World.chain, World.chain + "1"]))
    }
  }

  private mutating func fail(_ text: String) { faults.append("step \(steps): \(text)") }
}

// MARK: Telling both

extension History {
  private mutating func sendBatch() throws {
    let size = seed.pick([1, 1, 2, 3, 7, 20, Chance.isLong ? 64 : 8])
    let events = (0..<size).map { _ in nextEvent() }
    sent += events
    let lines = events.map { $0.line(randomStyle(of: $0)) }
    let now = subject.now
    let expected = BatchAnswer(events.map { reference.take($0, now: now) })
    let answer = try subject.send(lines)
    guard answer != expected else { return }
    let wrong = (answer.results + expected.results).filter {
      !(answer.results.contains($0) && expected.results.contains($0))
    }
    let shown = wrong.map { "\($0.verdict) for \(lines[$0.index])" }
    fail("answered \(answer), expected \(expected); differs: \(shown)")
  }

  private mutating func registerPurchase() throws {
    if !unheard.isEmpty, seed.chance(70) {
      let number = unheard.remove(at: seed.below(unheard.count))
      signed += 1000
      return try tell(.purchase(world.purchase(number, signed: signed, seed: &seed)))
    }
    if !unheardPeriods.isEmpty, seed.chance(70) {
      // In any order: usage of a late purchase was another's until then.
      let period = unheardPeriods.remove(at: seed.below(unheardPeriods.count))
      return try tell(.purchase(period))
    }
    let ids = World.transactions + world.periods().map(\.id)
    guard
      var known = ids.compactMap({ reference.purchases[$0] }).randomElement(using: &seed)
    else { return }
    signed += 1000
    known.signed = seed.chance(60) ? signed : known.signed - 1
    known.quantity = 1 + seed.below(3)
    if seed.chance(30) { revoke(&known) }
    if seed.chance(10), known.expires != nil { known.expires? += 86_400_000 }
    if seed.chance(10) { known.product = seed.pick(["credits.5000", "unlisted"]) }
    if seed.chance(10) {
      known.environment = known.environment == "Sandbox" ? "Production" : "Sandbox"
    }
    try tell(.purchase(known))
  }

  /// Takes a purchase back, at some time since it was made, or gives it again.
  private mutating func revoke(_ purchase: inout ReferencePurchase) {
    purchase.revoked = nil
    purchase.revocationType = nil
    purchase.revocationPercentage = nil
    guard seed.chance(75) else { return }
    let age = world.base / 1000 - purchase.purchased
    purchase.revoked = purchase.purchased + Int64(seed.below(Int(max(age, 1))))
    purchase.revocationType = seed.pick([
      "REFUND_FULL", "REFUND_PRORATED", "FAMILY_REVOKE", nil,
    ])
    if purchase.revocationType == "REFUND_PRORATED" {
      purchase.revocationPercentage = seed.pick([0, 40_000, 70_000, 100_000])
    }
  }

  private mutating func changeFacts() throws {
    let id = seed.pick(World.transactions + [World.chain])
    switch seed.below(3) {
    case 0:
      let statuses = ["DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_OTHER"]
      try tell(.delivery(id: id, status: seed.pick(statuses)))
    case 1: try tell(.customer(id: id, customer: seed.pick(World.customers)))
    default: try tell(.allowance(id: id, amounts: ["credits": "\(1 + seed.below(9000)).5"]))
    }
  }

  private mutating func tell(_ change: Change) throws {
    let expected: Int
    switch change {
    case .purchase(let purchase):
      switch reference.put(purchase) {
      case .created: expected = 201
      case .updated: expected = 200
      case .mismatch: expected = 409
      }
    case .delivery(let id, let status):
      reference.putDelivery(id, status: status)
      expected = 204
    case .customer(let id, let customer):
      reference.putCustomer(id, customer: customer)
      expected = 204
    case .allowance(let id, let amounts):
      reference.putAllowance(id, amounts)
      expected = 204
    }
    let status = try subject.put(change)
    if status != expected { fail("\(change) answered \(status), expected \(expected)") }
  }

  private mutating func changePrices() throws {
    let index = seed.below(reference.configuration.rates.count)
    // A boundary among the usage of a quarter-hour is refused.
    if world.base % (15 * Calendar.minute) == 0, seed.chance(50) {
      let rate = reference.configuration.rates[index]
      let from = seed.chance(20) ? nil : world.base - Int64(seed.below(60)) * Calendar.day
      let others = reference.configuration.rates.filter {
        $0.meter == rate.meter && $0.filter == rate.filter && $0.from == from
      }
      if others.isEmpty { reference.configuration.rates[index].from = from }
    } else {
      reference.configuration.rates[index].price = "0.\(1 + seed.below(999))"
    }
    try subject.reload(reference.configuration)
  }
}

// MARK: Making events

extension History {
  private mutating func nextEvent() -> ReferenceEvent {
    switch seed.below(100) {
    case ..<12 where !sent.isEmpty: return seed.pick(sent)
    case ..<16 where !sent.isEmpty: return conflicting(with: seed.pick(sent))
    case ..<24 where !sent.isEmpty:
      let target = seed.chance(90) ? seed.pick(sent).key : .init(source: "", id: "never")
      return ReferenceEvent(key: newKey(), body: .void(target))
    case ..<26:
      markedThrough += 1 + Int64(seed.below(1_000_000))
      let through = world.base - Calendar.day + markedThrough
      return ReferenceEvent(
        key: .init(source: "marking", id: ""), body: .mark(through: through))
    case ..<31: return faulty()
    case ..<40: return level()
    default: return usage()
    }
  }

  private mutating func newKey() -> ReferenceEvent.Key {
    serial += 1
    // Four sources use each id: identity is the pair, and bytes, not what they look like.
    let sources = ["", "api-1", "\u{FC}ber", "u\u{308}ber"]
    return .init(source: sources[serial % 4], id: "e-\(serial / 4)")
  }

  private mutating func time() -> Int64 {
    let boundary =
      reference.configuration.rates.compactMap(\.from).randomElement(using: &seed) ?? world.base
    let period = seed.pick(world.periods())
    switch seed.below(10) {
    case 0: return boundary
    case 1: return boundary - 1
    case 2: return period.purchased * 1000
    case 3: return (period.expires ?? 0) * 1000 - Int64(seed.below(2))
    default:
      return world.base - Int64(seed.below(60 * 86_400)) * 1_000_000 - Int64(seed.below(1_000_000))
    }
  }

  private mutating func usage() -> ReferenceEvent {
    let subject: ReferenceEvent.Subject =
      switch seed.below(10) {
      case ..<4: .transaction(seed.pick(World.transactions))
      case ..<7: .chain(World.chain)
      default: .customer(seed.pick(World.customers))
      }
    let count = seed.chance(80) ? 1 : 2 + seed.below(4)
    let readings = (0..<count).map { _ in reading() }
    return ReferenceEvent(
      key: newKey(),
      body: .usage(subject: subject, time: min(time(), world.base), readings: readings))
  }

  private mutating func reading() -> ReferenceReading {
    let choice = seed.pick(World.sums)
    let quantities = [
      "1", "0.1", "12.000000001", "4000", "1e3", "0", "999999999.999999999", "2.50",
    ]
    var reading = ReferenceReading(
      meter: choice.meter, quantity: seed.pick(quantities), quotedQuantity: seed.chance(50))
    reading.unit = seed.pick(choice.units)
    let names = ["llm_tokens": ["model", "direction"], "gpu_time": ["gpu"], "images": ["model"]]
    for name in names[choice.meter] ?? [] where seed.chance(85) {
      let values = name == "model" ? World.models : ["output", "input"]
      reading.attributes[name] = .string(seed.pick(values))
    }
    if seed.chance(20) {
      reading.attributes["trace"] = seed.pick([.number("7"), .bool(true), .string("t\"\\\n")])
    }
    if seed.chance(8) {
      reading.cost = (seed.pick(["0.0123", "1", "0.000000000000001"]), seed.pick(["USD", "EUR"]))
    }
    if !reading.quotedQuantity, seed.chance(10) { reading.quantity = "1.0000000005" }
    return reading
  }

  private mutating func level() -> ReferenceEvent {
    var reading = ReferenceReading(
      meter: "storage", quantity: "\(seed.below(4) * 50_000_000_000)", quotedQuantity: true)
    reading.attributes["object"] = .string(seed.pick(["a", "b"]))
    let subject = ReferenceEvent.Subject.transaction(seed.pick(World.transactions))
    return ReferenceEvent(
      key: newKey(), body: .usage(subject: subject, time: time(), readings: [reading]))
  }

  private mutating func conflicting(with event: ReferenceEvent) -> ReferenceEvent {
    guard case .usage(let subject, let time, var readings) = event.body else { return event }
    readings[0].quantity = "7.125"
    return ReferenceEvent(
      key: event.key, body: .usage(subject: subject, time: time, readings: readings))
  }

  private mutating func faulty() -> ReferenceEvent {
    var event = usage()
    guard case .usage(let subject, var time, var readings) = event.body else { return event }
    switch seed.below(6) {
    case 0: readings[readings.count - 1].meter = "unheard_of"
    case 1: readings[readings.count - 1].quantity = "-5"
    case 2: (readings[0].quantity, readings[0].quotedQuantity) = ("NaN", true)
    case 3: time = self.subject.now + Calendar.hour
    case 4: time = world.base - 500 * Calendar.day
    default: event.key.id = ""
    }
    event.body = .usage(subject: subject, time: time, readings: readings)
    return event
  }

  private mutating func randomStyle(of event: ReferenceEvent) -> LineStyle {
    guard seed.chance(40) else { return .plain }
    var style = LineStyle()
    style.offsetMinutes = seed.pick([0, 330, -210, 60])
    style.wrapsReading = seed.chance(50)
    style.reversed = seed.chance(50)
    style.spaced = seed.chance(50)
    style.exponents = seed.chance(30)
    return style
  }
}

// MARK: Comparing

extension History {
  private mutating func compareAll() throws {
    for id in World.transactions + world.periods().map(\.id) + ["unknown"] { try compare(id) }
    for customer in World.customers {
      let expected = reference.unattributed(customer: customer, now: subject.now)
      let answer = try subject.unattributed(customer).filter { $0.value != .zero }
      if answer != expected { fail("unattributed of \(customer): \(answer), expected \(expected)") }
    }
  }

  private mutating func compare(_ id: String) throws {
    let answer = try subject.consumption(id)
    for fault in reference.faults(of: answer, about: id, now: subject.now) { fail(fault) }
  }
}

extension Reference {
  /// What is wrong with the product's answer about a transaction, in words; empty when nothing is.
  /// An answer that tells its own time is judged at that.
  func faults(of text: String?, about id: String, now: Int64) -> [String] {
    guard let text else { return figures(id, now: now) == nil ? [] : ["\(id) isn't known"] }
    guard let answer = TinyJSON(text), let asOf = answer["asOf"]?.text,
      let now = Calendar.instant(printed: asOf)
    else { return ["\(id) answered \(text)"] }
    guard let expected = figures(id, now: now) else {
      return ["\(id) should be unknown, answered \(text)"]
    }
    var figures = Figures(answer: answer)
    // A level's unit as used is the base unit times seconds, however it is spelled.
    if let level = expected.usage["storage"] { figures.usage["storage"]?.unit = level.unit }
    var differences = figures.differences(from: expected)
    // The reference's own answers have no money in them.
    if answer["proceeds"] != nil, let expected = moneyFigures(id, now: now) {
      differences += MoneyFigures(answer: answer).differences(from: expected)
      let last = answer["lastEventAt"]?.text.flatMap { Calendar.instant(printed: $0) }
      if !isLastEvent(last, of: id, now: now) { differences.append("lastEventAt \(last ?? 0)") }
    }
    let wrong = Figures.wrongAmounts(in: answer)
    if !wrong.isEmpty { differences.append("amounts that aren't quantity × rate: \(wrong)") }
    return differences.isEmpty ? [] : ["\(id): \(differences.joined(separator: "; "))"]
  }
}
