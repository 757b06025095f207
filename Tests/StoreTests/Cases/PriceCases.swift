import Testing

@Suite("Cases of prices and shares")
struct PriceCases {
  private static func event(
    _ id: String, _ subject: ReferenceEvent.Subject = .transaction("t"), at time: Int64,
    _ readings: [ReferenceReading]
  ) -> ReferenceEvent {
    ReferenceEvent(
      key: .init(source: "a", id: id),
      body: .usage(subject: subject, time: time, readings: readings))
  }

  @Test("cached prompt tokens as disjoint readings (MA-07)", arguments: Door.open)
  func cachedTokens(door: Door) throws {
    var configuration = ReferenceConfiguration()
    configuration.meters = ["tokens": .init(unit: "{token}", attributes: ["kind"])]
    let prices = ["input": "1.25", "cached": "0.625", "output": "10"]
    configuration.rates = prices.sorted { $0.key < $1.key }.map {
      .init(meter: "tokens", filter: ["kind": $0.key], price: $0.value, per: "1000000")
    }
    let subject = try door.subject(configuration)
    let parts = [("input", "5005"), ("cached", "257955"), ("output", "1744")]
    let readings = parts.map {
      ReferenceReading(meter: "tokens", quantity: $0.1, attributes: ["kind": .string($0.0)])
    }
    _ = try subject.send([Self.event("1", at: subject.now - Calendar.hour, readings).line()])
    #expect(try subject.figures("t").totals == ["USD": "0.184918125"])
  }

  @Test("a price change inside a period, asked again after another (MA-25)", arguments: Door.open)
  func priceChange(door: Door) throws {
    var configuration = ReferenceConfiguration()
    configuration.meters = ["images": .init(unit: "{image}")]
    configuration.dedupeDays = 3650
    let change = Calendar.instant(2025, 3, 15)
    configuration.rates = [
      .init(meter: "images", price: "2", from: Calendar.instant(2025, 1, 1)),
      .init(meter: "images", price: "3", from: change),
    ]
    let subject = try door.subject(configuration)
    let ten = [ReferenceReading(meter: "images", quantity: "10")]
    let events = [Self.event("1", at: change - 1000, ten), Self.event("2", at: change, ten)]
    _ = try subject.send(events.map { $0.line() })
    #expect(try subject.figures("t").totals == ["USD": "50"])
    configuration.rates.append(
      .init(meter: "images", price: "4", from: Calendar.instant(2025, 4, 1)))
    try subject.reload(configuration)
    #expect(try subject.figures("t").totals == ["USD": "50"])
  }

  @Test("gigabytes and gibibytes (MA-17)", arguments: Door.open, ["GiB", "GB"])
  func gibibytes(door: Door, unit: String) throws {
    var configuration = ReferenceConfiguration()
    configuration.meters = ["storage": .init(unit: "By", isLevel: true)]
    configuration.rates = [.init(meter: "storage", price: "0.02", per: "1 \(unit).mo")]
    configuration.products = ["pass": .init(durationDays: 30)]
    let subject = try door.subject(configuration)
    let start = subject.now / 1000 - 40 * 86_400_000
    let purchase = ReferencePurchase(
      id: "t", original: "t", product: "pass", type: "Non-Renewing Subscription",
      purchased: start, signed: start)
    #expect(try subject.put(.purchase(purchase)) == 201)
    let held = ReferenceReading(meter: "storage", quantity: "5368709120")
    // The store remembers 35 days by default: the test's own window is wider.
    _ = try subject.send([Self.event("1", at: start * 1000, [held]).line()])
    #expect(try subject.figures("t").totals == ["USD": unit == "GiB" ? "0.1" : "0.1073741824"])
  }

  @Test("a level held is byte-seconds (MA-14)", arguments: Door.open)
  func levels(door: Door) throws {
    var configuration = ReferenceConfiguration()
    configuration.meters = ["storage": .init(unit: "By", isLevel: true, attributes: ["object"])]
    let subject = try door.subject(configuration)
    let midnight = (subject.now / Calendar.day - 2) * Calendar.day
    let purchase = ReferencePurchase(
      id: "t", original: "t", product: "none", type: "Non-Consumable",
      purchased: midnight / 1000, signed: midnight / 1000)
    #expect(try subject.put(.purchase(purchase)) == 201)
    let points = [(18, "0"), (0, "100e9"), (6, "200e9")]
    let events = points.map { hour, value in
      Self.event(
        "\(hour)", at: midnight + Int64(hour) * Calendar.hour,
        [ReferenceReading(meter: "storage", quantity: value, attributes: ["object": .string("o")])])
    }
    _ = try subject.send(each: events)
    let used = try subject.figures("t").usage["storage"]?.used
    #expect(used == Exact("3000e9").map { $0 * Exact(3600) })
  }

  @Test("a period's border is half-open (MA-11)", arguments: Door.open)
  func border(door: Door) throws {
    var configuration = ReferenceConfiguration()
    configuration.meters = ["images": .init(unit: "{image}")]
    let subject = try door.subject(configuration)
    let start = (subject.now / Calendar.day - 60) * Calendar.day
    let border = start + 30 * Calendar.day
    for (index, from) in [start, border].enumerated() {
      let purchase = ReferencePurchase(
        id: "c\(index)", original: "c0", product: "none", type: "Auto-Renewable Subscription",
        purchased: from / 1000, expires: from / 1000 + 30 * 86_400_000, signed: start / 1000)
      #expect(try subject.put(.purchase(purchase)) == 201)
    }
    let events = [(border - 1, "1"), (border, "2"), (border + 30 * Calendar.day, "4")].map {
      Self.event($0.1, .chain("c0"), at: $0.0, [ReferenceReading(meter: "images", quantity: $0.1)])
    }
    _ = try subject.send(events.map { $0.line() })
    #expect(try subject.figures("c0").usage["images"]?.used == Exact(1))
    #expect(try subject.figures("c1").usage["images"]?.used == Exact(2))
  }

  @Test(
    "consumption percentage (MA-37)", arguments: Door.open,
    [
      ("4000", "DELIVERED", "Consumable", 80_000), ("6000", "DELIVERED", "Consumable", 100_000),
      ("4000", "UNDELIVERED_OTHER", "Consumable", 0),
      ("4000", "DELIVERED", "Auto-Renewable Subscription", nil),
    ] as [(String, String, String, Int?)])
  func percentage(door: Door, row: (used: String, delivery: String, type: String, answer: Int?))
    throws
  {
    var configuration = ReferenceConfiguration()
    configuration.meters = ["credits": .init(unit: "{credit}")]
    configuration.products = ["credits.5000": .init(allowance: ["credits": "5000"])]
    let subject = try door.subject(configuration)
    let day = subject.now / 1000 - 86_400_000
    var purchase = ReferencePurchase(
      id: "t", original: "t", product: "credits.5000", type: row.type, purchased: day, signed: day)
    if row.answer == nil { purchase.expires = day + 30 * 86_400_000 }
    #expect(try subject.put(.purchase(purchase)) == 201)
    #expect(try subject.put(.delivery(id: "t", status: row.delivery)) == 204)
    let reading = ReferenceReading(meter: "credits", quantity: row.used, quotedQuantity: true)
    _ = try subject.send([Self.event("1", at: subject.now - Calendar.hour, [reading]).line()])
    let figures = try subject.figures("t")
    #expect(figures.percentage == row.answer)
    #expect(figures.usage["credits"]?.share == (row.used == "6000" ? 120_000 : 80_000))
  }
}
