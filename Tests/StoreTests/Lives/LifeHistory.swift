import Metering
import Store

/// Random lives of purchases, told step by step to the product and to the reference: by
/// notifications that come late, twice and in any order, by usage, facts and refund requests, with
/// crashes, restarts, flushes, merges and reloads between.
struct LifeHistory {
  /// What the product is kept from hearing, so that it must be found out.
  enum Defect: CaseIterable {
    case losesRefunds, losesReversals, losesGrace, losesConsent, losesRequests, losesBalances
    case ignoresCommission, ignoresTax, ignoresExchange, hasAnotherWindow
  }

  let subject: BooksSubject
  var reference: Reference
  var seed: Seed
  private let defect: Defect?
  private(set) var store: AppStoreLives
  /// Sent by Apple and not delivered yet, and what was delivered.
  private var outbox: [ReferenceNotification] = []
  private var delivered: [(told: ReferenceNotification, at: Int64)] = []
  var sent: [ReferenceEvent] = []
  var times: Set<Int64> = []
  var serial = 0
  private(set) var faults: [String] = []
  private(set) var steps = 0
  /// What was done, for people who look for the cause of a fault.
  var story: [String] = []

  init(
    seed: UInt64, memtableEvents: Int, segmentBytes: Int = 1 << 20, defect: Defect? = nil
  ) throws {
    self.seed = Seed(seed)
    self.defect = defect
    let configuration = LifeWorld.configuration
    reference = Reference(configuration)
    subject = try BooksSubject(
      Self.spoil(configuration, defect), now: LifeWorld.start,
      options: Books.Options(memtableEvents: memtableEvents, segmentBytes: segmentBytes))
    store = AppStoreLives(now: LifeWorld.start / 1000)
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
    case ..<22: try sendBatch()
    case ..<42: happen()
    case ..<64: try deliver()
    case ..<71: try tellFact()
    case ..<75: try payload()
    case ..<80: try handleCase()
    case ..<83: try subject.flush()
    case ..<86: try subject.merge()
    case ..<89: try subject.restart(killing: seed.chance(50))
    case ..<91: try reload()
    case ..<97: advance()
    default: try compare(seed.pick(LifeWorld.transactions))
    }
  }

  mutating func fail(_ text: String) { faults.append("step \(steps): \(text)") }

  private mutating func advance() {
    let minutes = seed.pick([1, 4, 30, 400, 800, 1440, 5 * 1440, 15 * 1440, 31 * 1440])
    subject.now += Int64(minutes) * Calendar.minute + Int64(seed.below(1000))
    store.now = subject.now / 1000
    story.append("now \(Calendar.text(subject.now))")
  }
}

// MARK: Telling both

extension LifeHistory {
  /// Tells the product something; sometimes its disk fails meanwhile, at any write or sync of what
  /// it decides or of what follows. Then nobody knows what became of it, and it is told again, to a
  /// process that heals or to a new one.
  mutating func attempt<Answer>(
    _ tell: (BooksSubject) throws -> Answer
  ) throws -> (answer: Answer, isRepeated: Bool) {
    guard seed.chance(8) else { return (try tell(subject), false) }
    subject.disk.breaks(after: seed.below(7))
    do {
      let answer = try tell(subject)
      subject.disk.holds()
      return (answer, false)
    } catch let fault as StoreFault {
      story.append("the disk failed: \(fault)")
      subject.disk.holds()
      if seed.chance(60) { try subject.restart(killing: true) }
      return (try tell(subject), true)
    }
  }

  private mutating func happen() {
    if let told = store.happen(&seed) { outbox.append(told) }
  }

  /// The oldest mostly, sometimes any, sometimes one again under its id or a new one.
  private mutating func deliver() throws {
    // Apple repeats one for a week; ids are remembered for a month.
    let repeatable = delivered.filter { $0.at > subject.now - 25 * Calendar.day }
    if !repeatable.isEmpty, seed.chance(12) {
      var again = seed.pick(repeatable).told
      if seed.chance(30) { again.id += "-\(steps)" }
      return try notify(again)
    }
    guard !outbox.isEmpty else { return }
    let index = seed.chance(55) ? 0 : seed.below(outbox.count)
    let told = outbox.remove(at: index)
    delivered.append((told, subject.now))
    try notify(told)
  }

  private mutating func notify(_ told: ReferenceNotification) throws {
    story.append("\(told)")
    let expected = reference.notify(told, now: subject.now)
    if isLost(told) { return }
    let (outcome, isRepeated) = try attempt { try $0.tell(.notification(told)) }
    switch (outcome, expected) {
    case (.notified, .taken) where isRepeated: return
    case (.environmentMismatch, .mismatch): return
    case (.notified(let seen), .duplicate) where seen.isDuplicate && !seen.isApplied: return
    case (.notified(let seen), .taken(let refundCase))
    where !seen.isDuplicate && seen.refundCase?.text.string == refundCase: return
    default: fail("\(told) answered \(outcome as Any), expected \(expected)")
    }
  }

  private mutating func payload() throws {
    guard let id = store.purchases.keys.sorted().randomElement(using: &seed),
      var purchase = store.purchases[id]
    else { return }
    purchase.signed = store.sign()
    let isSigned = seed.chance(40)
    if !isSigned, seed.chance(30) { purchase.environment = "Sandbox" }
    story.append("\(isSigned ? "signed" : "unsigned") \(purchase)")
    let expected = reference.take(purchase, isSigned: isSigned)
    let (outcome, isRepeated) = try attempt {
      try $0.tell(isSigned ? .signed(purchase) : .unsigned(purchase))
    }
    switch (outcome, expected) {
    case (.updated, .created) where isRepeated: return
    case (.updated, .updated) where isRepeated: return
    case (.created, .created), (.environmentMismatch, .mismatch): return
    case (.updated(let applied), .updated(let wanted)) where applied == wanted: return
    default: fail("\(purchase) answered \(outcome as Any), expected \(expected)")
    }
  }

  private mutating func tellFact() throws {
    let id = seed.pick(LifeWorld.transactions)
    let customer = seed.pick(World.customers)
    switch seed.below(6) {
    case 0:
      let statuses = ["DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_OTHER"]
      let status = seed.pick(statuses)
      reference.putDelivery(id, status: status)
      try expectStored(.delivery(id: id, status: status))
    case 1:
      reference.putCustomer(id, customer: customer)
      try expectStored(.customer(id: id, customer: customer))
    case 2:
      let amounts = ["credits": "\(1 + seed.below(9000)).5"]
      reference.putAllowance(id, amounts)
      try expectStored(.allowance(id: id, amounts: amounts))
    case 3: try open(id)
    default:
      let consented = seed.chance(75)
      let time = fresh(subject.now - Int64(seed.below(3)) * Calendar.day)
      reference.consent(customer, consented, at: time)
      if defect == .losesConsent { return }
      _ = try subject.tell(.consent(customer: customer, consented: consented, at: time))
      story.append("\(customer) consents \(consented) at \(Calendar.text(time))")
    }
  }

  private mutating func expectStored(_ change: Change) throws {
    story.append("\(change)")
    let status = try attempt { try $0.put(change) }.answer
    if status != 204 { fail("\(change) answered \(status)") }
  }

  private mutating func open(_ id: String) throws {
    let until = fresh(subject.now - Int64(seed.below(20)) * Calendar.day)
    // What a balance once held stays in it: whether a later one with an earlier end gives usage
    // back isn't said.
    if until < reference.openings[id]?.until ?? .min { return }
    var readings = [ReferenceReading(meter: "credits", quantity: "\(seed.below(4000))")]
    if seed.chance(50) {
      readings.append(ReferenceReading(meter: "gpu_time", quantity: "2", unit: "h"))
      readings.append(ReferenceReading(meter: "storage", quantity: "9e14"))
    }
    story.append("opening of \(id) at \(Calendar.text(until)): \(readings)")
    reference.open(id, until: until, readings)
    if defect == .losesBalances { return }
    let outcome = try attempt {
      try $0.tell(.opening(id: id, until: until, readings: readings))
    }.answer
    if outcome != .stored { fail("the balance of \(id) answered \(outcome as Any)") }
  }

  private mutating func handleCase() throws {
    let known = reference.cases.keys.sorted()
    if known.isEmpty || seed.chance(40) {
      let id = seed.pick(LifeWorld.transactions)
      let reason = seed.pick(["OTHER", "UNSATISFIED_WITH_PURCHASE", nil])
      let number = reference.ask(id, reason: reason, now: subject.now)
      story.append("request for \(id)")
      guard defect != .losesRequests else { return }
      let outcome = try attempt { try $0.tell(.request(id: id, reason: reason)) }.answer
      if !Self.names("\(id):\(number)", outcome) {
        fail("request for \(id) answered \(outcome as Any), expected \(number)")
      }
      return
    }
    let id = seed.pick(known)
    guard let number = reference.cases[id]?.last?.number else { return }
    let preference = seed.pick(["DECLINE", "GRANT_FULL", nil])
    let isSuccess = seed.chance(70)
    story.append("response to \(id):\(number) \(isSuccess)")
    let hadAnswer = reference.cases[id]?.last?.response != nil
    _ = reference.respond(
      id, number: number, preference: preference, isSuccess: isSuccess, now: subject.now)
    let outcome = try subject.tell(
      .response(id: id, number: number, preference: preference, isSuccess: isSuccess))
    if !hadAnswer, !Self.names("\(id):\(number)", outcome) {
      fail("response to \(id):\(number) answered \(outcome as Any)")
    }
  }

  private static func names(_ id: String, _ outcome: CommandOutcome?) -> Bool {
    guard case .refundCase(let told) = outcome else { return false }
    switch told {
    case .opened(let standing), .joined(let standing), .noted(let standing):
      return standing.id.text.string == id
    default: return false
    }
  }

  private mutating func reload() throws {
    LifeWorld.change(&reference.configuration, &seed)
    try subject.reload(Self.spoil(reference.configuration, defect))
  }
}

// MARK: Defects

extension LifeHistory {
  private func isLost(_ told: ReferenceNotification) -> Bool {
    switch defect {
    case .losesRefunds: told.type == "REFUND"
    case .losesReversals: told.type == "REFUND_REVERSED"
    case .losesGrace: told.subtype == "GRACE_PERIOD"
    default: false
    }
  }

  private static func spoil(
    _ configuration: ReferenceConfiguration, _ defect: Defect?
  ) -> ReferenceConfiguration {
    var spoiled = configuration
    switch defect {
    case .ignoresCommission: spoiled.money.commissions = []
    case .ignoresTax: spoiled.money.tax = [:]
    case .ignoresExchange: spoiled.money.exchangeRates = []
    case .hasAnotherWindow: spoiled.money.refundWindowDays += 1000
    default: break
    }
    return spoiled
  }
}
