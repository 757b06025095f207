import Metering
import Sidecar
import Testing
import Wire

/// Cases in answers, as clients see them.
@Suite struct CasesAnswerTests {
  static let now = at("2026-11-30T02:30:00Z")

  /// Credits of which 4000 of 5000 are used, bought ten days ago, asked for half an hour ago.
  static func reading(_ payload: String = "", used: Int128 = 4_000) throws -> FakeQueries {
    var reading = FakeQueries()
    try reading.put(
      "7",
      """
      {"productId":"credits.5000","type":"Consumable","environment":"Production",
      "inAppOwnershipType":"PURCHASED","purchaseDate":1793527200000,"price":9990,"currency":"USD",
      "appAccountToken":"ABCDEF12-0000-4000-8000-000000000001"\(payload)}
      """)
    reading.lines["7"] = [
      UsageLine(
        meter: "credits", attributes: [], epoch: .distantPast, own: "USD",
        quantity: used * Quantity.scale, amount: 12_345_000_000_000_000, count: 1,
        firstTime: now, lastTime: now)
    ]
    reading.consents["abcdef12-0000-4000-8000-000000000001"] = [
      ConsentRecord(consented: false, at: at("2026-01-01T00:00:00Z")),
      ConsentRecord(consented: true, at: at("2026-02-01T00:00:00Z")),
    ]
    return reading
  }

  private static func ask(
    _ reading: inout FakeQueries, _ id: ByteString, minutesAgo: Int64, reason: ByteString?
  ) {
    let received = now.adding(microseconds: -minutesAgo * 60_000_000)
    var record = reading.records[id] ?? PurchaseRecord(transactionId: id)
    _ = record.ask(CaseRequest(reason: reason, receivedAt: received), at: received)
    reading.records[id] = record
  }

  private static func configuration() -> Configuration {
    var configuration = testConfiguration()
    var terms = ProductTerms()
    terms.allowance["credits"] = 5_000
    configuration.products["credits.5000"] = [terms]
    return configuration
  }

  private static func answers(_ reading: FakeQueries) -> Answers {
    Answers(reading: reading, configuration: configuration(), now: now)
  }

  /// The answer's members from `atRisk` on, as text.
  private static func tail(_ reading: FakeQueries) throws -> String {
    let body = String(decoding: answers(reading).answer(.consumption("7")).body, as: UTF8.self)
    let start = try #require(body.firstRange(of: "\"atRisk\"")?.lowerBound)
    return String(body[start...])
  }

  @Test("the contract's example") func example() throws {
    var reading = try Self.reading()
    Self.ask(&reading, "7", minutesAgo: 30, reason: "UNSATISFIED_WITH_PURCHASE")
    let expected =
      #""atRisk":{"class":"requested","cost":[{"currency":"USD","amount":"12.345"}],"#
      + #""proceeds":{"currency":"USD","amount":"6.993"}},"realisedLoss":[],"leak":[],"#
      + #""commitment":null,"refundCase":{"case":"7:1","state":"open","#
      + #""consumptionRequestReason":"UNSATISFIED_WITH_PURCHASE","#
      + #""receivedAt":"2026-11-30T02:00:00.000000Z","respondBy":"2026-11-30T14:00:00.000000Z"},"#
      + #""consumptionRequest":{"customerConsented":true,"sampleContentProvided":false,"#
      + #""deliveryStatus":"DELIVERED","consumptionPercentage":80000,"refundPreference":"DECLINE"},"#
      + #""gate":null,"because":["share 80000 at or above declineAt 70000"]}"# + "\n"
    #expect(try Self.tail(reading) == expected)
  }

  @Test("without a request money is at risk while it could be asked for") func refundable() throws {
    let expected =
      #""atRisk":{"class":"refundable","cost":[{"currency":"USD","amount":"12.345"}],"#
      + #""proceeds":{"currency":"USD","amount":"6.993"}},"realisedLoss":[],"leak":[],"#
      + #""commitment":null,"refundCase":null,"consumptionRequest":null,"gate":"no_case","#
      + #""because":[]}"# + "\n"
    #expect(try Self.tail(Self.reading()) == expected)
  }

  @Test(
    "what is never at risk",
    arguments: [
      (#","price":0"#, true), (#","price":null"#, true),
      (#","inAppOwnershipType":"FAMILY_SHARED""#, true), (#","inAppOwnershipType":null"#, true),
      (#","purchaseDate":1770000000000"#, false), (#","purchaseDate":null"#, false),
      (#","revocationDate":1796000000000"#, true),
    ])
  func neverAtRisk(_ change: String, alsoWhenAsked: Bool) throws {
    let name = change.dropFirst(2).prefix { $0 != "\"" }
    var base = #"{"inAppOwnershipType":"PURCHASED","purchaseDate":1793527200000,"#
    base += #""price":9990,"currency":"USD"}"#
    let kept = try JSONNode.parse(Array(base.utf8), dialect: .strict).members ?? []
    let rest = kept.filter { $0.key.string != name }.map { member in
      let value = member.node.string.map { "\"\($0.string)\"" } ?? member.node.number?.string ?? ""
      return "\"\(member.key.string)\":\(value)"
    }
    for isAsked in [false, true] {
      var reading = FakeQueries()
      try reading.put("7", "{\(rest.joined(separator: ","))\(change)}")
      if isAsked { Self.ask(&reading, "7", minutesAgo: 1, reason: nil) }
      let body = Self.answers(reading).answer(.consumption("7")).body
      let node = try JSONNode.parse(body, dialect: .strict)
      #expect(node["atRisk"]?.isNull == (!isAsked || alsoWhenAsked))
    }
  }

  @Test("states give way to a request, but for a revocation") func states() throws {
    for (change, expected) in [
      ("", "refund_requested"), (#","isUpgraded":true"#, "refund_requested"),
      (#","revocationDate":1796000000000"#, "refunded"),
      (#","revocationDate":1796000000000,"revocationType":"FAMILY_REVOKE""#, "revoked"),
    ] {
      var reading = try Self.reading(change)
      Self.ask(&reading, "7", minutesAgo: 1, reason: nil)
      let body = Self.answers(reading).answer(.transaction("7")).body
      #expect(try JSONNode.parse(body, dialect: .strict)["state"]?.string?.string == expected)
      let page = Self.answers(reading).answer(
        .transactions(TransactionsQuestion(state: PurchaseState(name: ByteString(expected)))))
      #expect(try JSONNode.parse(page.body, dialect: .strict)["items"]?.elements?.count == 1)
    }
  }

  @Test("a request for nobody knows what is answered with its gate") func unknownPurchase() throws {
    var reading = FakeQueries()
    Self.ask(&reading, "9", minutesAgo: 1, reason: "LEGAL")
    let response = Self.answers(reading).answer(.consumption("9"))
    let node = try JSONNode.parse(response.body, dialect: .strict)
    #expect(response.status == 200)
    #expect(node["gate"]?.string == "unknown_purchase")
    #expect(node["productId"]?.isNull == true)
    #expect(node["consumptionPercentage"] == nil)
  }

  @Test("a stale feed leaves preference and percentage out") func staleFeed() throws {
    var reading = try Self.reading()
    Self.ask(&reading, "7", minutesAgo: 30, reason: "OTHER")
    reading.feeds = [FeedMark(source: "api-1", through: at("2026-11-30T00:59:59.999999Z"))]
    #expect(
      try Self.tail(reading).contains(
        #""consumptionRequest":{"customerConsented":true,"sampleContentProvided":false,"#
          + #""deliveryStatus":"DELIVERED"},"gate":null,"#))
    reading.feeds = [FeedMark(source: "api-1", through: at("2026-11-30T01:00:00Z"))]
    #expect(try Self.tail(reading).contains("DECLINE"))
  }

  // MARK: Lists

  private static func ids(_ reading: FakeQueries, _ question: CasesQuestion) throws -> [[String]] {
    var pages: [[String]] = []
    var question = question
    repeat {
      let node = try JSONNode.parse(
        answers(reading).answer(.cases(question)).body, dialect: .strict)
      let items = try #require(node["items"]?.elements)
      pages.append(
        items.map { "\($0["case"]?.string?.string ?? "-") \($0["state"]?.string?.string ?? "-")" })
      question.place = try node["next"]?.string.map { try #require(PageCursor.place($0)) }
    } while question.place != nil && pages.count < 20
    return pages
  }

  @Test("the soonest comes first, pages go on, states filter") func lists() throws {
    var reading = FakeQueries()
    for (id, minutes) in [("c", 5), ("a", 700), ("b", 5), ("d", 800), ("e", 50_000)] {
      Self.ask(&reading, ByteString(id), minutesAgo: Int64(minutes), reason: nil)
    }
    reading.records["b"]?.settleCase(.granted, at: Self.now)
    reading.records["c"]?.settleCase(.declined, at: Self.now)
    Self.ask(&reading, "c", minutesAgo: 1, reason: nil)
    let all = [
      "e:1 lapsed", "d:1 missed", "a:1 open", "b:1 granted", "c:1 declined", "c:2 open",
    ]
    #expect(try Self.ids(reading, CasesQuestion()) == [all])
    #expect(try Self.ids(reading, CasesQuestion(limit: 4)) == [Array(all[..<4]), Array(all[4...])])
    #expect(
      try Self.ids(reading, CasesQuestion(state: .open, limit: 1)) == [["a:1 open"], ["c:2 open"]])
    for state in RefundCaseState.allCases {
      let expected = all.filter { $0.hasSuffix(" \(state)") }
      #expect(try Self.ids(reading, CasesQuestion(state: state)) == [expected], "\(state)")
    }
    reading.fails = true
    #expect(
      summary(Self.answers(reading).answer(.cases(CasesQuestion()))) == "503 store_unavailable")
  }

  @Test("an item has the case and the consumption answer") func item() throws {
    var reading = try Self.reading()
    Self.ask(&reading, "7", minutesAgo: 30, reason: "OTHER")
    let body = Self.answers(reading).answer(.cases(CasesQuestion(state: .open))).body
    let node = try JSONNode.parse(body, dialect: .strict)
    let item = try #require(node["items"]?.elements?.first)
    #expect(item["transactionId"]?.string == "7")
    #expect(item["respondBy"]?.string == "2026-11-30T14:00:00.000000Z")
    #expect(item["consumption"]?["consumptionPercentage"]?.integer == 80_000)
    #expect(node["next"]?.isNull == true)
    #expect(node["cursor"]?.string?.count == 32)
  }

  @Test("the cursor changes with figures and cases, not with time") func cursor() throws {
    let question = CasesQuestion(state: .open)
    var reading = try Self.reading()
    Self.ask(&reading, "7", minutesAgo: 30, reason: "OTHER")
    func mark(_ reading: FakeQueries, later: Int64 = 0) throws -> ByteString {
      try Answers(
        reading: reading, configuration: Self.configuration(),
        now: Self.now.adding(microseconds: later * 1_000_000)
      ).cases(question).mark
    }
    let known = try mark(reading)
    #expect(try mark(reading, later: 3_600) == known)
    #expect(try mark(reading, later: 12 * 3_600) != known)
    var changed = reading
    changed.lines["7"]?[0].amount += 1
    #expect(try mark(changed) != known)
    changed = reading
    changed.records["7"]?.deliveryStatus = .undeliveredOther
    #expect(try mark(changed) != known)
    changed = reading
    changed.consents = [:]
    #expect(try mark(changed) != known)
    changed = reading
    Self.ask(&changed, "8", minutesAgo: 1, reason: nil)
    #expect(try mark(changed) != known)
    var withLevel = reading
    withLevel.series["7"] = [
      LevelSeries(
        meter: "storage", attributes: [],
        points: [LevelPoint(time: at("2026-11-20T00:00:00Z"), value: Quantity.scale)])
    ]
    let level = try mark(withLevel)
    #expect(level != known)
    #expect(try mark(withLevel, later: 60) == level)
  }
}
