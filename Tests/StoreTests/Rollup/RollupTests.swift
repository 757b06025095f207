import Metering
import Store
import Testing

/// The sums that metrics tell are those of the single answers.
@Suite("The rollup") struct RollupTests {
  private static let hour: Int64 = 3_600
  private static let day: Int64 = 86_400
  private static let anna: ByteString = "anna"

  /// What may come between a change and the look at it.
  enum Break: CaseIterable { case none, flush, crash, flushAndCrash, pieces }

  private static func check(
    _ desk: RollupDesk, _ pause: Break = .none, _ location: SourceLocation = #_sourceLocation
  ) throws {
    if pause == .flush || pause == .flushAndCrash { try desk.flush() }
    if pause == .pieces { try desk.slice(rows: 1) }
    if pause == .crash || pause == .flushAndCrash { try desk.restart() }
    if pause == .pieces { desk.sliceRows = 1 }
    try desk.settle()
    let differences = try desk.told().differences(from: desk.asked())
    #expect(differences == [], "\(pause)", sourceLocation: location)
  }

  private static func milliseconds(_ seconds: Int64) -> Int64 {
    RollupDesk.start.microseconds / 1000 + seconds * 1000
  }

  private static func use(_ desk: RollupDesk, _ id: String, _ subject: String, _ count: Int) throws
  {
    try desk.send(
      "{\"id\":\"\(id)\",\(subject),\"meter\":\"credits\",\"quantity\":\(count),"
        + "\"time\":\"\(desk.now)\"}")
  }

  private static func ask(_ desk: RollupDesk, _ id: ByteString, _ reason: ByteString?) throws {
    desk.transactions.insert(id)
    try desk.run(.openCase(id: id, CaseRequest(reason: reason, receivedAt: desk.now)))
  }

  @Test("follows purchases and refund cases", arguments: Break.allCases)
  func story(_ pause: Break) throws {
    let desk = try RollupDesk()
    func check(_ location: SourceLocation = #_sourceLocation) throws {
      try Self.check(desk, pause, location)
    }
    try desk.put("1")
    try desk.put("2", #""currency":"EUR","productId":"unheard_of""#)
    try desk.put("3", #""environment":"Sandbox","price":1000"#)
    try desk.put("4", #""inAppOwnershipType":"FAMILY_SHARED""#)
    try check()
    try Self.use(desk, "a", #""transactionId":"1""#, 1300)
    try Self.use(desk, "b", #""transactionId":"2""#, 9000)
    try Self.use(desk, "c", #""transactionId":"nobody knows""#, 70)
    desk.transactions.insert("nobody knows")
    try check()
    for (id, reason) in [("1", "OTHER"), ("3", "LEGAL"), ("4", "OTHER"), ("7", nil)] {
      try Self.ask(desk, ByteString(id), reason.map { ByteString($0) })
    }
    try check()
    #expect(try desk.told().sums["openCases not_consented"] == 3)
    #expect(try desk.told().sums["openCases unknown_purchase"] == 1)
    for id in ["1", "4"] {
      try desk.run(.putCustomer(id: ByteString(id), customer: Self.anna))
    }
    try desk.run(.putConsent(customer: Self.anna, consented: true, at: desk.now))
    try check()
    #expect(try desk.told().sums["openCases none"] == 1)
    #expect(try desk.told().sums["openCases family_shared"] == 1)
    let first = CaseID(transaction: "1", number: 1)
    try desk.run(.answerCase(first, CaseReport(httpStatus: 500)))
    try check()
    try desk.run(
      .answerCase(first, CaseReport(sent: "{}", preference: "DECLINE", httpStatus: 202)))
    try check()
    #expect(try desk.told().sums["responses DECLINE accepted"] == 1)
    #expect(try desk.told().sums["responses failed"] == 1)
    desk.seconds = 60
    let revoked = Self.milliseconds(60)
    try desk.put("1", #""revocationDate":\#(revoked),"signedDate":\#(revoked)"#)
    try desk.put("2", #""currency":"EUR","revocationDate":\#(revoked),"signedDate":\#(revoked)"#)
    try check()
    desk.seconds = 90
    try Self.use(desk, "d", #""transactionId":"1""#, 500)
    try check()
    #expect(try desk.told().sums["leak - p USD Production"] == Fraction(5, scale: 1))
    #expect(try desk.told().sums["outcomes DECLINE granted"] == 1)
    try desk.put("1", #""signedDate":\#(revoked + 1)"#)
    try desk.send(#"{"id":"v","voids":{"source":"","id":"a"}}"#)
    try check()
    #expect(try desk.told().sums["outcomes DECLINE reversed"] == 1)
    #expect(try desk.told().sums["leak - p USD Production"] == nil)
  }

  @Test("hears of consent that is withdrawn for an app") func rescinded() throws {
    let desk = try RollupDesk()
    try desk.put("1", #""appTransactionId":"app""#)
    try desk.run(.putCustomer(id: "1", customer: Self.anna))
    try desk.run(.putConsent(customer: Self.anna, consented: true, at: desk.now))
    try Self.use(desk, "a", #""transactionId":"1""#, 10)
    try Self.ask(desk, "1", "OTHER")
    try Self.check(desk)
    #expect(try desk.told().sums["openCases none"] == 1)
    desk.seconds = 1
    var notification = StoreNotification(
      id: "n", type: "RESCIND_CONSENT", subtype: nil, signedDate: desk.now)
    notification.appTransactionId = "app"
    try desk.run(.notify(notification))
    try Self.check(desk)
    #expect(try desk.told().sums["openCases not_consented"] == 1)
    #expect(try desk.told().sums["openCases none"] == nil)
  }

  @Test("sees what time alone changes", arguments: Break.allCases) func time(_ pause: Break) throws
  {
    let desk = try RollupDesk()
    func check(_ location: SourceLocation = #_sourceLocation) throws {
      try Self.check(desk, pause, location)
    }
    try desk.put("1")
    try desk.put("2", #""environment":"Sandbox""#)
    let period = #""productId":"s","type":"Auto-Renewable Subscription","#
    try desk.put(
      "3",
      period + #""expiresDate":\#(Self.milliseconds(30 * Self.day)),"#
        + #""originalTransactionId":"3""#)
    try desk.put(
      "4",
      period + #""purchaseDate":\#(Self.milliseconds(29 * Self.day)),"#
        + #""expiresDate":\#(Self.milliseconds(59 * Self.day)),"originalTransactionId":"3""#)
    try Self.use(desk, "a", #""transactionId":"1""#, 4000)
    try Self.use(desk, "b", #""transactionId":"3""#, 100)
    try Self.ask(desk, "1", "OTHER")
    try Self.ask(desk, "2", "OTHER")
    try check()
    #expect(try desk.told().respondBy == desk.now.adding(microseconds: 300_000_000))
    let moments: [Int64] = [
      299, 300, 12 * Self.hour - 1, 12 * Self.hour, 29 * Self.day - 1, 29 * Self.day,
      30 * Self.day, 30 * Self.day + 300, 30 * Self.day + 12 * Self.hour, 59 * Self.day - 1,
      59 * Self.day, 90 * Self.day - 1, 90 * Self.day, 130 * Self.day,
    ]
    for moment in moments {
      desk.seconds = moment
      try check()
    }
    let told = try desk.told()
    #expect(told.sums["missed OTHER"] == 2)
    #expect(told.sums["outcomes unanswered lapsed"] == 2)
    #expect(told.sums["costAtRisk refundable p USD Production"] == nil)
    #expect(told.respondBy == nil)
  }

  @Test("follows levels, with and without a purchase", arguments: Break.allCases)
  func levels(_ pause: Break) throws {
    let desk = try RollupDesk()
    func level(_ id: String, _ subject: String, _ value: Int) throws {
      try desk.send(
        "{\"id\":\"\(id)\",\(subject),\"meter\":\"disk\",\"quantity\":\(value),"
          + "\"time\":\"\(desk.now)\"}")
    }
    try level("a", #""transactionId":"1""#, 7)
    try level("b", #""customer":"anna""#, 14)
    try Self.check(desk, pause)
    desk.seconds = 2 * Self.hour
    try Self.check(desk, pause)
    // Nobody's: 7 × 2 h and 14 × 2 h, at 0.5 for 7 h.
    let nobody = RollupKey(
      .levelCost, "disk", "USD", of: RollupLabel(nil, desk.configuration))
    #expect(desk.books.rollupSums[nobody] == 3)
    // A late purchase takes over what is its.
    try desk.put("1")
    try Self.check(desk, pause)
    #expect(desk.books.rollupSums[nobody] == 2)
    try desk.put("2", #""purchaseDate":\#(Self.milliseconds(Self.hour))"#)
    try desk.run(.putCustomer(id: "2", customer: Self.anna))
    try Self.check(desk, pause)
    #expect(desk.books.rollupSums[nobody] == 1)
    desk.seconds = 3 * Self.hour
    try level("c", #""transactionId":"1""#, 0)
    try Self.check(desk, pause)
    desk.seconds += 20
    try Self.check(desk, pause)
    try desk.run(.putCustomer(id: "2", customer: "bert"))
    try Self.check(desk, pause)
  }

  @Test("follows the configuration, reloaded or new at a start", arguments: [true, false])
  func configuration(_ restarts: Bool) throws {
    let desk = try RollupDesk()
    try desk.put("1")
    try desk.put("2", #""currency":"EUR""#)
    try Self.use(desk, "a", #""transactionId":"1""#, 1000)
    try desk.send(#"{"id":"l","transactionId":"2","meter":"disk","quantity":5}"#)
    desk.seconds = 60
    try Self.check(desk)
    for (old, new) in [
      ("price: \"0.001\"", "price: \"0.003\""), ("{ \"p\"", "{ \"q\""),
      ("products:", "refundWindowDays: 0, products:"),
      ("products:", "tax: { NLD: \"0.21\" }, products:"),
      ("products:", "reportingCurrency: \"EUR\", products:"),
    ] {
      let text = RollupDesk.text.replacing(old, with: new)
      if restarts { try desk.restart(under: text) } else { try desk.reload(text) }
      try Self.check(desk)
    }
  }

  @Test("sweeps when it can't remember what changed", arguments: [1, 3, Int.max])
  func overflow(_ rows: Int) throws {
    let desk = try RollupDesk(
      options: Books.Options(memtableEvents: 16, segmentBytes: 1 << 20, rollupWaiting: 4))
    for number in 0..<60 {
      try desk.put(ByteString("\(number)"))
      try Self.use(desk, "a\(number)", #""transactionId":"\#(number % 7)""#, 10 + number)
      if number % 5 == 0 { try desk.slice(rows: rows) }
      if number % 20 == 19 { try desk.restart() }
    }
    desk.sliceRows = rows
    try Self.check(desk)
    try desk.restart()
    try Self.check(desk)
  }

  @Test("counts cases for good") func counters() throws {
    let desk = try RollupDesk()
    try desk.put("1")
    try Self.ask(desk, "1", "OTHER")
    try Self.check(desk)
    desk.seconds = Self.hour
    try Self.ask(desk, "1", "LEGAL")
    try desk.settle()
    #expect(try desk.told().sums["requests OTHER"] == 1)
    #expect(try desk.told().sums["requests LEGAL"] == nil)
    // Cases that the record lost, and reasons and preferences that nobody knows.
    for number in 1...40 {
      desk.seconds += Self.hour
      let id = CaseID(transaction: "1", number: Int64(number))
      try desk.run(
        .answerCase(id, CaseReport(sent: "{}", preference: "SHRUG", httpStatus: 202)))
      for members in [#""revocationDate":\#(Self.milliseconds(desk.seconds)),"#, ""] {
        desk.seconds += 1
        try desk.put("1", members + #""signedDate":\#(Self.milliseconds(desk.seconds))"#)
      }
      desk.seconds += 1
      try Self.ask(desk, "1", ByteString("reason \(number)"))
      if number % 3 == 0 { try desk.restart() }
      try desk.settle()
    }
    let told = try desk.told()
    #expect(told.sums["requests OTHER"] == 1)
    #expect(told.sums["requests _other"] == 40)
    #expect(told.sums["responses _other accepted"] == 40)
    #expect(told.sums["outcomes _other granted"] == 40)
    #expect(told.sums["outcomes _other reversed"] == 40)
  }

  @Test("counts a case by the reason that opened it", arguments: Break.allCases, [nil, "LEGAL"])
  func firstReason(_ pause: Break, _ reason: String?) throws {
    let desk = try RollupDesk()
    try Self.ask(desk, "1", reason.map { ByteString($0) })
    desk.seconds = 1
    try Self.ask(desk, "1", "OTHER")
    if pause == .flush || pause == .flushAndCrash { try desk.flush() }
    if pause == .crash || pause == .flushAndCrash { try desk.restart() }
    desk.seconds = 2 * Self.day
    try desk.settle()
    let told = try desk.told().sums.filter { $0.key.hasPrefix("requests") }
    #expect(told == ["requests \(reason ?? "none")": 1])
    #expect(try desk.told().sums["missed \(reason ?? "none")"] == 1)
  }

  /// Two purchases share a customer's level: when the one that holds it goes to another customer,
  /// the other one has it, whatever slice comes first and wherever the process ends.
  @Test("follows a link that moves", arguments: [false, true], 1...6)
  func movedLink(isCrashed: Bool, slices: Int) throws {
    let desk = try RollupDesk()
    try desk.put("a")
    try desk.put("b")
    for id in ["a", "b"] { try desk.run(.putCustomer(id: ByteString(id), customer: Self.anna)) }
    try desk.send(
      #"{"id":"l","customer":"anna","meter":"disk","quantity":7,"time":"\#(desk.now)"}"#)
    desk.seconds = Self.hour
    try Self.check(desk)
    // Used, so that the purchase is looked at by itself, too.
    try Self.use(desk, "u", #""transactionId":"a""#, 1)
    try desk.run(.putCustomer(id: "a", customer: "bert"))
    try desk.flush()
    for _ in 0..<slices { try desk.slice(rows: 1) }
    if isCrashed { try desk.restart() }
    try desk.settle()
    let differences = try desk.told().differences(from: desk.asked())
    #expect(differences == [])
    let costs = try ["a", "b"].map { try desk.cost(of: $0) }
    #expect(costs == ["0.001", "0.5"])
    #expect(try desk.books.gaugeFaults() == [])
  }

  // MARK: Clocks

  @Test("heals when the clock was ahead", arguments: Break.allCases) func clockAhead(_ pause: Break)
    throws
  {
    let desk = try RollupDesk()
    func check() throws {
      if pause == .flush || pause == .flushAndCrash { try desk.flush() }
      if pause == .crash || pause == .flushAndCrash { try desk.restart() }
      if pause == .pieces { desk.sliceRows = 1 }
      try desk.settle()
      let differences = try desk.told().gauges.differences(from: desk.asked().gauges)
      #expect(differences == [])
    }
    try desk.put(
      "1", #""expiresDate":\#(Self.milliseconds(10 * Self.day)),"type":"Non-Renewing Subscription""#
    )
    try desk.put("2")
    try Self.use(desk, "a", #""transactionId":"2""#, 900)
    try Self.ask(desk, "2", "OTHER")
    try desk.send(#"{"id":"l","transactionId":"1","meter":"disk","quantity":7}"#)
    try check()
    let right = try desk.told()
    desk.seconds = 100 * Self.day
    try check()
    #expect(try desk.told().sums["purchases expired Production"] == 1)
    #expect(try desk.told().sums["miscounted missed"] == nil)
    desk.seconds = 1
    try check()
    let told = try desk.told()
    #expect(told.respondBy == right.respondBy)
    #expect(told.sums["openCases not_consented"] == 1)
    #expect(told.sums["costAtRisk requested p USD Production"] != nil)
    // What was counted stays counted, and it is said that it shouldn't have been.
    #expect(told.sums["missed OTHER"] == 1)
    #expect(told.sums["miscounted missed"] == 1)
    #expect(told.sums["miscounted lapsed"] == 1)
    // A clock that goes back a little isn't worth a look at everything.
    desk.seconds = 0
    if pause != .pieces { #expect(try desk.slice() == .idle) }
    desk.seconds = 13 * Self.hour
    try check()
    #expect(try desk.told().sums["missed OTHER"] == 1)
  }

  @Test("sees a revocation that is dated ahead when its day comes") func revokedAhead() throws {
    let desk = try RollupDesk()
    try Self.use(desk, "a", #""transactionId":"1""#, 900)
    try desk.put(
      "1",
      #""revocationDate":\#(Self.milliseconds(Self.hour)),"signedDate":\#(Self.milliseconds(0))"#)
    try Self.check(desk)
    #expect(try desk.told().sums["purchases active Production"] == 1)
    desk.seconds = Self.hour - 1
    try Self.check(desk)
    #expect(try desk.told().sums["purchases active Production"] == 1)
    desk.seconds = Self.hour
    try Self.check(desk)
    #expect(try desk.told().sums["purchases refunded Production"] == 1)
  }

  @Test("has few labels, however many products there are") func labels() throws {
    let desk = try RollupDesk()
    for number in 0..<50 { try desk.put(ByteString("\(number)"), #""productId":"x\#(number)""#) }
    try Self.check(desk)
    #expect(Set(desk.books.rollupSums.keys.map(\.product)) == ["", "_other"])
  }
}
