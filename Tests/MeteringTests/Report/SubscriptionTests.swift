import Metering
import Testing

@Suite("Subscriptions and customers")
struct SubscriptionTests {
  static func month(_ number: Int, of id: ByteString) throws -> PurchaseRecord {
    let commitment = "{\"billingPeriodNumber\":\(number),\"totalBillingPeriods\":12}"
    return try Samples.record(
      id,
      [
        "originalTransactionId": "m4", "productId": "pro", "type": Purchase.autoRenewable.string,
        "purchaseDate": "2026-\(number + 6)-01T00:00:00Z",
        "expiresDate": "2026-\(number + 7)-01T00:00:00Z", "price": "6990", "currency": "USD",
        "inAppOwnershipType": "PURCHASED", "billingPlanType": "MONTHLY",
        "commitmentInfo": commitment,
      ])
  }

  @Test("A commitment's current and past month")
  func commitment() throws {
    let reading = FakeReading(records: [
      try Self.month(4, of: "m4"), try Self.month(5, of: "m5"),
    ])
    let answers = try ["m4", "m5"].map {
      try ConsumptionAnswer(
        transaction: $0, from: reading, configuration: Samples.shop(), now: Samples.now)
    }
    #expect(answers.map { $0?.commitment?.isCurrent } == [false, true])
    #expect(answers.map { $0?.commitment?.remainingPayments } == [8, 7])
    // 7 × 6.99 × 0.70
    let forecasts = answers.map { $0?.commitment?.forecastAtRisk?.amount.decimal }
    #expect(forecasts == [nil, "34.251"])
  }

  @Test("The chain's periods, byte for byte")
  func periods() throws {
    var reading = FakeReading(records: [
      try Self.month(4, of: "m4"), try Self.month(5, of: "m5"),
    ])
    reading.links["m4"] = "anna"
    reading.book(3, of: "credits", to: "m4", cost: ("USD", 1_500_000_000_000_000))
    let answer = try SubscriptionAnswer(
      chain: "m4", from: reading, configuration: Samples.shop(), now: Samples.now)
    let expected = """
      {"originalTransactionId":"m4","customer":"anna","periods":[\
      {"transactionId":"m4","productId":"pro","environment":"Production","billingPeriod":\
      {"start":"2026-10-01T00:00:00.000000Z","end":"2026-11-01T00:00:00.000000Z"},\
      "state":"superseded","share":null,"cost":{"complete":true,\
      "totals":[{"currency":"USD","amount":"1.5"}]}},\
      {"transactionId":"m5","productId":"pro","environment":"Production","billingPeriod":\
      {"start":"2026-11-01T00:00:00.000000Z","end":"2026-12-01T00:00:00.000000Z"},\
      "state":"active","share":null,"cost":{"complete":true,"totals":[]}}]}
      """
    #expect(answer.map { String(decoding: $0.json, as: UTF8.self) } == expected)
    #expect(
      try SubscriptionAnswer(
        chain: "other", from: reading, configuration: Samples.shop(), now: Samples.now) == nil)
  }

  @Test("A transaction, in Apple's fields and units")
  func transaction() throws {
    var reading = FakeReading(records: [
      try Samples.record("1", ["productId": "pack", "purchaseDate": "2026-11-01T10:00:00Z"])
    ])
    reading.book(4000, of: "credits", to: "1")
    let answer = try TransactionAnswer(
      transaction: "1", from: reading, configuration: Samples.shop(), now: Samples.now)
    let expected = """
      {"transactionId":"1","originalTransactionId":"1","productId":"pack",\
      "purchaseDate":1793527200000,"environment":"Production","state":"active","customer":null,\
      "deliveryStatus":"DELIVERED","share":80000}
      """
    #expect(answer.map { String(decoding: $0.json, as: UTF8.self) } == expected)
  }

  @Test("A customer")
  func customer() throws {
    var reading = FakeReading()
    reading.customers["anna"] = CustomerRecord(
      transactions: ["1", "2"],
      consent: [ConsentRecord(consented: true, at: Samples.instant("2026-11-01T10:00:00Z"))],
      unattributed: ["credits": 2_500_000_000])
    let answer = try CustomerAnswer(
      customer: "anna", from: reading, configuration: Samples.shop())
    let expected = """
      {"customer":"anna","transactions":["1","2"],"consent":[{"consented":true,\
      "at":"2026-11-01T10:00:00.000000Z"}],"unattributed":[{"meter":"credits",\
      "unit":"{credit}","quantity":"2.5"}]}
      """
    #expect(String(decoding: answer.json, as: UTF8.self) == expected)
  }
}
