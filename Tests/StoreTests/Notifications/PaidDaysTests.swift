import Metering
import Testing

/// Which days count for the commission that falls after a year of paid service.
@Suite struct PaidDaysTests {
  private static func period(
    _ id: String, _ days: Range<Double>, signed: Double
  ) throws -> StoreNotification {
    Told.notification(
      signed == days.lowerBound ? "SUBSCRIBED" : "RENEWAL_EXTENDED", signed: signed,
      try Told.transaction(
        id, original: "m1", product: "com.example.pro", type: "Auto-Renewable Subscription",
        bought: days.lowerBound, expires: days.upperBound, price: 10_000, signed: signed))
  }

  private static func kept(_ desk: LifeDesk, _ id: String) throws -> String? {
    try desk.consumption(id, at: 450)?["proceeds"]?["kept"]?.string?.string
  }

  /// The first period ended on day 360 when it was bought; twice it was extended, to day 372.
  @Test(
    "days that Apple gave on top don't",
    arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
  func extensions(_ order: [Int]) throws {
    let desk = try LifeDesk()
    let told = [
      try Self.period("m1", 0..<360, signed: 0), try Self.period("m1", 0..<366, signed: 100),
      try Self.period("m1", 0..<372, signed: 200),
    ]
    for index in order { try desk.notify(told[index], at: 300) }
    try desk.notify(Self.period("m2", 372..<402, signed: 372))
    try desk.notify(Self.period("m3", 402..<432, signed: 402))
    for isStored in [false, true] {
      #expect(try Self.kept(desk, "m1") == "7")
      #expect(try Self.kept(desk, "m2") == "7", "360 days were paid for")
      #expect(try Self.kept(desk, "m3") == "8.5", "390 days were paid for")
      #expect(try desk.figures("m1", at: 371).hasPrefix("active"), "the period has its new end")
      if !isStored {
        try desk.flush()
        try desk.restart()
      }
    }
    #expect(try desk.differences() == [])
  }

  @Test("an older payload that tells of it is not applied") func notApplied() throws {
    let desk = try LifeDesk()
    try desk.notify(Self.period("m1", 0..<372, signed: 200))
    #expect(try !desk.notify(Self.period("m1", 0..<360, signed: 0), at: 201).isApplied)
    try desk.notify(Self.period("m2", 372..<402, signed: 372))
    #expect(try Self.kept(desk, "m2") == "7")
  }

  @Test("without an extension all do") func bought() throws {
    let desk = try LifeDesk()
    try desk.notify(Self.period("m1", 0..<372, signed: 0))
    try desk.notify(Self.period("m2", 372..<402, signed: 372))
    #expect(try Self.kept(desk, "m2") == "8.5")
  }
}
