import Metering
import Testing

@Suite("Consumption of a purchase")
struct ConsumptionTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var used: Int128
    var fields: [String: String] = [:]
    var delivery: DeliveryStatus?
    var own: Int128?
    var percentage: Int64?
    var share: Int64?
    var delivered: DeliveryStatus?
  }

  static let autoRenewable = [
    "type": "Auto-Renewable Subscription", "expiresDate": "2026-12-01T10:00:00Z",
  ]

  static let rows = [
    Row(
      testDescription: "4,000 of 5,000", used: 4000, percentage: 80_000, share: 80_000,
      delivered: .delivered),
    Row(
      testDescription: "6,000 of 5,000 is capped", used: 6000, percentage: 100_000,
      share: 100_000, delivered: .delivered),
    Row(
      testDescription: "undelivered is 0", used: 4000, delivery: .undeliveredOther, percentage: 0,
      share: 80_000, delivered: .undeliveredOther),
    Row(
      testDescription: "an auto-renewable has none", used: 4000, fields: autoRenewable,
      share: 80_000, delivered: .delivered),
    Row(
      testDescription: "an undelivered auto-renewable has none", used: 4000,
      fields: autoRenewable, delivery: .undeliveredOther, share: 80_000,
      delivered: .undeliveredOther),
    Row(
      testDescription: "two units, one used", used: 5000, fields: ["quantity": "2"],
      percentage: 50_000, share: 50_000, delivered: .delivered),
    Row(
      testDescription: "own allowance instead", used: 4000, own: 5500, percentage: 72_727,
      share: 72_727, delivered: .delivered),
    Row(testDescription: "an allowance of 0", used: 4000, own: 0, delivered: .delivered),
    Row(
      testDescription: "no allowance", used: 4000, fields: ["productId": "unknown"],
      delivered: .delivered),
    Row(testDescription: "unused", used: 0, percentage: 0, share: 0),
    Row(
      testDescription: "the share is rounded down", used: 4999, fields: ["quantity": "3"],
      percentage: 33_326, share: 33_326, delivered: .delivered),
  ]

  @Test("Percentage, share and delivery", arguments: rows)
  func percentage(_ row: Row) throws {
    var record = try Samples.record("1", Samples.pack.merging(row.fields) { $1 })
    record.deliveryStatus = row.delivery
    if let own = row.own { record.allowances = ["credits": Quantity(raw: own * Quantity.scale)] }
    var reading = FakeReading(records: [record])
    if row.used > 0 { reading.book(row.used, of: "credits", to: "1") }
    let answer = try #require(
      try ConsumptionAnswer(
        transaction: "1", from: reading, configuration: Samples.shop(), now: Samples.now))
    #expect(answer.consumptionPercentage == row.percentage)
    #expect(answer.share == row.share)
    #expect(answer.deliveryStatus == row.delivered)
  }

  @Test("The whole answer, byte for byte")
  func whole() throws {
    var reading = FakeReading(records: [try Samples.record("1", Samples.pack)])
    reading.book(4000, of: "credits", to: "1")
    let output: [(key: ByteString, value: ByteString)] = [
      (key: "direction", value: "output"), (key: "model", value: "gpt-4o"),
    ]
    reading.book(1_234_500, of: "llm_tokens", to: "1", attributes: output)
    reading.book(
      10, of: "llm_tokens", to: "1", attributes: [(key: "direction", value: "input")])
    let answer = try ConsumptionAnswer(
      transaction: "1", from: reading, configuration: Samples.shop(), now: Samples.now)
    let expected = """
      {"transactionId":"1","originalTransactionId":"1","productId":"pack","type":"Consumable",\
      "environment":"Production","customer":"f81d4fae-7dec-11d0-a765-00a0c91e6bf6",\
      "asOf":"2026-11-30T02:30:00.000000Z","lastEventAt":"2026-11-10T00:00:00.000000Z",\
      "billingPeriod":{"start":"2026-11-01T10:00:00.000000Z","end":null},"state":"active",\
      "deliveryStatus":"DELIVERED","consumptionPercentage":80000,"usage":[\
      {"meter":"credits","unit":"{credit}","used":"4000","allowed":"5000","share":80000},\
      {"meter":"llm_tokens","unit":"{token}","used":"1234510","allowed":null,"share":null}],\
      "cost":{"complete":false,"totals":[{"currency":"USD","amount":"12.345"}],"lines":[\
      {"meter":"llm_tokens","attributes":{"direction":"output","model":"gpt-4o"},\
      "quantity":"1234500","unit":"{token}","rate":{"price":"10.00","per":"1000000"},\
      "currency":"USD","amount":"12.345"}],"unpriced":[{"meter":"llm_tokens",\
      "attributes":{"direction":"input"},"quantity":"10","unit":"{token}"}]},\
      "proceeds":{"currency":"USD","amount":"6.993","kept":"6.993","basis":"9.99 / 1 * 0.70"},\
      "margin":[{"currency":"USD","amount":"-5.352"}],"atRisk":null,"realisedLoss":[],"leak":[],\
      "commitment":null,"refundCase":null,"consumptionRequest":null,"gate":"no_case",\
      "because":[]}
      """
    #expect(answer.map { String(decoding: $0.json, as: UTF8.self) } == expected)
  }

  @Test("Usage before its purchase is an answer without product and percentage")
  func early() throws {
    var reading = FakeReading()
    reading.book(4000, of: "credits", to: "1")
    let answer = try #require(
      try ConsumptionAnswer(
        transaction: "1", from: reading, configuration: Samples.shop(), now: Samples.now))
    #expect(answer.purchase == nil && answer.state == nil && answer.proceeds == nil)
    #expect(answer.consumptionPercentage == nil && answer.margin.isEmpty)
    #expect(answer.usage.map(\.used) == [Samples.fraction("4000")])
  }

  @Test("Facts alone are no purchase")
  func unknown() throws {
    var record = PurchaseRecord(transactionId: "1")
    record.deliveryStatus = .delivered
    let reading = FakeReading(records: [record])
    #expect(
      try ConsumptionAnswer(
        transaction: "1", from: reading, configuration: Samples.shop(), now: Samples.now) == nil)
  }

  @Test(
    "MA-09: intervals are anchored, clamped and never chained",
    arguments: [
      ("2025-02-28T15:00:00Z", 1), ("2025-02-28T15:00:00.001Z", 2),
      ("2025-03-31T15:00:00Z", 2), ("2025-03-31T15:00:00.001Z", 3),
      ("2025-04-30T15:00:00Z", 3), ("2026-01-31T15:00:00Z", 12),
    ])
  func intervals(_ end: String, _ count: Int128) throws {
    var configuration = Samples.shop()
    configuration.products["pack"]?[0].every = CalendarDuration(iso8601: "P1M")
    let fields = Samples.pack.merging([
      "type": "Auto-Renewable Subscription", "purchaseDate": "2025-01-31T15:00:00Z",
    ]) { $1 }
    let reading = FakeReading(records: [
      try Samples.record("1", fields.merging(["expiresDate": end]) { $1 })
    ])
    let answer = try ConsumptionAnswer(
      transaction: "1", from: reading, configuration: configuration, now: Samples.now)
    #expect(answer?.usage.first?.allowed == Samples.fraction(String(5000 * count)))
  }

  @Test("Intervals of a period that isn't known to end can't be counted")
  func openIntervals() throws {
    var configuration = Samples.shop()
    configuration.products["pack"]?[0].every = CalendarDuration(iso8601: "P1M")
    let reading = FakeReading(records: [try Samples.record("1", Samples.pack)])
    let answer = try ConsumptionAnswer(
      transaction: "1", from: reading, configuration: configuration, now: Samples.now)
    #expect(answer?.share == nil && answer?.usage.first?.allowed == nil)
  }

  @Test("A link wins over the account token")
  func customer() throws {
    var reading = FakeReading(records: [try Samples.record("1", Samples.pack)])
    reading.links["1"] = "Customer-A"
    let answer = try TransactionAnswer(
      transaction: "1", from: reading, configuration: Samples.shop(), now: Samples.now)
    #expect(answer?.customer == "Customer-A")
  }
}
