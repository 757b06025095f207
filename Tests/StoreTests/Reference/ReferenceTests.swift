import Testing

@Suite("The reference itself, on cases worked by hand")
struct ReferenceTests {
  @Test(
    "decimals are exact and print shortest",
    arguments: [
      ("0.1", "0.1"), ("1e3", "1000"), ("-12.50e-1", "-1.25"), ("0.000000001", "0.000000001"),
      ("123456789012345678901234567890", "123456789012345678901234567890"), ("0.0", "0"),
    ])
  func decimals(text: String, printed: String) {
    #expect(Exact(text)?.description == printed)
  }

  @Test("text that isn't a decimal is none", arguments: ["", "NaN", ".5", "+1", "1.", "1e", "--1"])
  func notDecimals(text: String) { #expect(Exact(text) == nil) }

  @Test("ten times a tenth is one, a third rounds half-even at twelve places")
  func arithmetic() throws {
    let tenth = try #require(Exact("0.1"))
    #expect((0..<10).reduce(Exact.zero) { sum, _ in sum + tenth } == .one)
    #expect((Exact(2) / Exact(3)).description == "0.666666666667")
    #expect((Exact(1) / Exact(3) - Exact(2) / Exact(3) + Exact(1) / Exact(3)) == .zero)
    #expect(Exact("0.125")?.rounded(places: 2) == Exact("0.12"))
    #expect(Exact("0.375")?.rounded(places: 2) == Exact("0.38"))
  }

  @Test("cached prompt tokens cost 0.184918125 (MA-07)")
  func cachedTokens() {
    let price = [("5005", "1.25"), ("257955", "0.625"), ("1744", "10")].reduce(Exact.zero) {
      $0 + (Exact($1.0) ?? .zero) * (Exact($1.1) ?? .zero) / Exact(1_000_000)
    }
    #expect(price.description == "0.184918125")
  }

  @Test("a monthly anchor on 31 January clamps and never chains (MA-09)")
  func monthEnds() {
    let anchor = Calendar.instant(2025, 1, 31, 15)
    let ends = (1...5).map { Calendar.text(Calendar.adding(months: $0, to: anchor), decimals: 0) }
    #expect(
      ends == [
        "2025-02-28T15:00:00Z", "2025-03-31T15:00:00Z", "2025-04-30T15:00:00Z",
        "2025-05-31T15:00:00Z", "2025-06-30T15:00:00Z",
      ])
    #expect(Calendar.text(0, offsetMinutes: 330) == "1970-01-01T05:30:00.000000+05:30")
  }

  @Test("a gibibyte for a month is 2^30 bytes for 30 days (MA-17)")
  func gibibytes() {
    let held = Exact(5_368_709_120) * Exact(720 * 3600)
    let price = Exact("0.02") ?? .zero
    let binary = held * price / ReferenceConfiguration.amount("1 GiB.mo")
    let decimal = held * price / ReferenceConfiguration.amount("1 GB.mo")
    #expect("\(binary) \(decimal)" == "0.1 0.1073741824")
  }

  @Test("the first of two contents stands, a void takes back once")
  func verdicts() {
    var reference = Reference(Self.credits)
    let first = Self.event("1", "10")
    let void = ReferenceEvent(key: .init(source: "a", id: "v"), body: .void(first.key))
    let again = ReferenceEvent(key: .init(source: "a", id: "w"), body: .void(first.key))
    let nothing = ReferenceEvent(
      key: .init(source: "a", id: "x"), body: .void(.init(source: "b", id: "1")))
    let events = [first, first, Self.event("1", "12"), void, again, first, nothing]
    let verdicts = events.map { reference.take($0, now: Self.now) }
    #expect(
      verdicts == [
        .accepted, .duplicate, .conflict, .accepted, .duplicate, .duplicate,
        .rejected("void_unknown"),
      ])
    #expect(reference.figures("t", now: Self.now) == nil)
  }

  @Test(
    "shares of 5000 credits (MA-37)",
    arguments: [
      ("4000", "DELIVERED", 80_000), ("6000", "DELIVERED", 100_000),
      ("4000", "UNDELIVERED_OTHER", 0),
    ])
  func shares(used: String, delivery: String, percentage: Int) {
    var reference = Reference(Self.credits)
    _ = reference.put(Self.purchase)
    reference.putDelivery("t", status: delivery)
    _ = reference.take(Self.event("1", used), now: Self.now)
    #expect(reference.figures("t", now: Self.now)?.percentage == percentage)
  }

  @Test("a level is integrated over the time it was held (MA-14)")
  func levels() {
    var reference = Reference(Self.credits)
    _ = reference.put(Self.purchase)
    let midnight = Calendar.instant(2026, 11, 10)
    for (hour, value) in [(0, "100e9"), (6, "200e9"), (18, "0")] {
      var event = Self.event("\(hour)", value)
      event.body = .usage(
        subject: .transaction("t"), time: midnight + Int64(hour) * Calendar.hour,
        readings: [ReferenceReading(meter: "storage", quantity: value)])
      _ = reference.take(event, now: Self.now)
    }
    let used = reference.figures("t", now: Self.now)?.usage["storage"]?.used
    #expect(used == Exact("3000e9").map { $0 * Exact(3600) })
  }

  @Test("a price holds from its instant on (MA-25)")
  func priceChange() {
    var configuration = Self.credits
    let change = Calendar.instant(2026, 11, 15)
    configuration.rates = [
      .init(meter: "credits", price: "2"), .init(meter: "credits", price: "3", from: change),
      .init(meter: "credits", price: "4", from: change + 10 * Calendar.day),
    ]
    var reference = Reference(configuration)
    for (id, time) in [("1", change - 1), ("2", change)] {
      var event = Self.event(id, "10")
      event.body = .usage(
        subject: .transaction("t"), time: time,
        readings: [ReferenceReading(meter: "credits", quantity: "10")])
      _ = reference.take(event, now: Self.now)
    }
    #expect(reference.figures("t", now: Self.now)?.totals == ["USD": "50"])
  }

  static let now = Calendar.instant(2026, 11, 30, 2, 30)

  static var credits: ReferenceConfiguration {
    var configuration = ReferenceConfiguration()
    configuration.meters = [
      "credits": .init(unit: "{credit}"), "storage": .init(unit: "By", isLevel: true),
    ]
    configuration.products = ["credits.5000": .init(allowance: ["credits": "5000"])]
    return configuration
  }

  static var purchase: ReferencePurchase {
    ReferencePurchase(
      id: "t", original: "t", product: "credits.5000", type: "Consumable",
      purchased: Calendar.instant(2026, 11, 1) / 1000, signed: 1)
  }

  static func event(_ id: String, _ quantity: String) -> ReferenceEvent {
    ReferenceEvent(
      key: .init(source: "a", id: id),
      body: .usage(
        subject: .transaction("t"), time: Calendar.instant(2026, 11, 20),
        readings: [ReferenceReading(meter: "credits", quantity: quantity)]))
  }
}
