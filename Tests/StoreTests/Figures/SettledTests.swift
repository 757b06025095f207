import Metering
import Store
import Testing

/// Figures that hang on an exact border, worked by hand.
@Suite("Figures at their borders") struct SettledTests {
  private static let text = """
    meters: { credits: { unit: "{credit}" }, gpu: { unit: "s" },
              storage: { unit: "By", kind: "level", attributes: ["object"] } },
    prices: [{ meter: "gpu", price: "1", per: "1", currency: "USD" },
             { meter: "gpu", price: "10", per: "1", currency: "USD", from: "\(LifeDesk.day(5))" },
             { meter: "storage", price: "1", per: "1 By.d", currency: "USD" }],
    products: { "pack": { allowance: { credits: "100" } },
                "pro": { allowance: { credits: "100" }, every: "P1M" } },
    """

  private static func desk() throws -> LifeDesk { try LifeDesk(meters: text) }

  private static func buy(
    _ desk: LifeDesk, _ id: String, product: String = "pack", type: String = "Consumable",
    bought: Double = 0, expires: Double? = nil, original: String? = nil, _ more: String = "",
    signed: Double = 0
  ) throws {
    let told = try Told.transaction(
      id, original: original, product: product, type: type, bought: bought, expires: expires,
      signed: signed, more)
    try desk.run(.putTransaction(id: ByteString(id), payload: told.payload), at: 32)
  }

  private static func cost(_ desk: LifeDesk, _ id: String, at day: Double = 32) throws -> String? {
    try desk.consumption(id, at: day)?["cost"]?["totals"]?.elements?.first?["amount"]?.string?
      .string
  }

  private static func used(_ desk: LifeDesk, _ id: String, at day: Double = 32) throws -> String? {
    try desk.consumption(id, at: day)?["usage"]?.elements?.first {
      $0["meter"]?.string == "credits"
    }?["used"]?.string?.string
  }

  /// Sends usage of an instant that may be between two milliseconds.
  private static func use(
    _ desk: LifeDesk, _ quantity: Int, _ subject: String, _ id: String, at time: Instant,
    meter: String = "credits", cost: Int? = nil
  ) throws {
    let own = cost.map { ",\"cost\":{\"amount\":\"\($0)\",\"currency\":\"USD\"}" } ?? ""
    let line =
      "{\"id\":\"\(time) \(quantity)\",\"\(subject)\":\"\(id)\",\"meter\":\"\(meter)\","
      + "\"quantity\":\(quantity),\"time\":\"\(time)\"\(own)}"
    #expect(try desk.send(line, at: 32) == .accepted)
  }

  private static func before(_ day: Double) -> Instant {
    LifeDesk.day(day).adding(microseconds: -1)
  }

  // MARK: Prices and levels

  @Test("usage at exactly a price's beginning has the new price", arguments: [false, true])
  func priceBegins(isFlushed: Bool) throws {
    let desk = try Self.desk()
    try Self.use(desk, 1, "transactionId", "1", at: Self.before(5), meter: "gpu")
    #expect(try Self.cost(desk, "1") == "1")
    try desk.use("1", "1", at: 5, meter: "gpu")
    if isFlushed { try desk.flush() }
    #expect(try Self.cost(desk, "1") == "11")
  }

  /// Where the first and the second report of an instant are when they are asked for.
  enum Layer: CaseIterable { case memory, both, ledger }

  @Test("of two levels at one instant the later commit counts", arguments: Layer.allCases)
  func levels(_ layer: Layer) throws {
    let desk = try Self.desk()
    try Self.buy(desk, "1", type: "Non-Renewing Subscription")
    try desk.use("3", "1", at: 10, meter: "storage")
    if layer != .memory { try desk.flush() }
    try desk.use("2", "1", at: 10, meter: "storage")
    if layer == .ledger { try desk.flush() }
    #expect(try Self.cost(desk, "1", at: 20) == "20")
    // Under another id of the same chain, too.
    try Self.buy(
      desk, "0", type: "Non-Renewing Subscription", original: "1", signed: 1)
    try desk.use("1", "0", at: 10, meter: "storage")
    let told = try ["0", "1"].compactMap { try Self.cost(desk, $0, at: 20) }
    #expect(told == ["10"])
  }

  @Test("a level ends with its purchase and leaks from the revocation on") func revoked() throws {
    let desk = try Self.desk()
    try desk.use("1", "1", at: 1, meter: "storage")
    try Self.buy(
      desk, "1", type: "Non-Renewing Subscription", bought: 1, expires: 20,
      #""revocationDate":\#(LifeDesk.milliseconds(10)),"revocationType":"REFUND_FULL""#)
    // 19 days cost, of which 10 come after the revocation.
    #expect(try Self.cost(desk, "1") == "19")
    let leak = try desk.consumption("1", at: 32)?["leak"]?.elements?.first?["amount"]?.string
    #expect(leak == "10")
  }

  @Test("usage at exactly the revocation leaks", arguments: [(0, "7"), (-1, nil)])
  func leaksAt(_ microseconds: Int64, _ leak: String?) throws {
    let desk = try Self.desk()
    try desk.use("7", "1", at: 4, meter: "gpu")
    let time = LifeDesk.day(10).adding(microseconds: microseconds)
    try Self.use(desk, 1, "transactionId", "1", at: time, meter: "gpu", cost: 7)
    try Self.buy(
      desk, "1",
      #""revocationDate":\#(LifeDesk.milliseconds(10)),"revocationType":"REFUND_FULL""#)
    let told = try desk.consumption("1", at: 32)?["leak"]?.elements?.first?["amount"]?.string
    #expect(told?.string == leak)
  }

  @Test("usage at exactly the revocation counts against what is kept") func keptAt() throws {
    let desk = try Self.desk()
    try Self.use(desk, 40, "transactionId", "1", at: Self.before(10))
    try Self.use(desk, 20, "transactionId", "1", at: LifeDesk.day(10), cost: 2)
    try Self.buy(
      desk, "1",
      #""revocationDate":\#(LifeDesk.milliseconds(10)),"revocationType":"REFUND_PRORATED","#
        + #""revocationPercentage":50000"#)
    // 50 are kept: half of the 20 goes beyond.
    let told = try desk.consumption("1", at: 32)?["leak"]?.elements?.first?["amount"]?.string
    #expect(told == "1")
  }

  // MARK: Burn-down

  @Test("the last takes what is over, no other more than it has") func overuse() throws {
    let desk = try Self.desk()
    for (id, bought) in [("1", 0.0), ("2", 1), ("3", 2)] { try Self.buy(desk, id, bought: bought) }
    for id in ["1", "2", "3"] {
      try desk.run(.putCustomer(id: ByteString(id), customer: "u"), at: 32)
    }
    try desk.use("350", "u", at: 30, subject: "customer")
    #expect(try ["1", "2", "3"].map { try Self.used(desk, $0) } == ["100", "100", "150"])
    try desk.use("5", "u", at: 31, subject: "customer")
    #expect(try ["1", "2", "3"].map { try Self.used(desk, $0) } == ["100", "100", "155"])
  }

  @Test("a purchase that begins a microsecond later takes nothing") func begins() throws {
    let desk = try Self.desk()
    try Self.buy(desk, "1", bought: 10)
    try desk.run(.putCustomer(id: "1", customer: "u"), at: 32)
    try Self.use(desk, 5, "customer", "u", at: Self.before(10))
    #expect(try Self.used(desk, "1") == "0")
    try Self.use(desk, 5, "customer", "u", at: LifeDesk.day(10))
    #expect(try Self.used(desk, "1") == "5")
  }

  @Test("usage at exactly an interval's beginning is of the new one") func interval() throws {
    let desk = try Self.desk()
    let second = LifeDesk.day(0).adding(months: 1)
    try Self.buy(
      desk, "1", product: "pro", type: "Auto-Renewable Subscription", expires: 61)
    try Self.buy(desk, "2")
    for id in ["1", "2"] { try desk.run(.putCustomer(id: ByteString(id), customer: "u"), at: 32) }
    // The subscription ends first: its allowance of the first month goes, then the pack.
    try Self.use(desk, 100, "customer", "u", at: LifeDesk.day(20))
    try Self.use(desk, 1, "customer", "u", at: second.adding(microseconds: -1))
    #expect(try Self.used(desk, "2") == "1")
    try Self.use(desk, 2, "customer", "u", at: second)
    #expect(try Self.used(desk, "1") == "102")
    #expect(try Self.used(desk, "2") == "1")
  }

  // MARK: Moving

  @Test("usage that waits follows an account token alone", arguments: [false, true])
  func token(isFlushed: Bool) throws {
    let desk = try Self.desk()
    let token = "2b0d5e0c-7f1a-4f1e-9a11-000000000001"
    try Self.buy(desk, "1")
    try desk.use("5", token, at: 10, subject: "customer")
    if isFlushed { try desk.flush() }
    #expect(try Self.used(desk, "1") == "0")
    try Self.buy(desk, "1", #""appAccountToken":"\#(token.uppercased())""#, signed: 1)
    #expect(try Self.used(desk, "1") == "5")
    #expect(try desk.differences() == [])
  }

  @Test("of a chain's links the newest counts", arguments: [false, true], [false, true])
  func links(isFlushed: Bool, isThirdFirst: Bool) throws {
    let desk = try Self.desk()
    let links = [("a1", "u1"), ("a3", "u2")]
    for (id, customer) in isThirdFirst ? links.reversed() : links {
      try desk.run(.putCustomer(id: ByteString(id), customer: ByteString(customer)), at: 32)
      if isFlushed { try desk.flush() }
    }
    if isFlushed { try desk.restart() }
    try Self.buy(desk, "a3", original: "a1")
    try desk.use("5", "u1", at: 10, subject: "customer")
    #expect(try Self.used(desk, "a3") == (isThirdFirst ? "5" : "0"))
    let customer = try desk.consumption("a3", at: 32)?["customer"]?.string
    #expect(customer == (isThirdFirst ? "u1" : "u2"))
  }

  @Test(
    "a level alone makes no transaction known",
    arguments: ["transactionId", "originalTransactionId"])
  func levelOnly(_ subject: String) throws {
    let desk = try Self.desk()
    try desk.use("5", "1", at: 10, meter: "storage", subject: subject)
    #expect(try desk.consumption("1", at: 32) == nil)
    try desk.use("5", "1", at: 10, meter: "gpu")
    #expect(try desk.consumption("1", at: 32) != nil)
  }

  // MARK: Intervals of a share

  @Test(
    "a share counts intervals that lie in the period by half",
    arguments: [
      ("2026-11-30", "2026-12-31", "100"), ("2026-11-30", "2027-01-06", "100"),
      ("2026-01-31", "2027-01-31", "1200"), ("2026-01-15", "2026-02-15", "100"),
      // From 15 February on there are 28 days: 13 of them are too few, 14 are enough.
      ("2026-01-15", "2026-02-28", "100"), ("2026-01-15", "2026-03-01", "200"),
      ("2026-01-15", "2026-01-16", "100"),
    ])
  func intervals(_ start: String, _ end: String, _ allowed: String) throws {
    let desk = try Self.desk()
    func day(_ text: String) throws -> Double {
      let instant = try #require(Instant(rfc3339: ByteString("\(text)T00:00:00Z")))
      return Double(instant.microseconds / 1000 - LifeDesk.milliseconds(0)) / 86_400_000
    }
    try Self.buy(
      desk, "1", product: "pro", type: "Auto-Renewable Subscription", bought: day(start),
      expires: day(end))
    let told = try desk.consumption("1", at: 32)?["usage"]?.elements?.first?["allowed"]?.string
    #expect(told?.string == allowed)
  }
}
