import Testing

@Suite("The reference's money, on cases worked by hand")
struct ReferenceMoneyTests {
  private static let now = Calendar.instant(2026, 11, 30, 2, 30)

  private static func rated(_ prices: [(String, String)]) -> ReferenceConfiguration {
    var configuration = ReferenceTests.credits
    configuration.rates = prices.map { .init(meter: $0.0, price: $0.1) }
    return configuration
  }

  private static func use(
    _ quantity: String, on day: Int, of reference: inout Reference, meter: String = "credits"
  ) {
    var event = ReferenceTests.event("\(meter)-\(day)", quantity)
    event.body = .usage(
      subject: .transaction("t"), time: Calendar.instant(2026, 11, day),
      readings: [ReferenceReading(meter: meter, quantity: quantity)])
    _ = reference.take(event, now: now)
  }

  @Test("the contract's example: 9.99 less 30 %, 12.345 spent, 80 % used, asked back")
  func example() {
    var reference = Reference(Self.rated([("credits", "0.00308625")]))
    _ = reference.put(ReferenceTests.purchase)
    reference.putCustomer("t", customer: "u")
    reference.consent("u", true, at: 1)
    Self.use("4000", on: 20, of: &reference)
    #expect(reference.ask("t", reason: "UNSATISFIED_WITH_PURCHASE", now: Self.now) == 1)
    let figures = reference.moneyFigures("t", now: Self.now)
    #expect(figures?.proceeds == "6.993 kept 6.993 USD = 9.99 / 1 * 0.70")
    #expect(figures?.margin == ["USD": Exact("-5.352") ?? .zero])
    #expect(figures?.riskClass == "requested")
    #expect(figures?.riskCost == ["USD": Exact("12.345") ?? .zero])
    #expect(figures?.riskProceeds == "6.993 USD")
    #expect(figures?.request == "DELIVERED 80000 DECLINE false")
    #expect(figures?.gate == nil)
  }

  @Test(
    "a refund loses what was spent before it beyond what was kept, and the rest leaks",
    arguments: [
      ("REFUND_FULL", nil, "4", "1"), ("REFUND_PRORATED", 50_000, "0.5035", "1"),
      ("FAMILY_REVOKE", nil, nil, "1"),
    ] as [(String, Int?, String?, String)])
  func refunds(type: String, percentage: Int?, loss: String?, leak: String) {
    var reference = Reference(Self.rated([("credits", "0.001")]))
    var purchase = ReferenceTests.purchase
    purchase.revoked = Calendar.instant(2026, 11, 15) / 1000
    purchase.revocationType = type
    purchase.revocationPercentage = percentage
    _ = reference.put(purchase)
    Self.use("4000", on: 10, of: &reference)
    Self.use("1000", on: 16, of: &reference)
    let figures = reference.moneyFigures("t", now: Self.now)
    #expect(figures?.realisedLoss == loss.flatMap { Exact($0) }.map { ["USD": $0] } ?? [:])
    #expect(figures?.leak == ["USD": Exact(leak) ?? .zero])
  }

  @Test("only what goes beyond the kept half leaks") func partialLeak() {
    var reference = Reference(Self.rated([("credits", "0.001"), ("storage", "0.000001")]))
    var purchase = ReferenceTests.purchase
    purchase.revoked = Calendar.instant(2026, 11, 15) / 1000
    purchase.revocationType = "REFUND_PRORATED"
    purchase.revocationPercentage = 50_000
    _ = reference.put(purchase)
    Self.use("2000", on: 10, of: &reference)
    // A byte from the 16th on, which leaks from the 18th on, when 2,500 credits are used up.
    Self.use("1", on: 16, of: &reference, meter: "storage")
    Self.use("700", on: 18, of: &reference)
    let now = Calendar.instant(2026, 11, 20)
    // 200 credits and two days.
    #expect(reference.moneyFigures("t", now: now)?.leak == ["USD": Exact("0.3728") ?? .zero])
  }

  @Test("without an exchange rate currencies stand alone, and no loss is reckoned")
  func currencies() {
    var configuration = Self.rated([("credits", "0.001")])
    var purchase = ReferenceTests.purchase
    purchase.currency = "EUR"
    purchase.revoked = Calendar.instant(2026, 11, 29) / 1000
    purchase.revocationType = "REFUND_FULL"
    func figures() -> MoneyFigures? {
      var reference = Reference(configuration)
      _ = reference.put(purchase)
      Self.use("4000", on: 10, of: &reference)
      return reference.moneyFigures("t", now: Self.now)
    }
    #expect(figures()?.realisedLoss == nil)
    configuration.money.exchangeRates = [.init(from: "EUR", to: "USD", rate: "1.1", since: 0)]
    #expect(figures()?.realisedLoss == ["USD": Exact(4)])
    purchase.revoked = nil
    #expect(figures()?.margin == ["USD": Exact("3.6923") ?? .zero])
  }

  @Test("the time to answer, silence and a second request") func cases() {
    var reference = Reference(ReferenceTests.credits)
    _ = reference.put(ReferenceTests.purchase)
    let asked = Calendar.instant(2026, 11, 20)
    func state(_ later: Int64) -> String? {
      reference.cases["t"]?.last?.state(isSandbox: false, now: asked + later)
    }
    #expect(reference.ask("t", reason: nil, now: asked) == 1)
    #expect(state(12 * Calendar.hour - 1) == "open")
    #expect(state(12 * Calendar.hour) == "missed")
    #expect(state(12 * Calendar.hour + 30 * Calendar.day) == "lapsed")
    #expect(reference.ask("t", reason: nil, now: asked + 11 * Calendar.day) == 1)
    #expect(state(41 * Calendar.day - 1) == "missed")
    #expect(reference.ask("t", reason: nil, now: asked + 41 * Calendar.day) == 2)
  }
}
