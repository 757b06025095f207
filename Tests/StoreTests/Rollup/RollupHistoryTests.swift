import Metering
import Store
import Testing

/// Random lives of purchases, with crashes anywhere, judged by the single answers.
@Suite("The rollup of random histories") struct RollupHistoryTests {
  private struct Life {
    let desk: RollupDesk
    var seed: Seed
    var serial = 0
    var counters: [String: Fraction] = [:]
    var opened = 0
    static let ids = (0..<8).map { "7\($0)" }
    static let customers = ["anna", "bert"]

    mutating func step() throws {
      switch seed.below(100) {
      case ..<35: try use()
      case ..<55: try put()
      case ..<65: try ask()
      case ..<72: try answer()
      case ..<76: try link()
      case ..<82: desk.seconds += Int64(seed.pick([1, 60, 3_600, 40_000, 864_000]))
      case ..<88: try desk.slice(rows: 1 + seed.below(3))
      case ..<92: try desk.flush()
      case ..<95: try desk.restart()
      case ..<97: try reload()
      default: try compare()
      }
    }

    private mutating func use() throws {
      serial += 1
      let id = seed.pick(Self.ids)
      let subject = seed.pick([
        "\"transactionId\":\"\(id)\"", "\"originalTransactionId\":\"\(id)\"",
        "\"customer\":\"\(seed.pick(Self.customers))\"",
      ])
      desk.transactions.insert(ByteString(id))
      // A chain's or a customer's levels are the whole's: only their own count twice nowhere.
      let meter = seed.chance(20) ? "disk" : "credits"
      let time = desk.now.adding(microseconds: -Int64(seed.below(864_000)) * 1_000_000)
      try desk.send(
        "{\"id\":\"e\(serial)\",\(subject),\"meter\":\"\(meter)\","
          + "\"quantity\":\(seed.pick([0, 1, 700, 2500])),\"time\":\"\(time)\"}")
    }

    private mutating func put() throws {
      let id = seed.pick(Self.ids)
      let now = RollupDesk.start.microseconds / 1000 + desk.seconds * 1000
      serial += 1
      var members = "\"signedDate\":\(now + Int64(serial))"
      // The last ids are periods of one chain; a period is never on sale twice at a time.
      if let number = Self.ids.firstIndex(of: id), number >= 5 {
        let start = RollupDesk.start.microseconds / 1000 + Int64(number - 5) * 864_000_000
        members +=
          ",\"type\":\"Auto-Renewable Subscription\",\"productId\":\"s\",\"purchaseDate\":\(start),"
          + "\"expiresDate\":\(start + 864_000_000),\"originalTransactionId\":\"75\""
      } else if seed.chance(20) {
        members += ",\"productId\":\"unheard_of\",\"currency\":\"EUR\""
      }
      if seed.chance(30) {
        members += ",\"revocationDate\":\(now - Int64(seed.below(1_000_000_000)))"
        members += ",\"revocationType\":\""
        members += seed.pick(["REFUND_FULL", "REFUND_PRORATED", "FAMILY_REVOKE"]) + "\""
        members += ",\"revocationPercentage\":40000"
      }
      try desk.put(ByteString(id), members)
    }

    private mutating func ask() throws {
      let id = ByteString(seed.pick(Self.ids))
      desk.transactions.insert(id)
      let reason = seed.pick(["OTHER", "LEGAL", "nobody's"])
      let outcome = try desk.run(
        .openCase(id: id, CaseRequest(reason: ByteString(reason), receivedAt: desk.now)))
      if case .refundCase(.opened) = outcome { opened += 1 }
    }

    private mutating func answer() throws {
      let id = CaseID(transaction: ByteString(seed.pick(Self.ids)), number: 1)
      let status = seed.pick([Int64(202), 500])
      try desk.run(
        .answerCase(id, CaseReport(sent: "{}", preference: "DECLINE", httpStatus: status)))
    }

    private mutating func link() throws {
      let customer = ByteString(seed.pick(Self.customers))
      if seed.chance(50) {
        let id = ByteString(seed.pick(Self.ids))
        try desk.run(.putCustomer(id: id, customer: customer))
      } else {
        try desk.run(
          .putConsent(customer: customer, consented: seed.chance(60), at: desk.now))
      }
    }

    private mutating func reload() throws {
      try desk.reload(
        RollupDesk.text.replacing("0.001", with: "0.00\(1 + seed.below(9))"))
    }

    mutating func compare() throws {
      // Levels are looked at again some seconds later only.
      desk.seconds += 15
      try desk.settle()
      let told = try desk.told()
      let differences = try told.gauges.differences(from: desk.asked().gauges)
      #expect(differences == [])
      for (key, count) in counters { #expect(told.sums[key] ?? .zero >= count, "\(key)") }
      counters = told.counters
      let requests = counters.filter { $0.key.hasPrefix("requests") }.values
      #expect(requests.reduce(.zero, +) == Fraction(opened))
    }
  }

  @Test(arguments: 0..<6) func random(_ round: Int) throws {
    let options = Books.Options(
      memtableEvents: [2, 16, 4096][round % 3], segmentBytes: 1 << 20,
      rollupWaiting: round % 2 == 0 ? 5 : 65_536)
    for repetition in 0..<(Chance.isLong ? 20 : 1) {
      let seed = Chance.seed &+ UInt64(round + repetition * 100)
      var life = Life(desk: try RollupDesk(options: options), seed: Seed(seed))
      for _ in 0..<150 { try life.step() }
      try life.compare()
      #expect(life.opened > 0, "OUTLAY_SEED=\(seed)")
    }
  }

  @Test("of the reference's world", arguments: [1, 7, 4096])
  func world(memtableEvents: Int) throws {
    let base = Calendar.instant(2026, 11, 30, 1, 30)
    let world = World(base: base)
    let subject = try BooksSubject(
      world.configuration, now: base + Calendar.hour,
      options: Books.Options(memtableEvents: memtableEvents, segmentBytes: 1 << 20))
    var history = try History(
      subject: subject, seed: Chance.seed &+ UInt64(memtableEvents), world: world)
    let ids = (World.transactions + world.periods().map(\.id)).map { ByteString($0) }
    for _ in 0..<5 {
      try history.run(steps: 20)
      #expect(history.faults == [])
      try subject.withBooks { books, configuration in
        let now = Instant(microseconds: subject.now)
        for _ in 0..<10_000 {
          let step = try books.rollUp(at: now) { false }
          if step == .idle { break }
          books.freeze()
          _ = try books.flush()
        }
        let told = SingleAnswers(books.rollupReport, books.rollupSums)
        let asked = try SingleAnswers(books, ids, configuration, at: now)
        #expect(told.differences(from: asked) == [], "OUTLAY_SEED=\(Chance.seed)")
      }
    }
  }
}
