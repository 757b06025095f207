import Metering
import Wire

@testable import Sidecar

/// A page of a store in memory, with text that would like to be markup.
enum PageSample {
  static let now = at("2026-11-30T02:30:00Z")
  static let hostile: ByteString = "<img src=x onerror=alert(1)>&\"'\u{202E}\u{1B}"

  /// The answer about a purchase of 9.99 that used tokens for 12.345 and an open request for it.
  static func response(showsIdentifiers: Bool) throws -> HTTPResponse {
    var configuration = testConfiguration()
    configuration.showsIdentifiers = showsIdentifiers
    var reading = FakeQueries()
    try reading.put(
      "secret-7",
      """
      {"productId":"<b>bold</b>","type":"Consumable","environment":"Production",
      "inAppOwnershipType":"PURCHASED","purchaseDate":1793527200000,"price":9990,"currency":"USD",
      "appAccountToken":"ABCDEF12-0000-4000-8000-000000000001"}
      """)
    reading.ranks["secret-7"] = 1
    reading.lines["secret-7"] = [
      UsageLine(
        meter: "tokens", attributes: [], epoch: .distantPast, own: "USD",
        quantity: Quantity.scale, amount: 12_345_000_000_000_000, count: 1, firstTime: now,
        lastTime: now)
    ]
    let received = now.adding(microseconds: -10_800_000_000)
    var record = reading.records["secret-7"] ?? PurchaseRecord(transactionId: "secret-7")
    _ = record.ask(CaseRequest(reason: hostile, receivedAt: received), at: received)
    reading.records["secret-7"] = record
    reading.book(7, at: "2026-11-29T10:00:00Z", own: ("USD", 250))
    reading.book(7, at: "2026-11-30T01:00:00Z", own: ("USD", 125))
    reading.book(1, at: "2026-11-16T23:59:00Z", own: ("USD", 99_900))
    reading.book(1, at: "2026-11-30T01:00:00Z", meter: hostile, own: ("EUR", 50))
    return Answers(reading: reading, configuration: configuration, now: now).page(metrics)
  }

  private static var metrics: MetricsSnapshot {
    let label = RollupLabel(nil, testConfiguration())
    let totals = RollupTotals([
      RollupKey(.costAtRisk, "requested", "USD", of: label): Fraction(12_345, scale: 3),
      RollupKey(.costAtRisk, "refundable", "USD", of: label): Fraction(10_005, scale: 1),
      RollupKey(.realisedLoss, "", "USD", of: label): Fraction(3),
      RollupKey(.openCases, "none"): Fraction(3),
      RollupKey(.levelCost, "storage", "EUR", of: label): Fraction(45, scale: 1),
    ])
    var metrics = MetricsSnapshot(version: "1.2.3")
    metrics.rolledUp.update(totals, totals.sums.keys)
    metrics.isStoreReady = false
    metrics.isConfigurationCurrent = true
    metrics.storeFreeBytes = 1 << 40
    metrics.accepted = 1_234_567
    metrics.cost[
      .init(meter: "tokens", product: hostile, currency: "USD", environment: "Production")] =
      Fraction(12_345, scale: 3)
    return metrics
  }
}
