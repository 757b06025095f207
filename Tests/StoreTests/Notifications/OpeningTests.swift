import Metering
import Testing

/// Balances at adoption.
@Suite struct OpeningTests {
  private static func open(_ until: Double, _ usage: String) -> Command {
    .putOpening(id: "7", until: LifeDesk.day(until), usage: ByteString(usage))
  }

  private static func credits(_ quantity: String) -> String {
    "[{\"meter\":\"credits\",\"quantity\":\"\(quantity)\"}]"
  }

  private static func costs(_ desk: LifeDesk) throws -> String {
    var sums: [String: Int128] = [:]
    for line in try desk.ask({ try $0.quarterHours(from: .distantPast, to: .distantFuture) }) {
      sums["\(line.slot) \(line.product) \(line.line.meter)", default: 0] += line.line.quantity
    }
    return sums.filter { $0.value != 0 }.map { "\($0.key) \($0.value / Quantity.scale)" }
      .sorted().joined(separator: "; ")
  }

  private static func standing(_ desk: LifeDesk) -> Int128 {
    desk.totals.byKey.filter { $0.key.meter == "credits" }.reduce(0) { $0 + $1.value.standing }
      / Quantity.scale
  }

  @Test("it counts in share, cost and costs, is replaced, and shuts out earlier usage")
  func life() throws {
    let desk = try LifeDesk()
    #expect(try desk.run(Self.open(1, Self.credits("3000")), at: 2) == .stored)
    #expect(try Self.costs(desk) == "\(LifeDesk.day(1).quarter)  credits 3000")
    try desk.notify(
      Told.notification("ONE_TIME_CHARGE", signed: 0, Told.transaction("7", signed: 0)))
    #expect(try desk.figures("7", at: 2) == "active 60000 cost 3 kept 6.993 loss leak")
    let place = "com.example.credits.5000 credits"
    #expect(try Self.costs(desk) == "\(LifeDesk.day(1).quarter) \(place) 3000")

    #expect(try desk.use("1", "7", at: 0.99) == .rejected(.beforeOpening))
    #expect(
      try desk.use("1", "7", at: 0.99, subject: "originalTransactionId")
        == .rejected(.beforeOpening))
    #expect(try desk.use("500", "7", at: 1) == .accepted)
    try desk.flush()
    try desk.restart()
    #expect(try desk.run(Self.open(3, Self.credits("1000")), at: 4) == .stored)
    #expect(try desk.figures("7", at: 4) == "active 30000 cost 1.5 kept 6.993 loss leak")
    #expect(
      try Self.costs(desk)
        == "\(LifeDesk.day(1).quarter) \(place) 500; \(LifeDesk.day(3).quarter) \(place) 1000")
    #expect(try desk.use("1", "7", at: 2.99) == .rejected(.beforeOpening))
    #expect(Self.standing(desk) == 1500)
    try desk.reload()
    #expect(Self.standing(desk) == 1500)
    #expect(try desk.run(Self.open(3, "[]"), at: 4) == .stored)
    #expect(try desk.figures("7", at: 4) == "active 10000 cost 0.5 kept 6.993 loss leak")
    #expect(Self.standing(desk) == 500)
    #expect(try desk.differences() == [])
  }

  @Test("a purchase that comes in the same commit takes it along") func sameCommit() throws {
    let desk = try LifeDesk()
    let told = Told.notification("ONE_TIME_CHARGE", signed: 0, try Told.transaction("7", signed: 0))
    try desk.run([Self.open(1, Self.credits("3000")), .notify(told)], at: 2)
    let place = "com.example.credits.5000 credits"
    #expect(try Self.costs(desk) == "\(LifeDesk.day(1).quarter) \(place) 3000")
  }

  @Test("a customer's allowance is used up by it, and its usage before is shut out")
  func customers() throws {
    let desk = try LifeDesk()
    for id in ["7", "8"] {
      try desk.notify(
        Told.notification("ONE_TIME_CHARGE", signed: 0, Told.transaction(id, signed: 0), id: id))
      try desk.run(.putCustomer(id: ByteString(id), customer: "u"), at: 1)
    }
    try desk.run(Self.open(1, Self.credits("4500")), at: 2)
    #expect(try desk.use("1", "u", at: 0.5, subject: "customer") == .rejected(.beforeOpening))
    #expect(try desk.use("1000", "u", at: 2, subject: "customer") == .accepted)
    #expect(try desk.figures("7", at: 3) == "active 100000 cost 5 kept 6.993 loss leak")
    #expect(try desk.figures("8", at: 3) == "active 10000 cost 0.5 kept 6.993 loss leak")
  }

  @Test("a customer's level before it is shut out, as its usage is", arguments: [0.5, 1])
  func customersLevels(day: Double) throws {
    let desk = try LifeDesk()
    try desk.notify(
      Told.notification("ONE_TIME_CHARGE", signed: 0, Told.transaction("7", signed: 0)))
    try desk.run(.putCustomer(id: "7", customer: "u"), at: 1)
    try desk.run(Self.open(1, Self.credits("10")), at: 2)
    for (subject, id) in [
      ("customer", "u"), ("transactionId", "7"), ("originalTransactionId", "7"),
    ] {
      #expect(
        try desk.use("1", id, at: day, meter: "storage", subject: subject)
          == (day < 1 ? .rejected(.beforeOpening) : .accepted), "\(subject)")
    }
  }

  @Test(
    "one that is moved earlier lets go what it held back, whatever came first",
    arguments: ["originalTransactionId", "customer"], [false, true])
  func movedEarlier(subject: String, flushed: Bool) throws {
    let desk = try LifeDesk()
    let id = subject == "customer" ? "u" : "7"
    try desk.run(.putCustomer(id: "7", customer: "u"), at: 2)
    for day in [0.5, 1.5, 2] { try desk.use("100", id, at: day, subject: subject) }
    try desk.run(Self.open(2, Self.credits("10")), at: 3)
    try desk.notify(
      Told.notification("ONE_TIME_CHARGE", signed: 0, Told.transaction("7", signed: 0)))
    #expect(try desk.figures("7", at: 3) == "active 2200 cost 0.11 kept 6.993 loss leak")
    if flushed { try desk.flush() }
    try desk.run(Self.open(1, Self.credits("10")), at: 3)
    #expect(try desk.figures("7", at: 3) == "active 4200 cost 0.21 kept 6.993 loss leak")
    try desk.run(Self.open(0, "[]"), at: 3)
    #expect(try desk.figures("7", at: 3) == "active 6000 cost 0.3 kept 6.993 loss leak")
    #expect(desk.totals.waitingReadings == 0)
    #expect(try desk.differences() == [])
  }

  @Test("own costs and units count as in events; a level's quantity is in unit-seconds")
  func kinds() throws {
    let desk = try LifeDesk()
    let usage = """
      [{"meter":"credits","quantity":"10","cost":{"amount":"0.25","currency":"USD"}},
       {"meter":"storage","quantity":"2","unit":"GB"}]
      """
    try desk.run(Self.open(1, usage), at: 2)
    try desk.use("5", "7", at: 2, meter: "storage")
    try desk.reload()
    let lines = try #require(try desk.consumption("7", at: 2)?["usage"]?.elements)
    let seen = lines.map { line in
      ["meter", "unit", "used"].compactMap { line[$0]?.string?.string }.joined(separator: " ")
    }
    #expect(seen == ["credits {credit} 10", "storage By.s 2000000000"])
    #expect(try desk.differences() == [])
    let cost = try desk.consumption("7", at: 2)?["cost"]?["totals"]?.elements?.first
    #expect(cost?["amount"]?.string == "0.25")
  }

  @Test(
    "bad readings are refused by the codes of events",
    arguments: [
      ("[{\"meter\":\"coins\",\"quantity\":1}]", "unknown_meter"),
      ("[{\"meter\":\"storage\",\"quantity\":1,\"unit\":\"TB\"}]", "unknown_unit"),
      ("[{\"meter\":\"credits\",\"quantity\":-1}]", "negative_quantity"),
      ("[{\"meter\":\"credits\"}]", "missing_quantity"),
      ("[{\"meter\":\"credits\",\"quantity\":\"x\"}]", "invalid_quantity"),
      ("[{\"meter\":\"credits\",\"quantity\":1,\"cost\":{}}]", "invalid_cost"),
      ("[{\"meter\":\"credits\",\"quantity\":1,\"attributes\":[]}]", "invalid_attributes"),
      ("[{\"meter\":\"credits\",\"quantity\":1,\"x\":1}]", "unknown_field"),
    ])
  func refusals(usage: String, code: String) throws {
    let desk = try LifeDesk()
    guard case .invalid(let seen, _) = try desk.run(Self.open(1, usage), at: 2) else {
      Issue.record("not refused")
      return
    }
    #expect(seen == code)
    #expect(try desk.figures("7", at: 2) == "unknown")
  }
}

extension Instant {
  /// Start of the quarter-hour.
  fileprivate var quarter: Instant { Instant(microseconds: Limits.quarterHour(of: microseconds)) }
}
