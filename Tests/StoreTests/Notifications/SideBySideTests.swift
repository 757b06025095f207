import Metering
import Testing

/// Purchases that go on side by side, and intervals that Apple made longer.
@Suite("Side by side") struct SideBySideTests {
  private static let meters = """
    meters: { credits: { unit: "{credit}" },
              disk: { unit: "By", kind: "level" } },
    prices: [{ meter: "disk", price: "1", per: "1 By.d", currency: "USD" },
             { meter: "credits", price: "1", per: "1", currency: "USD" }],
    products: { "com.example.credits.5000": { allowance: { credits: "100" } },
                "com.example.pro": { allowance: { credits: "10" }, every: "P1M" } },
    """

  private static func put(_ told: StoreNotification.Transaction) -> Command {
    .putTransaction(id: told.id, payload: told.payload)
  }

  private static func pack(
    _ id: String, bought: Double, signed: Double? = nil, _ more: String = ""
  ) throws -> Command {
    put(
      try Told.transaction(
        id, original: "a", bought: bought, signed: signed ?? bought, more))
  }

  private static func costs(_ desk: LifeDesk, at day: Double) throws -> [String?] {
    try ["a", "b"].map { id in
      try desk.consumption(id, at: day)?["cost"]?["totals"]?.elements?.first?["amount"]?.string?
        .string
    }
  }

  /// The later of two packs of one chain takes the chain's level from its purchase on, and gives it
  /// back when it is taken back.
  @Test("a chain's level is one pack's at each instant", arguments: [false, true])
  func level(isLate: Bool) throws {
    let desk = try LifeDesk(meters: Self.meters)
    try desk.run(Self.pack("a", bought: 0), at: 0)
    if !isLate { try desk.run(Self.pack("b", bought: 2), at: 2) }
    try desk.use("3", "a", at: 1, meter: "disk", subject: "originalTransactionId")
    if isLate { try desk.run(Self.pack("b", bought: 2), at: 3) }
    #expect(try Self.costs(desk, at: 2) == ["3", nil])
    #expect(try Self.costs(desk, at: 4) == ["3", "6"])
    let refund = Told.refund(5)
    try desk.run(Self.pack("b", bought: 2, signed: 5, refund), at: 5)
    #expect(try Self.costs(desk, at: 7) == ["9", "9"])
    #expect(try desk.differences() == [])
  }

  @Test("a level's later readings are the later pack's") func lastEvent() throws {
    let desk = try LifeDesk(meters: Self.meters)
    try desk.run([Self.pack("a", bought: 0), Self.pack("b", bought: 2)], at: 2)
    for (value, day) in [("3", 1.0), ("4", 3)] {
      try desk.use(value, "a", at: day, meter: "disk", subject: "originalTransactionId")
    }
    let last = try ["a", "b"].map { try desk.consumption($0, at: 4)?["lastEventAt"]?.string }
    #expect(last == [1, 3].map { ByteString(LifeDesk.day($0).description) })
  }

  @Test("a late pack takes over the chain's usage", arguments: [false, true])
  func takeOver(isFlushed: Bool) throws {
    let desk = try LifeDesk(meters: Self.meters)
    try desk.run(Self.pack("a", bought: 0), at: 0)
    for (quantity, day) in [("1", 1.0), ("2", 2), ("4", 3)] {
      try desk.use(quantity, "a", at: day, subject: "originalTransactionId")
    }
    if isFlushed { try desk.flush() }
    try desk.run(Self.pack("b", bought: 2), at: 4)
    #expect(try Self.costs(desk, at: 4) == ["1", "6"])
    #expect(try desk.differences() == [])
  }

  /// A month of thirty days and seven that Apple gave on top is one interval, for the share and for
  /// where an allowance ends.
  @Test("days on top make no second allowance", arguments: [37.0, 50])
  func daysOnTop(end: Double) throws {
    let desk = try LifeDesk(meters: Self.meters)
    let user = "6f9619ff-8b86-d011-b42d-00cf4fc964ff"
    let token = #""appAccountToken":"\#(user)""#
    try desk.run(
      [
        Self.put(
          try Told.transaction(
            "a", product: "com.example.pro", type: "Auto-Renewable Subscription", expires: end,
            signed: 0, token)),
        Self.put(try Told.transaction("b", bought: 0, signed: 0, token)),
      ], at: 0)
    for day in [5.0, 33] { try desk.use("10", user, at: day, subject: "customer") }
    let isOne = end < 46
    #expect(try Self.costs(desk, at: 34) == (isOne ? ["10", "10"] : ["20", nil]))
    let usage = try desk.consumption("a", at: 34)?["usage"]?.elements?.first
    #expect(usage?["share"]?.integer == 100_000)
    #expect(usage?["allowed"]?.string?.string == (isOne ? "10" : "20"))
  }
}
