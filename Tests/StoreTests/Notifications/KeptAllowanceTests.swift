import Metering
import Testing

/// What leaks of a purchase whose price went back in part.
@Suite struct KeptAllowanceTests {
  private static let meters = """
    meters: { credits: { unit: "{credit}" }, tokens: { unit: "{token}" },
              storage: { unit: "By", kind: "level", attributes: ["object"] },
              disk: { unit: "By", kind: "level" } },
    prices: [{ meter: "credits", price: "0.001", per: "1", currency: "USD" },
             { meter: "tokens", price: "0.01", per: "1", currency: "USD" },
             { meter: "storage", price: "1", per: "1 By.d", currency: "USD" },
             { meter: "storage", price: "5", per: "1 By.d", currency: "USD",
               from: "\(LifeDesk.day(16))" },
             { meter: "disk", price: "2", per: "1 By.d", currency: "USD" }],
    products: { "com.example.credits.5000": { allowance: { credits: "5000" } },
                "com.example.pass": { allowance: { storage: "20 By.d" }, duration: "P30D" } },
    """

  /// Half of the price goes back on day 10.
  private static func half(
    _ desk: LifeDesk, _ product: String = "com.example.credits.5000", _ type: String = "Consumable"
  ) throws {
    let revoked =
      "\"revocationDate\":\(LifeDesk.milliseconds(10)),"
      + "\"revocationType\":\"REFUND_PRORATED\",\"revocationPercentage\":50000"
    try desk.notify(
      Told.notification(
        "REFUND", signed: 20,
        Told.transaction("7", product: product, type: type, signed: 20, revoked)))
  }

  private static func leak(_ desk: LifeDesk, at day: Double) throws -> String? {
    try desk.consumption("7", at: day)?["leak"]?.elements?.first?["amount"]?.string?.string
  }

  @Test("sums leak beyond it, other meters from where it is used up") func sums() throws {
    let desk = try LifeDesk(meters: Self.meters)
    try desk.use("2000", "7", at: 5)
    try desk.use("100", "7", at: 11, meter: "tokens")
    // 2,500 are kept: 100 of these go beyond.
    try desk.use("600", "7", at: 12)
    try desk.use("7", "7", at: 13, meter: "tokens")
    try Self.half(desk)
    #expect(try Self.leak(desk, at: 20) == "0.17")
  }

  @Test(
    "readings without allowance leak by the part of their event's driver that goes beyond",
    arguments: [
      ["credits", "tokens"], ["tokens", "credits"],
    ])
  func proRata(_ meters: [String]) throws {
    let desk = try LifeDesk(meters: Self.meters)
    func send(_ id: String, _ quantities: [String: Int], at day: Double) throws {
      let readings = meters.compactMap { meter in
        quantities[meter].map { "{\"meter\":\"\(meter)\",\"quantity\":\($0)}" }
      }
      let line =
        "{\"id\":\"\(id)\",\"transactionId\":\"7\",\"time\":\"\(LifeDesk.day(day))\","
        + "\"usage\":[\(readings.joined(separator: ","))]}"
      #expect(try desk.send(line, at: day) == .accepted)
    }
    try send("within", ["credits": 2400, "tokens": 9], at: 11)
    // 2,500 are kept: of these 400 three quarters go beyond, and as much of the tokens.
    try send("across", ["credits": 400, "tokens": 8], at: 12)
    try send("after", ["tokens": 5], at: 13)
    try send("void", ["credits": 1000, "tokens": 1000], at: 14)
    try desk.send(#"{"id":"v","voids":{"source":"","id":"void"}}"#, at: 15)
    try Self.half(desk)
    #expect(try Self.leak(desk, at: 20) == "0.41")
  }

  @Test("levels without allowance leak from where it is used up") func levels() throws {
    let desk = try LifeDesk(meters: Self.meters)
    try desk.use("3", "7", at: 11, meter: "disk")
    try desk.use("2000", "7", at: 5)
    try Self.half(desk)
    #expect(try Self.leak(desk, at: 20) == nil)
    try desk.use("500", "7", at: 18)
    // Two days of three bytes at 2 each.
    #expect(try Self.leak(desk, at: 20) == "12")
  }

  @Test("levels use it up in order of time, whatever series they are in") func levelOrder() throws {
    let desk = try LifeDesk(meters: Self.meters)
    // 10 By.d are kept. Both objects use one a day, so they are used up on day 15: one day for the
    // old price of 1, four for that of 5; tokens leak, too.
    for (object, day) in [("a", 10.0), ("b", 10.0)] {
      try desk.send(
        "{\"id\":\"\(object)\",\"transactionId\":\"7\",\"meter\":\"storage\",\"quantity\":1,"
          + "\"attributes\":{\"object\":\"\(object)\"},\"time\":\"\(LifeDesk.day(day))\"}", at: day)
    }
    try desk.use("1", "7", at: 14.9, meter: "tokens")
    try desk.use("2", "7", at: 15, meter: "tokens")
    try Self.half(desk, "com.example.pass", "Non-Renewing Subscription")
    #expect(try Self.leak(desk, at: 20) == "42.02")
  }

  @Test("an end between two microseconds is exact") func betweenInstants() throws {
    let desk = try LifeDesk(meters: Self.meters)
    // Three bytes use 10 By.d up in three days and a third.
    try desk.use("3", "7", at: 10, meter: "storage")
    try Self.half(desk, "com.example.pass", "Non-Renewing Subscription")
    // Used by day 16: 18; beyond: 8 at 1. From then on 12 at 5.
    #expect(try Self.leak(desk, at: 20) == "68")
  }

  @Test("without any allowance everything since the revocation leaks") func none() throws {
    let desk = try LifeDesk(meters: Self.meters)
    try desk.use("5", "7", at: 9, meter: "tokens")
    try desk.use("5", "7", at: 11, meter: "tokens")
    try desk.use("1", "7", at: 12, meter: "disk")
    try Self.half(desk, "com.example.unheard-of")
    #expect(try Self.leak(desk, at: 20) == "16.05")
  }
}
