import Metering
import Testing

/// A subscription's life in random orders: notifications late, twice and mixed with its usage, with
/// flushes and crashes between. What is known in the end doesn't depend on any of it.
@Suite struct RandomLifeTests {
  private enum Step {
    case told(StoreNotification)
    case used(quantity: String, day: Double)

    var name: String {
      switch self {
      case .told(let notification): "\(notification.type) \(notification.signedDate)"
      case .used(let quantity, let day): "\(quantity) on day \(day)"
      }
    }
  }

  private static let refunded =
    "\"revocationDate\":\(LifeDesk.milliseconds(2)),\"revocationType\":\"REFUND_FULL\""
  private static let prorated =
    "\"revocationDate\":\(LifeDesk.milliseconds(19)),"
    + "\"revocationType\":\"REFUND_PRORATED\",\"revocationPercentage\":20000"

  /// A period of five days; the ids are m1, m2 and so on.
  private static func period(
    _ number: Int, signed: Double, expires: Double? = nil, _ more: String = ""
  ) throws -> StoreNotification.Transaction {
    let start = Double(number - 1) * 5
    return try Told.transaction(
      "m\(number)", original: "m1", product: "com.example.pro",
      type: "Auto-Renewable Subscription", bought: start, expires: expires ?? start + 5,
      price: 6_990, signed: signed, more)
  }

  private static func steps() throws -> [Step] {
    let told = [
      Told.notification("SUBSCRIBED", "INITIAL_BUY", signed: 0, try period(1, signed: 0)),
      Told.notification("DID_RENEW", signed: 5, try period(2, signed: 5)),
      Told.notification("REFUND", signed: 6, try period(1, signed: 6, refunded)),
      Told.notification("DID_RENEW", signed: 10, try period(3, signed: 10)),
      Told.notification(
        "DID_FAIL_TO_RENEW", "GRACE_PERIOD", signed: 15, try period(3, signed: 15),
        renewal: Told.renewal(signed: 15, grace: 18, isRetried: true)),
      Told.notification(
        "DID_RENEW", "BILLING_RECOVERY", signed: 17, try period(4, signed: 17),
        renewal: Told.renewal(signed: 17)),
      Told.notification(
        "CONSUMPTION_REQUEST", signed: 18, try period(4, signed: 18), reason: "OTHER"),
      Told.notification("REFUND", signed: 19, try period(4, signed: 19, prorated)),
      Told.notification("REFUND_REVERSED", signed: 19.5, try period(4, signed: 19.5)),
      Told.notification(
        "RENEWAL_EXTENDED", signed: 19.7, try period(4, signed: 19.7, expires: 23)),
      Told.notification(
        "EXPIRED", "VOLUNTARY", signed: 23, try period(4, signed: 23, expires: 23),
        renewal: Told.renewal(signed: 23, autoRenew: 0)),
    ]
    let used = [1, 3, 6, 9, 12, 16, 18.5, 21, 24].enumerated().map { number, day in
      Step.used(quantity: "\(1 << number)", day: day)
    }
    return told.map { Step.told($0) } + used
  }

  private static func run(_ steps: [Step], on desk: LifeDesk) throws {
    for step in steps {
      switch step {
      case .told(let notification): try desk.notify(notification, at: 25)
      case .used(let quantity, let day):
        try desk.use(quantity, "m1", at: day, subject: "originalTransactionId")
      }
    }
  }

  private static func end(_ desk: LifeDesk) throws -> [String] {
    let request = try desk.consumption("m4", at: 25)?["refundCase"]?["state"]?.string?.string
    return try ["m1", "m2", "m3", "m4"].map { try desk.figures($0, at: 25) }
      + [request ?? "-", "\(desk.totals.waitingReadings) waiting"]
  }

  @Test func theEndIsTheSame() throws {
    let steps = try Self.steps()
    let straight = try LifeDesk()
    try Self.run(steps, on: straight)
    let expected = try Self.end(straight)
    #expect(
      expected == [
        "refunded 300 cost 0.003 kept 0 loss 0.001 leak 0.002",
        "superseded 1200 cost 0.012 kept 4.893 loss leak",
        "superseded 1600 cost 0.016 kept 4.893 loss leak",
        "expired 22400 cost 0.224 kept 4.893 loss leak", "reversed", "1 waiting",
      ])
    var seed = Seed(Chance.seed)
    for round in 0..<(Chance.isLong ? 400 : 12) {
      let desk = try LifeDesk()
      let repeated = steps.filter { step in
        if case .told = step { seed.chance(30) } else { false }
      }
      let order = (steps + repeated).shuffled(using: &seed)
      for step in order {
        try Self.run([step], on: desk)
        if seed.chance(10) { try desk.flush() }
        if seed.chance(10) { try desk.restart() }
      }
      let end = try Self.end(desk)
      #expect(try desk.differences() == [], "round \(round)")
      #expect(end == expected, "round \(round): \(end) after \(order.map(\.name))")
    }
  }
}
