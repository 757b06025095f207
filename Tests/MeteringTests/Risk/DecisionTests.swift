import Metering
import Testing

/// Rows by hand: what is known, what is sent, and why.
@Suite struct DecisionTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var state: RefundCaseState? = .open
    var isAnswered = false
    var reason: ByteString? = "OTHER"
    var isKnown = true
    var change: @Sendable (inout DecisionInput.Subject) -> Void = { _ in }
    var consent: DecisionInput.Consent = .given
    var delivery: DeliveryStatus? = .delivered
    var share: Int64? = 80_000
    var elapsed: Fraction?
    var behind: Int64?
    var decisions = Decisions()
    var expected: String
  }

  static let now = Instant(microseconds: 1_796_000_000_000_000)

  static func input(_ row: Row) -> DecisionInput {
    var subject = DecisionInput.Subject()
    subject.ownership = "PURCHASED"
    row.change(&subject)
    let marks = row.behind.map {
      [
        FeedMark(source: "fresh", through: now),
        FeedMark(source: "api-1", through: now.adding(microseconds: -$0 * 60_000_000)),
      ]
    }
    return DecisionInput(
      request: row.state.map {
        DecisionInput.Request(
          state: $0, isAnswered: row.isAnswered, reason: row.reason, respondBy: now)
      }, subject: row.isKnown ? subject : nil, consent: row.consent, delivery: row.delivery,
      share: row.share, elapsed: row.elapsed,
      staleFeed: StaleFeed(
        marks ?? [], requestedAt: now, allowedMinutes: row.decisions.staleAfterMinutes),
      decisions: row.decisions)
  }

  /// A decision in one line.
  static func summary(_ decision: Decision) -> String {
    let because = decision.because ?? "-"
    switch decision.verdict {
    case .gated(let gate): return "\(gate.rawValue): \(because)"
    case .send(let request):
      let percentage = request.consumptionPercentage.map { "\($0)" } ?? "-"
      let preference = request.refundPreference?.rawValue ?? "-"
      return "\(request.deliveryStatus.name) \(percentage) \(preference): \(because)"
    }
  }

  @Test(arguments: gates + rules) func decides(_ row: Row) {
    #expect(Self.summary(Decision(Self.input(row))) == row.expected)
  }

  private static func byReason(_ decline: Int64, _ grant: Int64) -> Decisions {
    var decisions = Decisions()
    decisions.byReason["OTHER"] = Decisions.Thresholds(declineAt: decline, grantAtOrBelow: grant)
    return decisions
  }

  static let gates: [Row] = [
    Row(testDescription: "nobody asked", state: nil, expected: "no_case: -"),
    Row(testDescription: "declined", state: .declined, expected: "no_case: -"),
    Row(testDescription: "lapsed", state: .lapsed, expected: "no_case: -"),
    Row(
      testDescription: "unknown purchase", isAnswered: true, isKnown: false,
      expected: "unknown_purchase: the purchase isn't known"),
    Row(
      testDescription: "revoked before answered", isAnswered: true,
      change: { $0.isRevoked = true }, expected: "revoked: the purchase is revoked already"),
    Row(
      testDescription: "answered before late", state: .missed, isAnswered: true,
      expected: "answered: the request is answered already"),
    Row(
      testDescription: "late before consent", state: .missed, consent: .withdrawn,
      expected: "late: respondBy \(now) is over"),
    Row(
      testDescription: "consent before family",
      change: { $0.ownership = "FAMILY_SHARED" }, consent: .unknown,
      expected: "not_consented: no consent of the purchase's customer is known"),
    Row(
      testDescription: "consent withdrawn", consent: .withdrawn,
      expected: "not_consented: the customer doesn't consent"),
    Row(
      testDescription: "family before advanced commerce",
      change: {
        $0.ownership = "FAMILY_SHARED"
        $0.isAdvancedCommerce = true
      }, expected: "family_shared: inAppOwnershipType FAMILY_SHARED"),
    Row(
      testDescription: "assigned", change: { $0.ownership = "ASSIGNED" },
      expected: "assigned: inAppOwnershipType ASSIGNED"),
    Row(
      testDescription: "advanced commerce before delivery",
      change: { $0.isAdvancedCommerce = true }, delivery: nil,
      expected: "advanced_commerce: the purchase has advancedCommerceInfo"),
    Row(
      testDescription: "delivery unknown", delivery: nil,
      expected: "delivery_unknown: no deliveryStatus was reported and no usage shows a delivery"),
    Row(
      testDescription: "an ownership that Apple adds is no gate",
      change: { $0.ownership = "LENT" },
      expected: "DELIVERED 80000 DECLINE: share 80000 at or above declineAt 70000"),
  ]

  static let rules: [Row] = [
    Row(
      testDescription: "the contract's example", reason: "UNSATISFIED_WITH_PURCHASE",
      expected: "DELIVERED 80000 DECLINE: share 80000 at or above declineAt 70000"),
    Row(
      testDescription: "not delivered before all", reason: "LEGAL", delivery: .undeliveredWrongItem,
      behind: 1_000,
      expected: "UNDELIVERED_WRONG_ITEM 0 GRANT_FULL: deliveryStatus UNDELIVERED_WRONG_ITEM"),
    Row(
      testDescription: "a subscription that wasn't delivered has no percentage",
      change: { $0.isAutoRenewable = true }, delivery: .undeliveredOther,
      expected: "UNDELIVERED_OTHER - GRANT_FULL: deliveryStatus UNDELIVERED_OTHER"),
    Row(
      testDescription: "the law", reason: "LEGAL",
      expected: "DELIVERED 80000 GRANT_FULL: consumptionRequestReason LEGAL"),
    Row(
      testDescription: "no share", share: nil,
      expected: "DELIVERED - -: no allowance gives a share"),
    Row(
      testDescription: "feed as old as allowed", behind: 60,
      expected: "DELIVERED 80000 DECLINE: share 80000 at or above declineAt 70000"),
    Row(
      testDescription: "feed too old", behind: 61,
      expected: "DELIVERED - -: the feed of source api-1 is complete through "
        + "\(now.adding(microseconds: -3_660_000_000)) only, more than 60 minutes before the "
        + "request at \(now)"),
    Row(
      testDescription: "unused", share: 0,
      expected: "DELIVERED 0 GRANT_FULL: share 0 at or below grantAtOrBelow 0"),
    Row(
      testDescription: "just used", share: 1,
      expected: "DELIVERED 1 GRANT_PRORATED: share 1 between grantAtOrBelow 0 and declineAt 70000"),
    Row(
      testDescription: "just below", share: 69_999,
      expected: "DELIVERED 69999 GRANT_PRORATED: "
        + "share 69999 between grantAtOrBelow 0 and declineAt 70000"),
    Row(
      testDescription: "just at", share: 70_000,
      expected: "DELIVERED 70000 DECLINE: share 70000 at or above declineAt 70000"),
    Row(
      testDescription: "used up", share: 100_000,
      expected: "DELIVERED 100000 DECLINE: share 100000 at or above declineAt 70000"),
    Row(
      testDescription: "thresholds of the reason grant", share: 50_000,
      decisions: byReason(90_000, 50_000),
      expected:
        "DELIVERED 50000 GRANT_FULL: share 50000 at or below grantAtOrBelow 50000 of OTHER"),
    Row(
      testDescription: "thresholds of the reason decline", share: 90_000,
      decisions: byReason(90_000, 50_000),
      expected: "DELIVERED 90000 DECLINE: share 90000 at or above declineAt 90000 of OTHER"),
    Row(
      testDescription: "thresholds of another reason don't matter", reason: nil, share: 90_000,
      decisions: byReason(95_000, 50_000),
      expected: "DELIVERED 90000 DECLINE: share 90000 at or above declineAt 70000"),
    Row(
      testDescription: "a subscription used faster than its time",
      change: { $0.isAutoRenewable = true }, share: 50_001, elapsed: Fraction(5, scale: 1),
      expected: "DELIVERED - -: share 50001 above the elapsed 50000 of the period"),
    Row(
      testDescription: "a subscription used as fast as its time",
      change: { $0.isAutoRenewable = true }, share: 50_000, elapsed: Fraction(5, scale: 1),
      expected: "DELIVERED - GRANT_PRORATED: share 50000 between grantAtOrBelow 0 and declineAt "
        + "70000, not above the elapsed 50000 of the period"),
    Row(
      testDescription: "a subscription without an end",
      change: { $0.isAutoRenewable = true }, share: 50_000,
      expected: "DELIVERED - -: share 50000 between grantAtOrBelow 0 and declineAt 70000, of a "
        + "period that isn't known to end"),
  ]
}
