import Metering
import Testing

/// The stories that refunds are explained by, as histories with exact money.
@Suite struct SeedStoryTests {
  private static func bought(_ desk: LifeDesk) throws {
    try desk.notify(
      Told.notification("ONE_TIME_CHARGE", signed: 0, Told.transaction("7", signed: 0)))
    try desk.use("4000", "7", at: 1)
  }

  @Test(
    "4,000 of 5,000 credits are asked back for two reasons",
    arguments: [
      (nil, "UNSATISFIED_WITH_PURCHASE", "DECLINE", 80_000),
      (DeliveryStatus.undeliveredServerOutage, "FULFILLMENT_ISSUE", "GRANT_FULL", 0),
    ] as [(DeliveryStatus?, String, String, Int64)])
  func twoReasons(
    delivery: DeliveryStatus?, reason: String, preference: String, percentage: Int64
  ) throws {
    let desk = try LifeDesk()
    try Self.bought(desk)
    try desk.run(.putCustomer(id: "7", customer: "u"), at: 1)
    try desk.run(.putConsent(customer: "u", consented: true, at: LifeDesk.day(1)), at: 1)
    if let delivery { try desk.run(.putDelivery(id: "7", status: delivery), at: 1) }
    let asked = Told.notification(
      "CONSUMPTION_REQUEST", signed: 2, try Told.transaction("7", signed: 2), reason: reason)
    let outcome = try desk.notify(asked, at: 2.01)
    #expect(outcome.refundCase?.text == "7:1")
    let answer = try #require(try desk.consumption("7", at: 2.02))
    #expect(answer["state"]?.string == "refund_requested")
    #expect(answer["consumptionRequest"]?["refundPreference"]?.string?.string == preference)
    #expect(answer["consumptionRequest"]?["consumptionPercentage"]?.integer == percentage)
    #expect(answer["refundCase"]?["consumptionRequestReason"]?.string?.string == reason)
    #expect(answer["refundCase"]?["respondBy"]?.string?.string == LifeDesk.day(2.5).description)
    #expect(answer["atRisk"]?["class"]?.string == "requested")
    #expect(answer["atRisk"]?["proceeds"]?["amount"]?.string == "6.993")
    #expect(
      try desk.figures("7", at: 2.02)
        == "refund_requested 80000 cost 4 kept 6.993 loss leak")
  }

  @Test("a refund loses what serving has cost, and its reversal brings all back")
  func reversedRefund() throws {
    let desk = try LifeDesk()
    try Self.bought(desk)
    try desk.notify(
      Told.notification("CONSUMPTION_REQUEST", signed: 2, Told.transaction("7", signed: 2)))
    try desk.notify(
      Told.notification("REFUND", signed: 3, Told.transaction("7", signed: 3, Told.refund(3))))
    try desk.use("500", "7", at: 4)
    #expect(try desk.figures("7", at: 5) == "refunded 90000 cost 4.5 kept 0 loss 4 leak 0.5")
    #expect(try desk.consumption("7", at: 5)?["refundCase"]?["state"]?.string == "granted")
    let reversal = Told.notification(
      "REFUND_REVERSED", signed: 6, try Told.transaction("7", signed: 6))
    #expect(try desk.notify(reversal).refundCase?.text == "7:1")
    #expect(try desk.figures("7", at: 7) == "active 90000 cost 4.5 kept 6.993 loss leak")
    let answer = try desk.consumption("7", at: 7)
    #expect(answer?["refundCase"]?["state"]?.string == "reversed")
    #expect(answer?["margin"]?.elements?.first?["amount"]?.string == "2.493")
  }

  @Test("a family revocation gives no money back, since none came in")
  func familyRevocation() throws {
    let desk = try LifeDesk()
    let shared = "\"inAppOwnershipType\":\"FAMILY_SHARED\""
    try desk.notify(
      Told.notification("ONE_TIME_CHARGE", signed: 0, Told.transaction("7", signed: 0, shared)))
    try desk.use("4000", "7", at: 1)
    let revoked =
      "\(shared),\"revocationDate\":\(LifeDesk.milliseconds(2)),"
      + "\"revocationType\":\"FAMILY_REVOKE\""
    let outcome = try desk.notify(
      Told.notification("REVOKE", signed: 2, Told.transaction("7", signed: 2, revoked)))
    #expect(outcome.isApplied && outcome.refundCase == nil)
    try desk.use("1000", "7", at: 3)
    #expect(try desk.figures("7", at: 4) == "revoked 100000 cost 5 kept 0 loss leak 1")
  }

  /// Five months of a commitment to twelve, each with usage, the fifth running.
  private static func committed(_ rate: String) throws -> LifeDesk {
    let desk = try LifeDesk("commission: [{ rate: \"\(rate)\" }],")
    for number in 1...5 {
      let start = Double(number - 1) * 30
      let type = number == 1 ? "SUBSCRIBED" : "DID_RENEW"
      try desk.notify(
        Told.notification(
          type, number == 1 ? "INITIAL_BUY" : nil, signed: start,
          Told.month(number, signed: start, commitment: 360),
          renewal: Told.renewal(signed: start)))
      try desk.use("\(number)00", "m1", at: start + 10, subject: "originalTransactionId")
    }
    return desk
  }

  @Test(
    "a refund of a past month leaves the commitment, one of the current month ends it",
    arguments: [("0.30", "4.893", "34.251"), ("0.15", "5.9415", "41.5905")])
  func commitment(rate: String, proceeds: String, forecast: String) throws {
    let refunded = try Self.committed(rate)
    try refunded.notify(
      Told.notification(
        "REFUND", signed: 132,
        Told.month(2, signed: 132, Told.refund(131), commitment: 360)))
    #expect(
      try refunded.figures("m2", at: 133) == "refunded 20000 cost 0.2 kept 0 loss 0.2 leak")
    #expect(
      try refunded.figures("m5", at: 133)
        == "active 50000 cost 0.5 kept \(proceeds) loss leak forecast \(forecast)")

    let ended = try Self.committed(rate)
    try ended.notify(
      Told.notification(
        "REFUND", signed: 132,
        Told.month(5, signed: 132, Told.refund(131), commitment: 360)))
    try ended.use("100", "m1", at: 133, subject: "originalTransactionId")
    #expect(
      try ended.figures("m5", at: 134) == "refunded 60000 cost 0.6 kept 0 loss 0.5 leak 0.1")
    #expect(
      try ended.figures("m2", at: 134)
        == "superseded 20000 cost 0.2 kept \(proceeds) loss leak")
  }

  @Test("a cancellation is no refund: the commitment goes on") func cancellation() throws {
    let desk = try Self.committed("0.30")
    let before = try desk.figures("m5", at: 133)
    try desk.notify(
      Told.notification(
        "DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", signed: 132,
        Told.month(5, signed: 132, commitment: 360), renewal: Told.renewal(signed: 132)))
    #expect(try desk.figures("m5", at: 133) == before)
    #expect(before == "active 50000 cost 0.5 kept 4.893 loss leak forecast 34.251")
  }

  @Test("a failed payment ends access at once, and its recovery moves the commitment's end")
  func failedPayment() throws {
    let desk = try Self.committed("0.30")
    try desk.notify(
      Told.notification(
        "DID_FAIL_TO_RENEW", signed: 150, Told.month(5, signed: 150, commitment: 360),
        renewal: Told.renewal(signed: 150, isRetried: true)))
    try desk.use("700", "m1", at: 155, subject: "originalTransactionId")
    #expect(
      try desk.figures("m5", at: 156) == "expired 50000 cost 0.5 kept 4.893 loss leak")
    #expect(desk.totals.waitingReadings == 1)
    try desk.notify(
      Told.notification(
        "DID_RENEW", "BILLING_RECOVERY", signed: 160,
        Told.month(6, bought: 160, signed: 160, commitment: 370),
        renewal: Told.renewal(signed: 160)))
    try desk.use("100", "m1", at: 161, subject: "originalTransactionId")
    #expect(
      try desk.figures("m6", at: 162)
        == "active 10000 cost 0.1 kept 4.893 loss leak forecast 29.358")
    let commitment = try desk.consumption("m6", at: 162)?["commitment"]
    #expect(commitment?["commitmentExpiresDate"]?.integer == LifeDesk.milliseconds(370))
    // What was used while nothing was paid for stays nobody's.
    #expect(desk.totals.waitingReadings == 1)
  }
}
