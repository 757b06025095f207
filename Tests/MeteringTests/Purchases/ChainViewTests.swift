import Metering
import Testing

@Suite("Chains in time")
struct ChainViewTests {
  /// Three months, of which the second was upgraded in its middle, then a gap, then one in grace.
  static func subscription() throws -> ChainView {
    func month(
      _ id: ByteString, _ from: String, _ until: String, _ more: [String: String] = [:]
    ) throws -> PurchaseRecord {
      var fields = [
        "originalTransactionId": "m1", "type": "Auto-Renewable Subscription",
        "purchaseDate": from, "expiresDate": until,
      ]
      fields.merge(more) { $1 }
      return try Samples.record(id, fields)
    }
    return ChainView([
      try month(
        "m4", "2026-06-10T00:00:00Z", "2026-07-10T00:00:00Z",
        ["gracePeriodExpiresDate": "2026-07-26T00:00:00Z"]),
      try month("m2", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z", ["isUpgraded": "true"]),
      try month("m1", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"),
      try month(
        "m3", "2026-02-15T00:00:00Z", "2026-03-15T00:00:00Z",
        ["revocationDate": "2026-03-01T00:00:00Z", "revocationType": "REFUND_FULL"]),
    ])
  }

  @Test(
    "Chain-addressed usage goes to the purchase in force",
    arguments: [
      ("2025-12-31T23:59:59.999999Z", nil), ("2026-01-01T00:00:00Z", "m1"),
      ("2026-01-31T23:59:59.999999Z", "m1"), ("2026-02-01T00:00:00Z", "m2"),
      ("2026-02-14T23:59:59.999999Z", "m2"), ("2026-02-15T00:00:00Z", "m3"),
      ("2026-03-01T00:00:00Z", "m3"), ("2026-03-14T23:59:59.999999Z", "m3"),
      ("2026-03-15T00:00:00Z", nil), ("2026-06-10T00:00:00Z", "m4"),
      ("2026-07-20T00:00:00Z", "m4"), ("2026-07-26T00:00:00Z", nil),
    ] as [(String, ByteString?)])
  func inForce(_ time: String, _ expected: ByteString?) throws {
    #expect(try Self.subscription().purchaseInForce(at: Samples.instant(time)) == expected)
  }

  @Test("Order of arrival doesn't matter, and ends are half-open")
  func ends() throws {
    let view = try Self.subscription()
    #expect(view.periods.map(\.transactionId) == ["m1", "m2", "m3", "m4"])
    #expect(
      view.periods.map(\.end)
        == ["2026-02-01", "2026-02-15", "2026-03-01", "2026-07-26"].map {
          Samples.instant($0 + "T00:00:00Z")
        })
  }

  @Test(
    "States, the first that holds",
    arguments: [
      ("m1", "2026-01-15T00:00:00Z", "active"), ("m1", "2026-02-01T00:00:00Z", "superseded"),
      ("m2", "2026-02-10T00:00:00Z", "superseded"), ("m3", "2026-02-28T00:00:00Z", "active"),
      ("m3", "2026-03-01T00:00:00Z", "refunded"), ("m3", "2026-07-01T00:00:00Z", "refunded"),
      ("m4", "2026-07-10T00:00:00Z", "grace"), ("m4", "2026-07-26T00:00:00Z", "expired"),
    ] as [(ByteString, String, String)])
  func states(_ id: ByteString, _ time: String, _ expected: String) throws {
    let period = try Self.subscription().period(of: id)
    #expect(period?.state(at: Samples.instant(time)).name == expected)
  }

  @Test(
    "When time alone changes a state",
    arguments: [
      ("m1", "2026-01-15T00:00:00Z", "2026-02-01T00:00:00Z"),
      ("m3", "2026-02-20T00:00:00Z", "2026-03-01T00:00:00Z"),
      ("m3", "2026-03-01T00:00:00Z", nil), ("m4", "2026-06-20T00:00:00Z", "2026-07-10T00:00:00Z"),
      ("m4", "2026-07-10T00:00:00Z", "2026-07-26T00:00:00Z"), ("m4", "2026-07-26T00:00:00Z", nil),
    ] as [(ByteString, String, String?)])
  func changes(_ id: ByteString, _ now: String, _ expected: String?) throws {
    let period = try Self.subscription().period(of: id)
    #expect(
      period?.nextChange(after: Samples.instant(now)) == expected.map { Samples.instant($0) })
  }

  @Test(
    "What was bought once ends only by revocation",
    arguments: [
      ("Consumable", nil, "FAMILY_REVOKE", "active"), ("Non-Consumable", nil, "", "active"),
      ("Consumable", "2026-03-01T00:00:00Z", "FAMILY_REVOKE", "revoked"),
      ("Non-Consumable", "2026-03-01T00:00:00Z", "REFUND_FULL", "refunded"),
    ] as [(String, String?, String, String)])
  func oneTime(_ type: String, _ revoked: String?, _ how: String, _ state: String) throws {
    var fields = ["type": type, "purchaseDate": "2026-01-01T00:00:00Z"]
    if let revoked { fields.merge(["revocationDate": revoked, "revocationType": how]) { $1 } }
    let view = ChainView([try Samples.record("1", fields)])
    let later = Samples.instant("2046-01-01T00:00:00Z")
    #expect(view.purchaseInForce(at: later) == "1")
    #expect(view.periods.first?.state(at: later).name == state)
    #expect(view.periods.first?.isInForce(at: later) == (revoked == nil))
  }

  @Test("A non-renewing subscription ends after the product's duration")
  func nonRenewing() throws {
    var configuration = Samples.configuration()
    var terms = ProductTerms()
    terms.duration = CalendarDuration(iso8601: "P30D")
    configuration.products = ["pass": [terms]]
    let record = try Samples.record(
      "1",
      [
        "type": "Non-Renewing Subscription", "productId": "pass",
        "purchaseDate": "2026-01-01T00:00:00Z",
      ])
    let end = Samples.instant("2026-01-31T00:00:00Z")
    let view = ChainView([record], configuration: configuration)
    #expect(view.periods.first?.periodEnd == end && view.nextChange(after: .distantPast) == end)
    #expect(view.purchaseInForce(at: end) == nil)
    #expect(ChainView([record]).purchaseInForce(at: end) == "1")
    #expect(ChainView([record]).booked(at: end, configuration) == nil)
  }

  @Test("A purchase without a date is never in force, but has a state")
  func undated() throws {
    let view = ChainView([
      try Samples.record("2", ["originalTransactionId": "1"]),
      try Samples.record(
        "1", ["purchaseDate": "2026-01-01T00:00:00Z", "expiresDate": "2026-02-01T00:00:00Z"]),
      PurchaseRecord(transactionId: "3"),
    ])
    let now = Samples.instant("2026-03-01T00:00:00Z")
    #expect(view.periods.map(\.transactionId) == ["1", "2"])
    #expect(view.purchaseInForce(at: now) == nil)
    #expect(view.periods.map { $0.state(at: now) } == [.expired, .active])
  }

  @Test("Paid days count what was paid and served")
  func paidDays() throws {
    let fields = ["originalTransactionId": "1", "inAppOwnershipType": "PURCHASED"]
    func year(_ id: ByteString, _ from: String, _ until: String, _ price: String) throws
      -> PurchaseRecord
    {
      try Samples.record(
        id, fields.merging(["purchaseDate": from, "expiresDate": until, "price": price]) { $1 })
    }
    let view = ChainView([
      try year("1", "2024-01-01T00:00:00Z", "2024-01-08T00:00:00Z", "0"),
      try year("2", "2024-01-08T00:00:00Z", "2025-01-07T00:00:00Z", "9990"),
      try year("3", "2025-03-01T00:00:00Z", "2026-03-01T00:00:00Z", "9990"),
    ])
    #expect(["1", "2", "3"].map { view.paidDays(before: $0) } == [0, 0, 365])
  }
}
