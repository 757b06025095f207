import Metering
import Store
import Testing

/// An own cost that several purchases share is shared exactly: what division leaves is kept, and is
/// gone again where the usage is.
@Suite("Split own costs") struct SplitCostTests {
  private static let meters = """
    meters: { credits: { unit: "{credit}" }, calls: { unit: "1" } },
    products: { "p": { allowance: { credits: "40" } }, "q": { allowance: { credits: "40" } } },
    """

  private static func pack(
    _ id: String, _ product: String, bought: Double, signed: Double? = nil
  ) throws -> Command {
    let told = try Told.transaction(
      id, product: product, bought: bought, signed: signed ?? bought, token)
    return .putTransaction(id: told.id, payload: told.payload)
  }

  private static let user = "6f9619ff-8b86-d011-b42d-00cf4fc964ff"
  private static let token = #""appAccountToken":"\#(user)""#

  /// Two packs of 40 credits of one customer; the first is used up first.
  private static func desk() throws -> LifeDesk {
    let desk = try LifeDesk(meters: meters)
    try desk.run([pack("a", "p", bought: 0), pack("b", "q", bought: 1)], at: 1)
    return desk
  }

  private static func use(
    _ id: String, _ quantity: Int, cost: String, on desk: LifeDesk, at day: Double = 2
  ) throws {
    let line = """
      {"id":"\(id)","customer":"\(user)","meter":"credits","quantity":\(quantity),\
      "time":"\(LifeDesk.day(day))","cost":{"amount":"\(cost)","currency":"USD"}}
      """
    #expect(try desk.send(line, at: 2) == .accepted)
  }

  /// What each purchase has cost, in its own answer and in the quarter-hours by product, and what
  /// the gauges tell.
  private static func costs(_ desk: LifeDesk) throws -> [String] {
    let answers = try ["a", "b"].map { id in
      try desk.consumption(id, at: 3)?["cost"]?["totals"]?.elements?
        .compactMap { $0["amount"]?.string?.string }.joined(separator: "+") ?? "unknown"
    }
    let lines = try desk.ask {
      try $0.quarterHours(from: .distantPast, to: .distantFuture)
    }
    let products = Dictionary(grouping: lines, by: \.product).mapValues {
      $0.reduce(Fraction.zero) { $0 + $1.line.cost }.decimal
    }
    let gauges = desk.totals.byKey.filter { !$0.value.standingCost.isZero }
      .map { "\($0.key.label.product.string) \($0.value.standingCost.nearestDouble)" }
    return answers + products.sorted { $0.key < $1.key }.map(\.value) + gauges.sorted()
  }

  private static let third = ["0.033333333333", "0.066666666667"]
  private static let split = [
    third[1], third[0], third[1], third[0], "p 0.06666666666666667", "q 0.03333333333333333",
  ]

  @Test("0.1 by 40 and 20 is two thirds and one third", arguments: [false, true])
  func smallest(isFlushed: Bool) throws {
    let desk = try Self.desk()
    try Self.use("1", 60, cost: "0.1", on: desk)
    if isFlushed { try desk.flush() }
    #expect(try Self.costs(desk) == Self.split)
    try desk.restart()
    #expect(try Self.costs(desk) == Self.split)
    #expect(try desk.differences() == [])
  }

  /// Parts of any division add up to the whole, to the last digit.
  @Test(
    "the parts are the whole",
    arguments: [("0.1", 60), ("0.000000000000001", 47), ("1", 77), ("0.0123", 49), ("2", 80)])
  func sum(cost: String, quantity: Int) throws {
    let desk = try Self.desk()
    try Self.use("1", quantity, cost: cost, on: desk)
    for _ in 0..<2 {
      let lines = try desk.ask { reading in
        try ["a", "b"].flatMap { try reading.usage(of: $0) }
      }
      #expect(lines.reduce(Fraction.zero) { $0 + $1.cost } == Fraction(decimal: ByteString(cost)))
      #expect(lines.reduce(0) { $0 + $1.quantity } == Int128(quantity) * Quantity.scale)
      try desk.flush()
    }
  }

  @Test("a void takes all of it back, and leaves no remainder", arguments: [false, true])
  func void(isFlushed: Bool) throws {
    let desk = try Self.desk()
    try Self.use("1", 60, cost: "0.1", on: desk)
    if isFlushed { try desk.flush() }
    #expect(try desk.send(#"{"id":"v","voids":{"source":"","id":"1"}}"#, at: 2) == .accepted)
    #expect(try desk.ask { try $0.usage(of: "a") + $0.usage(of: "b") } == [])
    #expect(try Self.costs(desk).filter { $0 != "0" && $0 != "" } == [])
    #expect(try desk.differences() == [])
    // What was taken back can be used again, and costs the same.
    try Self.use("2", 60, cost: "0.1", on: desk)
    #expect(try Self.costs(desk) == Self.split)
  }

  @Test("a purchase that gets another product takes its part along") func relabelled() throws {
    let desk = try Self.desk()
    try Self.use("1", 60, cost: "0.1", on: desk)
    try desk.run(Self.pack("a", "q", bought: 0, signed: 3), at: 3)
    let whole = [Self.third[1], Self.third[0], "0", "0.1", "q 0.1"]
    #expect(try Self.costs(desk) == whole)
    #expect(try desk.differences() == [])
    try desk.restart()
    try desk.reload()
    #expect(try Self.costs(desk) == whole)
  }

  @Test("what waited is split when it is booked") func rebooked() throws {
    let desk = try LifeDesk(meters: Self.meters)
    try Self.use("1", 60, cost: "0.1", on: desk)
    try desk.run(.putOpening(id: "a", until: LifeDesk.day(2.5), usage: "[]"), at: 2)
    try desk.run([Self.pack("a", "p", bought: 0), Self.pack("b", "q", bought: 1)], at: 2)
    #expect(try Array(Self.costs(desk).prefix(2)) == ["", ""])
    try desk.run(.putOpening(id: "a", until: LifeDesk.day(1), usage: "[]"), at: 3)
    // Nothing is left under no product.
    #expect(try Self.costs(desk) == Self.split.prefix(2) + ["0"] + Self.split.dropFirst(2))
    #expect(try desk.differences() == [])
  }

  @Test("leak and kept allowance have their part of it") func leak() throws {
    let desk = try Self.desk()
    try Self.use("1", 60, cost: "0.1", on: desk)
    // A fifth of the price went back before, so that eight of the forty leak.
    let told = try Told.transaction(
      "a", product: "p", signed: 3,
      Self.token + ",\"revocationDate\":\(LifeDesk.milliseconds(1.5)),\"revocationReason\":0,"
        + "\"revocationType\":\"REFUND_PRORATED\",\"revocationPercentage\":20000")
    try desk.run(.putTransaction(id: told.id, payload: told.payload), at: 3)
    let leak = try desk.consumption("a", at: 3)?["leak"]?.elements?.first
    #expect(leak?["amount"]?.string?.string == "0.013333333333")
  }
}
