import Metering
import Testing

@Suite struct RateTests {
  private static func instant(_ text: String) throws -> Instant {
    try #require(Instant(rfc3339: ByteString(text)))
  }

  /// Cost of a quantity at an instant, printed with its currency.
  private static func cost(
    _ configuration: Configuration, _ meter: ByteString, _ quantity: Fraction,
    _ attributes: [(key: ByteString, value: ByteString)] = [], at text: String
  ) throws -> Fraction? {
    configuration.rate(meter: meter, attributes: attributes, at: try instant(text))
      .map { $0.price * quantity }
  }

  /// MA-07.
  @Test func cachedPromptTokensCostExactlyTheirOwnPrice() throws {
    let configuration = try Sample.load(
      """
      { meters: { tokens: { unit: "{token}", attributes: ["kind"] } }, prices: [
        { meter: "tokens", where: { kind: "input" },
          price: "1.25", per: "1000000", currency: "USD" },
        { meter: "tokens", where: { kind: "cached" },
          price: "0.625", per: "1000000", currency: "USD" },
        { meter: "tokens", where: { kind: "output" },
          price: "10", per: "1000000", currency: "USD" } ] }
      """
    ).get()
    var sum = Fraction.zero
    for (kind, quantity) in [("input", 5005), ("cached", 257_955), ("output", 1744)] {
      let cost = try Self.cost(
        configuration, "tokens", Fraction(quantity), [(key: "kind", value: ByteString(kind))],
        at: "2026-05-01T00:00:00Z")
      sum = sum + (try #require(cost))
    }
    #expect(sum.decimal == "0.184918125")
  }

  /// MA-17.
  @Test(arguments: [
    ("1 GiB.mo", "0.1"), ("1 GiBy.mo", "0.1"), ("1 GB.mo", "0.1073741824"),
    ("1 GBy.mo", "0.1073741824"), ("1000 MB.mo", "0.1073741824"), ("1000000 kB.mo", "0.1073741824"),
    ("1048576 KiB.mo", "0.1"), ("1024 MiB.mo", "0.1"), ("0.0009765625 TiB.mo", "0.1"),
    ("0.001 TB.mo", "0.1073741824"), ("1 GB.d", "3.221225472"), ("720 GB.h", "0.1073741824"),
    ("43200 GB.min", "0.1073741824"), ("2592000000000000 By.s", "0.1073741824"),
  ])
  func gigabytesArePowersOfTenAndGibibytesOfTwo(per: String, cost: String) throws {
    let configuration = try Sample.load(
      """
      { meters: { disk: { unit: "By", kind: "level" } },
        prices: [{ meter: "disk", price: "0.02", per: "\(per)", currency: "USD" }] }
      """
    ).get()
    let quantity = Fraction(5_368_709_120) * Fraction(720 * 3600)
    let found = try Self.cost(configuration, "disk", quantity, at: "2026-05-01T00:00:00Z")
    #expect(found?.decimal == cost)
  }

  /// MA-25.
  @Test func aPriceHoldsFromItsInstantToTheNext() throws {
    func configuration(_ more: String) throws -> Configuration {
      try Sample.load(
        """
        { meters: { m: { unit: "x" } }, prices: [ \(more)
          { meter: "m", price: "3", per: "1", currency: "USD", from: "2026-03-15T00:00:00Z" },
          { meter: "m", price: "2", per: "1", currency: "USD", from: "2026-01-01T00:00:00Z" } ] }
        """
      ).get()
    }
    let april =
      "{ meter: 'm', price: '4', per: '1', currency: 'USD', from: '2026-04-01T00:00:00Z' },"
    for book in [try configuration(""), try configuration(april)] {
      let costs = try [
        "2025-12-31T23:59:59.999999Z", "2026-03-14T23:59:59.999Z", "2026-03-15T00:00:00Z",
      ].map { try Self.cost(book, "m", 10, at: $0)?.decimal }
      #expect(costs == [nil, "20", "30"])
    }
    let known = try configuration(april)
    #expect(
      known.boundaries(meter: "m").map(\.description) == [
        "2026-01-01T00:00:00.000000Z", "2026-03-15T00:00:00.000000Z", "2026-04-01T00:00:00.000000Z",
      ])
    let ends = known.rates.map(\.until.microseconds)
    #expect(ends == [.max, known.rates[0].from.microseconds, known.rates[1].from.microseconds])
  }

  @Test(
    arguments: [
      ([:], "1"), (["model": "a"], "2"), (["model": "b"], "1"),
      (["model": "a", "direction": "in"], "3"), (["model": "a", "direction": "out"], "2"),
      (["direction": "in"], "1"), (["model": "a", "tier": "7.5", "direction": "in"], "4"),
    ] as [([String: String], String)])
  func theMostSpecificRateWins(attributes: [String: String], price: String) throws {
    let configuration = try Sample.load(
      """
      { meters: { m: { unit: "x", attributes: ["model", "direction", "tier"] } }, prices: [
        { meter: "m", price: "1", per: "1", currency: "USD" },
        { meter: "m", where: { model: "a" }, price: "2", per: "1", currency: "USD" },
        { meter: "m", where: { model: "a", direction: "in" },
          price: "3", per: "1", currency: "USD" },
        { meter: "m", where: { model: "a", direction: "in", tier: 7.50 }, price: "4", per: "1",
          currency: "USD" } ] }
      """
    ).get()
    let sorted = attributes.sorted { $0.key < $1.key }
    let rate = configuration.rate(
      meter: "m", attributes: sorted.map { (ByteString($0.key), ByteString($0.value)) },
      at: Instant(microseconds: 0))
    #expect(rate?.printedPrice == price)
  }

  @Test func metersWithoutRatesOnlyCount() throws {
    let configuration = try Sample.load(Sample.contract).get()
    #expect(configuration.hasRates(meter: "gpu_time"))
    #expect(!configuration.hasRates(meter: "credits"))
    let unmatched = configuration.rate(
      meter: "llm_tokens", attributes: [(key: "model", value: "gpt-4o")], at: .distantFuture)
    #expect(unmatched == nil)
  }

  @Test(
    arguments: [
      (nil, 0, "2026-06-01T00:00:00Z", "0.3"),
      ("Auto-Renewable Subscription", 364, "2026-06-01T00:00:00Z", "0.3"),
      ("Auto-Renewable Subscription", 365, "2026-06-01T00:00:00Z", "0.15"),
      ("Consumable", 400, "2026-06-01T00:00:00Z", "0.3"),
      ("Consumable", 0, "2026-12-31T23:59:59.999999Z", "0.3"),
      ("Consumable", 0, "2027-01-01T00:00:00Z", "0.1"),
    ] as [(String?, Int, String, String)])
  func theLastMatchingCommissionWins(
    type: String?, paidDays: Int, at text: String, rate: String
  ) throws {
    let configuration = try Sample.load(
      Sample.withMeters(
        """
        commission: [{ rate: "0.30" },
          { types: ["Auto-Renewable Subscription"], afterPaidDays: 365, rate: "0.15" },
          { types: ["Consumable"], from: "2027-01-01T00:00:00Z", rate: "0.10" }]
        """)
    ).get()
    let found = configuration.commission(
      type: type.map { ByteString($0) }, paidDays: paidDays, at: try Self.instant(text))
    #expect(found.decimal == rate)
  }

  @Test(
    arguments: [
      ("EUR", "USD", "2025-12-31T00:00:00Z", nil), ("EUR", "USD", "2026-01-01T00:00:00Z", "10.8"),
      ("EUR", "USD", "2026-07-01T00:00:00Z", "12"), ("USD", "EUR", "2026-07-01T00:00:00Z", nil),
      ("USD", "USD", "2020-01-01T00:00:00Z", "10"), ("JPY", "USD", "1960-01-01T00:00:00Z", "0.07"),
    ] as [(String, String, String, String?)])
  func convertsOnlyAsStated(from: String, to: String, at text: String, amount: String?) throws {
    let configuration = try Sample.load(
      Sample.withMeters(
        """
        exchangeRates: [{ from: "EUR", to: "USD", rate: "1.2", since: "2026-07-01T00:00:00Z" },
          { from: "EUR", to: "USD", rate: "1.08", since: "2026-01-01T00:00:00Z" },
          { from: "JPY", to: "USD", rate: "0.007" }]
        """)
    ).get()
    let money = Money(currency: ByteString(from), amount: 10)
    let converted = configuration.convert(money, to: ByteString(to), at: try Self.instant(text))
    #expect(converted?.amount.decimal == amount)
    #expect(converted == nil || converted?.currency == ByteString(to))
    #expect(configuration.boundaries(meter: "credits").count == 2)
  }

  @Test func taxAndTermsThatApply() throws {
    let configuration = try Sample.load(
      Sample.withMeters(
        """
        tax: { NLD: "0.21" },
        products: { p: [{ allowance: { credits: 2 }, from: "2026-02-01T00:00:00Z" },
          { allowance: { credits: 1 }, from: "2026-01-01T00:00:00Z" }] }
        """)
    ).get()
    #expect(configuration.tax(storefront: "NLD").decimal == "0.21")
    #expect(
      configuration.tax(storefront: nil).isZero && configuration.tax(storefront: "USA").isZero)
    let allowed = try ["2025-12-31T00:00:00Z", "2026-01-31T23:59:59Z", "2026-02-01T00:00:00Z"].map {
      configuration.terms(product: "p", purchasedAt: try Self.instant($0))?
        .allowance["credits"]?.decimal
    }
    #expect(allowed == [nil, "1", "2"])
    #expect(configuration.terms(product: "q", purchasedAt: .distantFuture) == nil)
  }
}
