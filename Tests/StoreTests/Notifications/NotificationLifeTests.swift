import Metering
import Testing

/// What notifications do to purchases over time, in whatever order and number they come.
@Suite struct NotificationLifeTests {
  @Test("grace goes on without payment, and what is used in it moves to the purchase that pays")
  func grace() throws {
    let desk = try LifeDesk()
    try desk.notify(
      Told.notification("SUBSCRIBED", signed: 0, Told.month(1, signed: 0)))
    try desk.notify(
      Told.notification(
        "DID_FAIL_TO_RENEW", "GRACE_PERIOD", signed: 30, Told.month(1, signed: 30),
        renewal: Told.renewal(signed: 30, grace: 46, isRetried: true)))
    try desk.use("300", "m1", at: 33, subject: "originalTransactionId")
    #expect(
      try desk.figures("m1", at: 34) == "grace 30000 cost 0.3 kept 4.893 loss leak unpaid 0.3")
    try desk.notify(
      Told.notification(
        "DID_RENEW", "BILLING_RECOVERY", signed: 40, Told.month(2, bought: 30, signed: 40),
        renewal: Told.renewal(signed: 40)))
    #expect(try desk.figures("m1", at: 41) == "superseded 0 cost kept 4.893 loss leak")
    #expect(try desk.figures("m2", at: 41) == "active 30000 cost 0.3 kept 4.893 loss leak")
  }

  @Test(
    "grace that nobody pays for ends, and its usage stays where it is",
    arguments: ["GRACE_PERIOD_EXPIRED", "EXPIRED"]) func lostGrace(_ type: String) throws
  {
    let desk = try LifeDesk()
    try desk.notify(Told.notification("SUBSCRIBED", signed: 0, Told.month(1, signed: 0)))
    try desk.notify(
      Told.notification(
        "DID_FAIL_TO_RENEW", "GRACE_PERIOD", signed: 30, Told.month(1, signed: 30),
        renewal: Told.renewal(signed: 30, grace: 46, isRetried: true)))
    try desk.use("300", "m1", at: 33, subject: "originalTransactionId")
    try desk.notify(
      Told.notification(
        type, signed: 40, Told.month(1, signed: 40), renewal: Told.renewal(signed: 40)))
    try desk.use("100", "m1", at: 41, subject: "originalTransactionId")
    #expect(
      try desk.figures("m1", at: 42)
        == "expired 30000 cost 0.3 kept 4.893 loss leak unpaid 0.3")
    #expect(desk.totals.waitingReadings == 1)
    // What names the transaction is booked to it, but grace didn't cover it.
    try desk.use("40", "m1", at: 42)
    #expect(
      try desk.figures("m1", at: 43)
        == "expired 34000 cost 0.34 kept 4.893 loss leak unpaid 0.3")
  }

  @Test(
    "usage that lost its purchase and finds another leaves the first once",
    arguments: [true, false])
  func lostAndFound(_ isFlushed: Bool) throws {
    let desk = try LifeDesk()
    try desk.notify(Told.notification("SUBSCRIBED", signed: 0, Told.month(1, signed: 0)))
    try desk.notify(
      Told.notification(
        "DID_FAIL_TO_RENEW", "GRACE_PERIOD", signed: 30, Told.month(1, signed: 30),
        renewal: Told.renewal(signed: 30, grace: 46, isRetried: true)))
    try desk.use("500", "m1", at: 10)
    try desk.use("10", "m1", at: 43, subject: "originalTransactionId")
    // Waits already when grace turns out to be over, so that all that waits is looked at again.
    try desk.use("1", "m1", at: 47, subject: "originalTransactionId")
    if isFlushed { try desk.flush() }
    try desk.notify(
      Told.notification(
        "GRACE_PERIOD_EXPIRED", signed: 40, Told.month(1, signed: 40),
        renewal: Told.renewal(signed: 40)))
    #expect(try desk.figures("m1", at: 48) == "expired 50000 cost 0.5 kept 4.893 loss leak")
    #expect(desk.totals.waitingReadings == 2)
    try desk.notify(
      Told.notification(
        "DID_RENEW", "BILLING_RECOVERY", signed: 48, Told.month(2, bought: 42, signed: 48)))
    #expect(try desk.figures("m1", at: 49) == "superseded 50000 cost 0.5 kept 4.893 loss leak")
    #expect(try desk.figures("m2", at: 49) == "active 1100 cost 0.011 kept 4.893 loss leak")
    #expect(desk.totals.waitingReadings == 0)
    #expect(try desk.differences() == [])
  }

  @Test("an upgrade supersedes at once, an extension moves the end") func changes() throws {
    let desk = try LifeDesk()
    try desk.notify(Told.notification("SUBSCRIBED", signed: 0, Told.month(1, signed: 0)))
    try desk.notify(
      Told.notification(
        "RENEWAL_EXTENDED", signed: 5,
        Told.transaction(
          "m1", product: "com.example.pro", type: "Auto-Renewable Subscription", expires: 44,
          price: 6_990, signed: 5)))
    #expect(try desk.figures("m1", at: 40).hasPrefix("active"))
    try desk.notify(
      Told.notification(
        "DID_CHANGE_RENEWAL_PREF", "UPGRADE", signed: 20,
        Told.month(1, signed: 20, "\"isUpgraded\":true")))
    #expect(try desk.figures("m1", at: 21) == "superseded 0 cost kept 4.893 loss leak")
  }

  /// One purchase with everything that can be said of it, in the order that Apple signed it.
  private static func history() throws -> [StoreNotification] {
    [
      Told.notification("ONE_TIME_CHARGE", signed: 0, try Told.transaction("7", signed: 0)),
      Told.notification(
        "CONSUMPTION_REQUEST", signed: 2, try Told.transaction("7", signed: 2), reason: "OTHER"),
      Told.notification(
        "REFUND", signed: 3, try Told.transaction("7", signed: 3, Told.refund(3))),
      Told.notification("REFUND_REVERSED", signed: 4, try Told.transaction("7", signed: 4)),
    ]
  }

  private static func permutations<Element>(_ elements: [Element]) -> [[Element]] {
    guard elements.count > 1 else { return [elements] }
    return elements.indices.flatMap { index in
      var rest = elements
      let first = rest.remove(at: index)
      return permutations(rest).map { [first] + $0 }
    }
  }

  @Test("whatever order notifications come in, and however often, the end is the same")
  func order() throws {
    for order in Self.permutations(try Self.history()) {
      let desk = try LifeDesk()
      for told in order { try desk.notify(told, at: 5) }
      for told in order {
        let again = try desk.notify(told, at: 5.1)
        #expect(again.isDuplicate && !again.isApplied && again.refundCase == nil)
      }
      let node = try #require(try desk.consumption("7", at: 6))
      let seen = order.map { $0.type.string }.joined(separator: " ")
      #expect(node["state"]?.string == "active", "\(seen)")
      #expect(node["refundCase"]?["case"]?.string == "7:1", "\(seen)")
      #expect(node["refundCase"]?["state"]?.string == "reversed", "\(seen)")
    }
  }

  @Test("a refusal settles the request before it, not one made since") func refusals() throws {
    let asked = try [2.0, 5.0].map {
      Told.notification("CONSUMPTION_REQUEST", signed: $0, try Told.transaction("7", signed: $0))
    }
    let refused = Told.notification(
      "REFUND_DECLINED", signed: 3, try Told.transaction("7", signed: 3))
    for (order, expected) in [
      ([asked[0], refused, asked[1]], "7:2 open"), ([asked[0], asked[1], refused], "7:1 missed"),
      ([refused, asked[0], asked[1]], "7:2 open"), ([asked[0], refused], "7:1 declined"),
      ([refused, asked[0]], "7:1 declined"),
    ] {
      let desk = try LifeDesk()
      for told in order { try desk.notify(told, at: 5.01) }
      let refundCase = try desk.consumption("7", at: 5.02)?["refundCase"]
      let seen = ["case", "state"].compactMap { refundCase?[$0]?.string?.string }
      #expect(seen.joined(separator: " ") == expected)
    }
  }

  @Test("a request that reaches a case which silence ended opens the next while it can be answered")
  func requestsAfterSilence() throws {
    let desk = try LifeDesk()
    func ask(_ signed: Double, at day: Double) throws -> String? {
      let told = Told.notification(
        "CONSUMPTION_REQUEST", signed: signed, try Told.transaction("7", signed: signed),
        id: "\(day)")
      return try desk.notify(told, at: day).refundCase?.text.string
    }
    #expect(try ask(2, at: 2) == "7:1")
    // Silence ends the case thirty days after the time to answer.
    #expect(try ask(3, at: 32.6) == "7:1")
    #expect(try desk.consumption("7", at: 32.6)?["refundCase"]?["state"]?.string == "lapsed")
    #expect(try ask(32.4, at: 32.6001) == "7:2")
    #expect(try desk.consumption("7", at: 32.7)?["refundCase"]?["state"]?.string == "open")
    #expect(try ask(32.5, at: 32.7) == "7:2")
  }

  @Test("repeated requests with ids of their own join one case, which the first one dates")
  func repeatedRequests() throws {
    let desk = try LifeDesk()
    for (number, signed) in [2.0, 2.1, 1.9].enumerated() {
      let told = Told.notification(
        "CONSUMPTION_REQUEST", signed: signed, try Told.transaction("7", signed: signed),
        id: "\(number)")
      #expect(try desk.notify(told, at: 2.2).refundCase?.text == "7:1")
    }
    let respondBy = try desk.consumption("7", at: 2.2)?["refundCase"]?["respondBy"]?.string?.string
    #expect(respondBy == LifeDesk.day(2.4).description)
  }

  @Test("TEST and unknown types are counted and change nothing") func unknown() throws {
    let desk = try LifeDesk()
    for type in ["TEST", "NEW_TYPE"] {
      let told = Told.notification(type, signed: 1, try Told.transaction("7", signed: 1))
      let outcome = try desk.notify(told)
      #expect(!outcome.isApplied && !outcome.isDuplicate && outcome.refundCase == nil)
    }
    #expect(try desk.figures("7", at: 2) == "unknown")
    #expect(desk.totals.notifications == [0: 1, NotificationType.test.rawValue: 1])
    #expect(desk.totals.lastNotification == LifeDesk.day(1).microseconds)
  }

  @Test("a parent's withdrawal of consent counts until the customer consents again")
  func rescindedConsent() throws {
    let desk = try LifeDesk()
    let app = "\"appTransactionId\":\"app7\""
    try desk.notify(
      Told.notification("ONE_TIME_CHARGE", signed: 0, Told.transaction("7", signed: 0, app)))
    try desk.use("4000", "7", at: 1)
    try desk.run(.putCustomer(id: "7", customer: "u"), at: 1)
    try desk.run(.putConsent(customer: "u", consented: true, at: LifeDesk.day(1)), at: 1)
    var rescinded = Told.notification("RESCIND_CONSENT", signed: 1.5)
    rescinded.appTransactionId = "app7"
    #expect(try desk.notify(rescinded).isApplied)
    try desk.flush()
    try desk.notify(
      Told.notification("CONSUMPTION_REQUEST", signed: 2, Told.transaction("7", signed: 2, app)))
    #expect(try desk.consumption("7", at: 2)?["gate"]?.string == "not_consented")
    try desk.run(.putConsent(customer: "u", consented: true, at: LifeDesk.day(2)), at: 2)
    #expect(try desk.consumption("7", at: 2)?["gate"]?.isNull == true)
  }

  enum Break: CaseIterable { case flush, crash, flushAndCrash }

  @Test("notifications are remembered over flushes and crashes", arguments: Break.allCases)
  func memory(_ pause: Break) throws {
    let desk = try LifeDesk()
    for told in try Self.history() { try desk.notify(told, at: 5) }
    let figures = try desk.figures("7", at: 6)
    if pause != .crash { try desk.flush() }
    if pause != .flush { try desk.restart() }
    for told in try Self.history() { #expect(try desk.notify(told, at: 6).isDuplicate) }
    #expect(try desk.figures("7", at: 6) == figures)
    #expect(desk.totals.notifications.values.reduce(0, +) == 4)
    // After thirty days of other notifications the oldest are forgotten; they change nothing then.
    try desk.notify(Told.notification("TEST", signed: 40))
    try desk.flush()
    let late = try desk.notify(try Self.history()[2], at: 41)
    #expect(!late.isDuplicate && !late.isApplied)
    #expect(try desk.figures("7", at: 6) == figures)
  }
}
