import Metering
import Store
import Testing

/// The dearest purchases at risk, found without looking at the others.
@Suite("Purchases at risk") struct AtRiskTests {
  private static func listed(
    _ desk: RollupDesk, after place: RiskPlace? = nil, limit: Int = 100
  ) throws -> (ids: [String], next: RiskPlace?) {
    let answer = try desk.books.ask(desk.books.makeView()) { snapshot in
      try AtRiskAnswer(
        after: place, limit: limit, from: snapshot, configuration: desk.configuration,
        now: desk.now)
    }
    return (answer.items.map(\.transactionId.string), answer.next)
  }

  private static func use(_ desk: RollupDesk, _ id: String, _ count: Int) throws {
    try desk.send(
      "{\"id\":\"\(id)-\(desk.seconds)\",\"transactionId\":\"\(id)\",\"meter\":\"credits\","
        + "\"quantity\":\(count),\"time\":\"\(desk.now)\"}")
  }

  /// Five purchases, of which "e" was free, "f" is shared and "g" was never used.
  private static func desk() throws -> RollupDesk {
    let desk = try RollupDesk()
    for id in ["a", "b", "c", "d", "g"] { try desk.put(ByteString(id)) }
    try desk.put("e", #""price":0"#)
    try desk.put("f", #""inAppOwnershipType":"FAMILY_SHARED""#)
    for (id, count) in [("a", 70), ("b", 900), ("c", 70), ("d", 4000), ("e", 10), ("f", 10)] {
      try use(desk, id, count)
    }
    return desk
  }

  @Test("come by their cost", arguments: [false, true]) func order(isRestarted: Bool) throws {
    let desk = try Self.desk()
    try desk.settle()
    if isRestarted { try desk.restart() }
    #expect(try Self.listed(desk).ids == ["d", "b", "c", "a"])
    #expect(try Self.listed(desk).next == nil)
  }

  @Test("come in pages that leave none out", arguments: 1...5) func pages(limit: Int) throws {
    let desk = try Self.desk()
    try desk.settle()
    var ids: [String] = []
    var place: RiskPlace?
    repeat {
      let page = try Self.listed(desk, after: place, limit: limit)
      #expect(page.ids.count <= limit)
      ids += page.ids
      place = page.next
    } while place != nil
    #expect(ids == ["d", "b", "c", "a"])
  }

  @Test("follow what changes") func changes() throws {
    let desk = try Self.desk()
    try desk.settle()
    desk.seconds = 60
    try Self.use(desk, "a", 5000)
    let revoked = desk.now.microseconds / 1000
    try desk.put("b", #""revocationDate":\#(revoked),"signedDate":\#(revoked)"#)
    // What isn't at risk any more is left out even before the rollup sees it.
    #expect(try Self.listed(desk).ids == ["d", "c", "a"])
    try desk.settle()
    #expect(try Self.listed(desk).ids == ["a", "d", "c"])
    desk.seconds = 91 * 86_400
    try desk.settle()
    #expect(try Self.listed(desk).ids == [])
  }

  @Test("come by what they cost in the reporting currency") func currencies() throws {
    let desk = try RollupDesk()
    try desk.put("a")
    try desk.put("b")
    try desk.put("c")
    try Self.use(desk, "a", 2000)
    for (id, currency) in [("b", "EUR"), ("c", "JPY")] {
      try desk.send(
        "{\"id\":\"\(id)\",\"transactionId\":\"\(id)\",\"meter\":\"credits\",\"quantity\":1,"
          + "\"cost\":{\"amount\":\"1.9\",\"currency\":\"\(currency)\"},"
          + "\"time\":\"\(desk.now)\"}")
    }
    try desk.settle()
    #expect(try Self.listed(desk).ids == ["a", "c", "b"])
    let rates =
      ", exchangeRates: [{ from: \"EUR\", to: \"USD\", rate: \"1.08\", "
      + "since: \"2020-01-01T00:00:00Z\" }] }"
    try desk.reload(RollupDesk.text.dropLast() + rates)
    try desk.settle()
    #expect(try Self.listed(desk).ids == ["b", "a", "c"])
  }
}
