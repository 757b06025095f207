import Metering
import Testing

@Suite("Cost of a purchase")
struct CostTests {
  private func answer(
    _ reading: FakeReading, _ configuration: Configuration, now: Instant = Samples.now
  ) throws -> ConsumptionAnswer {
    try #require(
      try ConsumptionAnswer(
        transaction: "1", from: reading, configuration: configuration, now: now))
  }

  @Test("MA-07: cached tokens sent as disjoint readings")
  func cachedTokens() throws {
    var configuration = Samples.shop()
    configuration.rates = [("input", "1.25"), ("cached", "0.625"), ("output", "10")].map {
      Samples.rate(
        "llm_tokens", $1, per: "1000000", units: "1000000",
        where: [Rate.Condition(attribute: "direction", value: ByteString($0))])
    }
    var reading = FakeReading(records: [try Samples.record("1", Samples.pack)])
    for (direction, count) in [("input", 5005), ("cached", 257_955), ("output", 1744)] {
      reading.book(
        Int128(count), of: "llm_tokens", to: "1",
        attributes: [(key: "direction", value: ByteString(direction))])
    }
    #expect(
      try answer(reading, configuration).cost.totals.map(\.amount.decimal) == ["0.184918125"])
  }

  @Test("MA-25: a price change inside a period, asked before and after the next one")
  func priceChange() throws {
    var configuration = Samples.shop()
    let two = Samples.rate("credits", "2", per: "1", from: "2026-01-01T00:00:00Z")
    let three = Samples.rate("credits", "3", per: "1", from: "2026-03-15T00:00:00Z")
    let four = Samples.rate("credits", "4", per: "1", from: "2026-04-01T00:00:00Z")
    configuration.rates = [two, three]
    var reading = FakeReading(records: [try Samples.record("1", Samples.pack)])
    reading.book(10, of: "credits", to: "1", epoch: two.from)
    reading.book(10, of: "credits", to: "1", epoch: three.from)
    let march = try answer(reading, configuration)
    configuration.rates = [four, three, two]
    let april = try answer(reading, configuration)
    #expect(march.cost.totals.map(\.amount.decimal) == ["50"])
    #expect(april.cost.totals.map(\.amount.decimal) == ["50"])
    #expect(april.cost.lines.map(\.cost.amount.decimal) == ["20", "30"])
  }

  @Test("Lines with the same rate are one, own costs stand beside")
  func lines() throws {
    var configuration = Samples.shop()
    configuration.rates = [Samples.rate("credits", "2", per: "1")]
    configuration.exchangeRates = [
      ExchangeRate(from: "EUR", to: "USD", rate: Samples.fraction("1.5"))
    ]
    var reading = FakeReading(records: [try Samples.record("1", Samples.pack)])
    reading.book(1, of: "credits", to: "1")
    reading.book(2, of: "credits", to: "1", epoch: Samples.instant("2026-05-01T00:00:00Z"))
    reading.book(5, of: "credits", to: "1", cost: ("EUR", 2_000_000_000_000_000))
    let found = try answer(reading, configuration)
    #expect(found.cost.lines.map { $0.rate?.price ?? "own" } == ["2", "own"])
    #expect(found.cost.totals.map(\.amount.decimal) == ["2", "6"])
    #expect(found.usage.first?.used == Samples.fraction("8"))
    #expect(found.margin.map(\.amount.decimal) == ["-2.007"])
  }

  @Test("Currencies without an exchange rate stand alone")
  func currencies() throws {
    var reading = FakeReading(records: [try Samples.record("1", Samples.pack)])
    reading.book(5, of: "credits", to: "1", cost: ("EUR", 2_000_000_000_000_000))
    let margin = try answer(reading, Samples.shop()).margin
    #expect(margin.map(\.currency) == ["EUR", "USD"])
    #expect(margin.map(\.amount.decimal) == ["-2", "6.993"])
  }

  @Test("MA-14: storage for a day, from levels reported under two ids of the chain")
  func byteHours() throws {
    let month = [
      "originalTransactionId": "1", "type": "Auto-Renewable Subscription",
      "purchaseDate": "2026-11-01T00:00:00Z", "expiresDate": "2026-12-01T00:00:00Z",
    ]
    var reading = FakeReading(records: [try Samples.record("1", month)])
    reading.level(
      "storage", of: "1",
      [("2026-11-10T00:00:00Z", 100_000_000_000), ("2026-11-10T06:00:00Z", 200_000_000_000)])
    reading.level("storage", of: "0", [("2026-11-10T18:00:00Z", 7)])
    reading.records.append(
      try Samples.record("0", month.merging(["purchaseDate": "2026-10-01T00:00:00Z"]) { $1 }))
    reading.series["0"]?[0].points[0].value = 0
    let used = try answer(reading, Samples.shop()).usage
    #expect(used.map(\.unit) == ["By.s"])
    // 3,000 GB-h in byte-seconds.
    #expect(used.map(\.used.decimal) == ["10800000000000000"])
  }

  @Test(
    "MA-17: a month of 5 GiB per GiB and per GB",
    arguments: [("1073741824", "0.1"), ("1000000000", "0.1073741824")])
  func storageUnits(_ bytes: String, _ expected: String) throws {
    var configuration = Samples.shop()
    let month = Samples.fraction(bytes) * Samples.fraction("2592000")
    configuration.rates = [Samples.rate("storage", "0.02", per: "unit", units: month.decimal)]
    var reading = FakeReading(records: [try Samples.record("1", Samples.pack)])
    reading.level(
      "storage", of: "1", [("2026-11-02T00:00:00Z", 5_368_709_120), ("2026-12-02T00:00:00Z", 0)])
    let later = Samples.instant("2027-01-01T00:00:00Z")
    #expect(
      try answer(reading, configuration, now: later).cost.totals.map(\.amount.decimal)
        == [expected])
  }

  @Test("Levels are cut where prices change, at now, and at the ends of the purchase")
  func levelCuts() throws {
    var configuration = Samples.shop()
    configuration.rates = [
      Samples.rate("storage", "1", per: "1 s"),
      Samples.rate("storage", "10", per: "1 s", from: "2026-11-01T10:00:05Z"),
    ]
    let reading = try {
      var reading = FakeReading(records: [try Samples.record("1", Samples.pack)])
      reading.level("storage", of: "1", [("2026-11-01T09:00:00Z", 1)])
      return reading
    }()
    let now = Samples.instant("2026-11-01T10:00:07Z")
    let cost = try answer(reading, configuration, now: now).cost
    #expect(cost.lines.map(\.quantity.decimal) == ["5", "2"])
    #expect(cost.totals.map(\.amount.decimal) == ["25"])
  }

  @Test(
    "Proceeds",
    arguments: [
      ([:], "6.993", "9.99 / 1 * 0.70"),
      (["storefront": "NLD", "price": "12100"], "7", "12.1 / 1.21 * 0.70"),
      (["inAppOwnershipType": "FAMILY_SHARED"], "0", "0: inAppOwnershipType FAMILY_SHARED"),
      (["price": "0"], "0", "0 / 1 * 0.70"),
    ] as [([String: String], String, String)])
  func proceeds(_ fields: [String: String], _ amount: String, _ basis: String) throws {
    var configuration = Samples.shop()
    configuration.tax = ["NLD": Samples.fraction("0.21")]
    let reading = FakeReading(records: [
      try Samples.record("1", Samples.pack.merging(fields) { $1 })
    ])
    let found = try answer(reading, configuration).proceeds
    #expect(found?.money.amount.decimal == amount && found?.basis == basis)
  }

  @Test(
    "Refund, leak and realised loss",
    arguments: [
      ("REFUND_FULL", "2026-11-20T00:00:00Z", "0", "8", []),
      ("FAMILY_REVOKE", "2026-11-20T00:00:00Z", "6.993", nil, []),
      ("REFUND_FULL", "2026-11-05T00:00:00Z", "0", "0", ["8"]),
      ("FAMILY_REVOKE", "2026-11-05T00:00:00Z", "6.993", nil, ["8"]),
      ("REFUND_FULL", "2026-12-05T00:00:00Z", "6.993", nil, []),
    ] as [(String, String, String, String?, [String])])
  func refunds(
    _ type: String, _ date: String, _ kept: String, _ loss: String?, _ leak: [String]
  ) throws {
    var configuration = Samples.shop()
    configuration.rates = [Samples.rate("credits", "2", per: "1")]
    let fields = ["revocationDate": date, "revocationType": type]
    var reading = FakeReading(records: [
      try Samples.record("1", Samples.pack.merging(fields) { $1 })
    ])
    reading.book(4, of: "credits", to: "1")
    let found = try answer(reading, configuration)
    #expect(found.proceeds?.kept.decimal == kept)
    #expect(found.refund.realisedLoss?.map(\.amount.decimal) == (loss.map { [$0] } ?? []))
    #expect(found.refund.leak.map(\.amount.decimal) == leak)
  }
}
