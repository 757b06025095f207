import Metering
import Testing

/// Every combination of what decides, against an oracle that reads the contract another way:
/// as two ordered lists over plain numbers.
@Suite struct DecisionCellTests {
  /// One combination, in plain words and numbers.
  struct Cell: Sendable {
    var type: String
    /// Apple's status, or "" when unknown.
    var delivery: String
    /// "yes", "no" or "" without a record.
    var consent: String
    var ownership: String
    /// "" for none.
    var reason: String
    /// -1 for none.
    var share: Int
    var environment: String
    var phase: Phase
    /// Minutes that the feed was behind at the request; -1 without a feed.
    var behind: Int
    /// Thousandths of the period that are over; -1 when it doesn't end.
    var elapsed: Int
    var isRevoked: Bool
    var isAdvanced: Bool

    var isSubscription: Bool { type == "Auto-Renewable Subscription" }
  }

  /// What happened to the request, and how many minutes after it the question is asked.
  struct Phase: Sendable {
    var minutes: Int
    /// Minute of an answer that Apple took; -1 without.
    var answered = -1
    var end: CaseEnd.Kind?
    var isAsked = true
  }

  static let phases: [Phase] = [
    Phase(minutes: 1, isAsked: false), Phase(minutes: 1), Phase(minutes: 6), Phase(minutes: 721),
    Phase(minutes: 50_000), Phase(minutes: 10, answered: 2), Phase(minutes: 10, answered: 7),
    Phase(minutes: 10, end: .granted), Phase(minutes: 10, end: .declined),
    Phase(minutes: 10, answered: 1, end: .reversed),
  ]
  static let deliveries = [
    "", "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM",
    "UNDELIVERED_SERVER_OUTAGE", "UNDELIVERED_OTHER",
  ]
  static let types = [
    "Consumable", "Non-Consumable", "Non-Renewing Subscription", "Auto-Renewable Subscription",
  ]
  static let ownerships = ["PURCHASED", "FAMILY_SHARED", "ASSIGNED", ""]
  static let reasons = [
    "", "UNINTENDED_PURCHASE", "FULFILLMENT_ISSUE", "UNSATISFIED_WITH_PURCHASE", "LEGAL", "OTHER",
    "NEW",
  ]
  static let shares = [-1, 0, 20_000, 40_000, 69_999, 70_000, 100_000]
  static let feeds = [-1, 60, 61]
  static let elapsed = [-1, 0, 400, 1_000]

  /// Thresholds that every cell is decided with: one reason has its own.
  static let decisions: Decisions = {
    var decisions = Decisions()
    decisions.byReason["OTHER"] = Decisions.Thresholds(declineAt: 69_999, grantAtOrBelow: 20_000)
    return decisions
  }()

  // MARK: The oracle

  /// The contract's gates in its order: the first whose condition holds.
  static func gate(_ cell: Cell) -> String? {
    let window = cell.environment == "Sandbox" ? 5 : 720
    let phase = cell.phase
    let isTimely = phase.answered >= 0 && phase.answered < window
    let isSilent = phase.minutes >= (isTimely ? phase.answered : window) + 43_200
    let conditions: [(String, Bool)] = [
      ("no_case", !phase.isAsked || phase.end != nil || isSilent), ("revoked", cell.isRevoked),
      ("answered", phase.answered >= 0), ("late", phase.minutes >= window),
      ("not_consented", cell.consent != "yes"),
      ("family_shared", cell.ownership == "FAMILY_SHARED"),
      ("assigned", cell.ownership == "ASSIGNED"), ("advanced_commerce", cell.isAdvanced),
      ("delivery_unknown", cell.delivery == ""),
    ]
    return conditions.first { $0.1 }?.0
  }

  /// The contract's seven rules in its order, each with its preference and whether a share is sent.
  static func body(_ cell: Cell) -> String {
    let (grant, decline) = cell.reason == "OTHER" ? (20_000, 69_999) : (0, 70_000)
    let isAhead = cell.share * 1_000 > cell.elapsed * 100_000
    let rules: [(Bool, String, Bool)] = [
      (cell.delivery != "DELIVERED", "GRANT_FULL", true),
      (cell.reason == "LEGAL", "GRANT_FULL", true),
      (cell.share < 0 || cell.behind > 60, "-", false), (cell.share <= grant, "GRANT_FULL", true),
      (cell.share >= decline, "DECLINE", true), (cell.isSubscription && isAhead, "-", true),
      (true, "GRANT_PRORATED", true),
    ]
    let (_, preference, sends) = rules.first { $0.0 } ?? (true, "?", false)
    var percentage = cell.delivery == "DELIVERED" ? cell.share : 0
    if cell.isSubscription || !sends { percentage = -1 }
    return "\(cell.delivery) \(percentage < 0 ? "-" : "\(percentage)") \(preference)"
  }

  // MARK: The product

  private static let asked = Instant(microseconds: 1_796_000_000_000_000)

  private static func minute(_ minute: Int) -> Instant {
    asked.adding(microseconds: Int64(minute) * 60_000_000)
  }

  /// The case by itself, as the record has it.
  static func standing(_ phase: Phase, _ environment: String) throws -> CaseStanding? {
    guard phase.isAsked else { return nil }
    var purchase = Purchase()
    purchase.environment = ByteString(environment)
    var record = try PurchaseRecord(transactionId: "t").applying(purchase, signed: false).get()
      .record
    _ = record.ask(CaseRequest(reason: nil, receivedAt: asked), at: asked)
    if phase.answered >= 0 {
      let desk = try CaseDesk(record)
      _ = try desk.decide(
        .answerCase(CaseID(transaction: "t", number: 1), CaseReport(httpStatus: 202)),
        at: minute(phase.answered))
      record = desk.record ?? record
    }
    if let end = phase.end {
      // Only what was granted is reversed.
      if end == .reversed { record.settleCase(.granted, at: minute(phase.minutes)) }
      record.settleCase(end, at: minute(phase.minutes))
    }
    return record.latestCase(at: minute(phase.minutes))
  }

  private static func input(_ cell: Cell, _ standing: CaseStanding?) -> DecisionInput {
    var subject = DecisionInput.Subject()
    subject.isRevoked = cell.isRevoked
    subject.isAutoRenewable = cell.isSubscription
    subject.ownership = cell.ownership.isEmpty ? nil : ByteString(cell.ownership)
    subject.isAdvancedCommerce = cell.isAdvanced
    let marks = cell.behind < 0 ? [] : [FeedMark(source: "s", through: minute(-cell.behind))]
    return DecisionInput(
      request: standing.map {
        DecisionInput.Request(
          state: $0.state, isAnswered: $0.refundCase.response != nil,
          reason: cell.reason.isEmpty ? nil : ByteString(cell.reason), respondBy: $0.respondBy)
      }, subject: subject,
      consent: cell.consent == "yes" ? .given : cell.consent == "no" ? .withdrawn : .unknown,
      delivery: DeliveryStatus(name: ByteString(cell.delivery)),
      share: cell.share < 0 ? nil : Int64(cell.share),
      elapsed: cell.elapsed < 0 ? nil : Fraction(Int128(cell.elapsed), scale: 3),
      staleFeed: StaleFeed(marks, requestedAt: asked, allowedMinutes: 60), decisions: decisions)
  }

  private static func summary(_ decision: Decision) -> String {
    switch decision.verdict {
    case .gated(let gate): return gate.rawValue
    case .send(let request):
      let percentage = request.consumptionPercentage.map { "\($0)" } ?? "-"
      let preference = request.refundPreference?.rawValue ?? "-"
      return "\(request.deliveryStatus.name) \(percentage) \(preference)"
    }
  }

  /// What Apple publishes of the body; nil when it is met.
  private static func breach(_ decision: Decision, _ cell: Cell) -> String? {
    guard case .send(let request) = decision.verdict else { return nil }
    let percentage = request.consumptionPercentage
    if cell.isSubscription, percentage != nil { return "4000209: percentage of a subscription" }
    if let percentage, !(0...100_000).contains(percentage) { return "percentage out of range" }
    if request.deliveryStatus != .delivered, let percentage, percentage != 0 {
      return "undelivered, but consumed"
    }
    let isPart = percentage.map { 0 < $0 && $0 < 100_000 } ?? false
    if request.refundPreference == .grantProrated, !cell.isSubscription, !isPart {
      return "nothing to prorate"
    }
    if request.refundPreference == .grantProrated, request.deliveryStatus != .delivered {
      return "a part of what never came"
    }
    return decision.because == nil ? "no reason given" : nil
  }

  @Test(arguments: ["Production", "Sandbox"]) func everyCell(_ environment: String) throws {
    var random = Chance(state: 7)
    var wrong: [String] = []
    for phase in Self.phases {
      let standing = try Self.standing(phase, environment)
      forEachCell(environment, phase) { cell in
        var cell = cell
        cell.behind = Self.feeds[random.next(Self.feeds.count)]
        cell.elapsed = Self.elapsed[random.next(Self.elapsed.count)]
        cell.isRevoked = random.next(5) == 0
        cell.isAdvanced = random.next(5) == 0
        let decision = Decision(Self.input(cell, standing))
        let expected = Self.gate(cell) ?? Self.body(cell)
        if Self.summary(decision) != expected {
          wrong.append("\(cell): \(Self.summary(decision)), not \(expected)")
        }
        if let breach = Self.breach(decision, cell) { wrong.append("\(cell): \(breach)") }
      }
    }
    #expect(wrong.isEmpty, "\(wrong.count) cells, first \(wrong.first ?? "")")
  }

  private func forEachCell(_ environment: String, _ phase: Phase, _ body: (Cell) -> Void) {
    for type in Self.types {
      for delivery in Self.deliveries {
        for consent in ["yes", "no", ""] {
          for ownership in Self.ownerships {
            for reason in Self.reasons {
              for share in Self.shares {
                body(
                  Cell(
                    type: type, delivery: delivery, consent: consent, ownership: ownership,
                    reason: reason, share: share, environment: environment, phase: phase,
                    behind: -1, elapsed: -1, isRevoked: false, isAdvanced: false))
              }
            }
          }
        }
      }
    }
  }
}

/// A small generator, the same on every run.
private struct Chance {
  var state: UInt64

  mutating func next(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % bound
  }
}
