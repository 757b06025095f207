import Metering
import Store
import Testing

/// An event's own cost that several packs take stays the cost that was stated, to the last digit.
@Suite("An own cost split over packs") struct OwnCostTests {
  private static let meters = """
    meters: { credits: { unit: "{credit}" }, gpu: { unit: "s" } },
    products: { "pack": { allowance: { credits: "40" } } },
    """

  /// One reading's quantity and cost, and what each pack of 40 takes of the quantity, in order.
  struct Split: Sendable, CustomTestStringConvertible {
    var quantity: String
    var cost: String
    var taken: [String]
    var testDescription: String { "\(cost) of \(quantity)" }

    /// What each pack has to have cost, exactly.
    func costs() throws -> [Fraction] {
      let whole = try #require(Fraction(decimal: ByteString(cost)))
      let total = try #require(Fraction(decimal: ByteString(quantity)))
      return try taken.map {
        let share = try #require(Fraction(decimal: ByteString($0)))
        return total.isZero ? whole : whole * share / total
      }
    }
  }

  private static let splits = [
    Split(quantity: "60", cost: "0.1", taken: ["40", "20"]),
    Split(quantity: "100", cost: "0.000000000000001", taken: ["40", "40", "20"]),
    Split(quantity: "120", cost: "0.000000000000002", taken: ["40", "40", "40"]),
    Split(
      quantity: "93", cost: "999999999999999999.999999999999999", taken: ["40", "40", "13"]),
    Split(quantity: "40.000000001", cost: "0.1", taken: ["40", "0.000000001"]),
    // What is beyond the last pack is its overuse.
    Split(quantity: "140", cost: "0.1", taken: ["40", "40", "60"]),
    Split(quantity: "40", cost: "0.1", taken: ["40"]),
    Split(quantity: "0", cost: "0.1", taken: ["0"]),
  ]

  /// When the packs become known: before the event, or all at once while it waits.
  enum Arrival: Sendable, CaseIterable { case packsFirst, packsLate }

  private static let packs: [ByteString] = ["1", "2", "3"]

  /// The packs are of one chain, so that one link makes all of them the customer's at once.
  private static func buy(_ desk: LifeDesk) throws {
    for (number, id) in packs.enumerated() {
      let told = try Told.transaction(
        "\(id)", original: "1", product: "pack", bought: Double(number) / 10, signed: 1)
      try desk.run(.putTransaction(id: id, payload: told.payload), at: 1)
    }
    try desk.run(.putCustomer(id: "1", customer: "c"), at: 1)
  }

  private static func event(_ split: Split) -> String {
    #"{"id":"e","customer":"c","time":"\#(LifeDesk.day(2))","usage":["#
      + #"{"meter":"gpu","quantity":1,"cost":{"amount":"0.3","currency":"USD"}},"#
      + #"{"meter":"credits","quantity":"\#(split.quantity)","#
      + #""cost":{"amount":"\#(split.cost)","currency":"USD"}}]}"#
  }

  /// What each pack has of a meter's own cost, as far as it has any of its readings.
  private static func costs(_ desk: LifeDesk, _ meter: ByteString) throws -> [Fraction] {
    try desk.ask { store in
      try packs.compactMap { id in
        let lines = try store.usage(of: id).filter { $0.meter == meter }
        return lines.isEmpty ? nil : lines.reduce(Fraction.zero) { $0 + $1.cost }
      }
    }
  }

  @Test("adds up however it came, and is taken back whole", arguments: splits, Arrival.allCases)
  func addsUp(_ split: Split, _ arrival: Arrival) throws {
    let desk = try LifeDesk(meters: Self.meters)
    if arrival == .packsFirst { try Self.buy(desk) }
    #expect(try desk.send(Self.event(split), at: 2) == .accepted)
    if arrival == .packsLate {
      #expect(desk.totals.waitingReadings == 2)
      try Self.buy(desk)
    }
    #expect(desk.totals.waitingReadings == 0)
    let costs = try split.costs()
    for step in 0..<3 {
      #expect(try Self.costs(desk, "credits") == costs)
      #expect(try Self.costs(desk, "gpu") == [Fraction(3, scale: 1)])
      if step == 0 { try desk.flush() }
      if step == 1 { try desk.restart() }
    }
    #expect(costs.reduce(Fraction.zero, +).decimal(places: 15) == split.cost)
    #expect(
      desk.totals.gauges.mapValues(\.description)["cost credits USD pack Production"] == split.cost)
    #expect(try desk.differences() == [])
    #expect(try desk.send(#"{"id":"v","voids":{"id":"e"}}"#, at: 3) == .accepted)
    #expect(try Self.costs(desk, "credits") == [])
    #expect(desk.totals.gauges.mapValues(\.description).values.allSatisfy { $0 == "0" })
    #expect(try desk.differences() == [])
  }
}
