import Foundation
import Metering
import Store
import Testing

@testable import Sidecar

/// Events in, a signed request in, the answer out, its signed outcome in, figures in metrics.
@Suite(.serialized) struct WholeAnswerTests {
  static let answer =
    #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"DELIVERED","#
    + #""consumptionPercentage":80000,"refundPreference":"DECLINE"}"#

  /// What Apple decides about a purchase that cost 40 USD and brought 6.993.
  private struct Outcome {
    var id: String
    /// Notifications, each with what the transaction then says of the money that went back.
    var told: [(kind: String, refund: String?)]
    var end: String
    var state: String
    var kept: String
    var loss: String?
  }

  private static let full = #""REFUND_FULL","revocationPercentage":100000"#
  private static let fifth = #""REFUND_PRORATED","revocationPercentage":20000"#

  private static let outcomes = [
    Outcome(
      id: "700001", told: [("REFUND", full)], end: "granted", state: "refunded", kept: "0",
      loss: "40"),
    Outcome(
      id: "700002", told: [("REFUND", fifth)], end: "granted", state: "refunded", kept: "5.5944",
      loss: "34.4056"),
    Outcome(
      id: "700003", told: [("REFUND_DECLINED", nil)], end: "declined", state: "active",
      kept: "6.993", loss: nil),
    Outcome(
      id: "700004", told: [("REFUND", full), ("REFUND_REVERSED", nil)], end: "reversed",
      state: "active", kept: "6.993", loss: nil),
  ]

  @Test func fromTheRequestToItsOutcome() throws {
    let scene = try WholeScene()
    defer { scene.finish() }
    let responder = try scene.respond()
    for one in Self.outcomes {
      try scene.buy(one.id)
      #expect(try scene.notify("ONE_TIME_CHARGE", of: one.id, to: responder) == 200)
      #expect(try scene.consumption(one.id)["state"]?.text == "active")
      #expect(try scene.ask(one.id, to: responder) == 200)
    }
    let ids = Self.outcomes.map(\.id)
    #expect(try scene.names("answered", count: 4) == ids.map { "\($0):1" })
    for id in ids { try Self.expectAnswered(id, scene) }
    for one in Self.outcomes {
      for (kind, refund) in one.told {
        let now = SystemClock.now().microseconds / 1000
        let fields = refund.map { #","revocationDate":\#(now),"revocationType":\#($0)"# }
        try scene.sell(one.id, fields ?? "")
        #expect(try scene.notify(kind, of: one.id, to: responder) == 200)
      }
      try Self.expectOver(one, scene)
    }
    try Self.expectFigures(of: scene)
    // The request, its purchase and what became of it: nothing else came, nothing was refused.
    let accepted = #"outlay_responder_notifications_total{result="accepted"}"#
    #expect(try responder.metric(accepted) == 13)
    #expect(try responder.attempts("answered", "2xx") == 4)
    #expect(try responder.metric("outlay_responder_time_left_seconds") == nil)
    #expect(try responder.metric("outlay_responder_pending_reports") == 0)
    #expect(responder.stop() == 0)
  }

  private static func expectAnswered(_ id: String, _ scene: WholeScene) throws {
    #expect(try scene.taken(id) == [answer])
    let found = try scene.cases("answered").first { $0["transactionId"]?.text == id }
    let told = try #require(found?["response"])
    #expect(told["httpStatus"]?.integer == 202)
    #expect(told["sent"]?["consumptionPercentage"]?.integer == 80_000)
    #expect(told["sent"]?["refundPreference"]?.text == "DECLINE")
    #expect(told["figures"]?["cost"]?["totals"]?.elements?.first?["amount"]?.text == "40")
    let now = try scene.consumption(id)
    #expect(now["state"]?.text == "refund_requested")
    #expect(now["gate"]?.text == "answered")
    #expect(now["atRisk"]?["class"]?.text == "requested")
  }

  private static func expectOver(_ one: Outcome, _ scene: WholeScene) throws {
    let now = try scene.consumption(one.id)
    #expect(now["refundCase"]?["state"]?.text == one.end, "\(one.id)")
    #expect(now["state"]?.text == one.state, "\(one.id)")
    #expect(now["proceeds"]?["kept"]?.text == one.kept, "\(one.id)")
    #expect(now["realisedLoss"]?.elements?.first?["amount"]?.text == one.loss, "\(one.id)")
    #expect(try scene.taken(one.id).count == 1)
  }

  private static func expectFigures(of scene: WholeScene) throws {
    let sold =
      #"product="com.example.credits.5000",currency="USD",environment="Production""#
    // What was given back was granted before, and a counter never falls.
    for (sample, value) in [
      (#"outlay_refund_requests_total{reason="UNSATISFIED_WITH_PURCHASE"}"#, 4),
      (#"outlay_refund_responses_total{preference="DECLINE",result="accepted"}"#, 4),
      (#"outlay_refund_outcomes_total{preference="DECLINE",outcome="granted"}"#, 3),
      (#"outlay_refund_outcomes_total{preference="DECLINE",outcome="declined"}"#, 1),
      (#"outlay_refund_outcomes_total{preference="DECLINE",outcome="reversed"}"#, 1),
      (#"outlay_realised_loss{\#(sold)}"#, 74.4056),
      (#"outlay_cost{meter="credits",\#(sold)}"#, 160),
      (#"outlay_cost_at_risk{risk="requested",\#(sold)}"#, 0),
      (#"outlay_purchases{state="refunded",environment="Production"}"#, 2),
      (#"outlay_notifications_total{type="CONSUMPTION_REQUEST"}"#, 4),
      (#"outlay_notifications_total{type="REFUND"}"#, 3),
    ] as [(String, Double)] {
      let told = try scene.metric(sample, becomes: value)
      #expect(told == value, "\(sample)")
    }
  }

  @Test func withoutConsentNothingIsSent() throws {
    let scene = try WholeScene()
    defer { scene.finish() }
    let responder = try scene.respond()
    try scene.buy("700002", consented: false)
    #expect(try scene.ask("700002", to: responder) == 200)
    let gated = #"outlay_refund_requests_open{gate="not_consented"}"#
    #expect(try scene.metric(gated, becomes: 1) == 1)
    let why = try Binary.run(
      ["respond", "--dry-run", "700002:1", "--socket", scene.server.socketPath])
    #expect(why.output.contains("nothing    would be sent: not_consented"))
    #expect(try scene.taken("700002") == [])
    // Consent that comes later opens the gate.
    try scene.consent("700002")
    #expect(responder.line(with: "case 700002:1: answered") != nil)
    #expect(try scene.taken("700002") == [Self.answer])
  }

  @Test func observingSendsNothing() throws {
    let scene = try WholeScene()
    defer { scene.finish() }
    let responder = try scene.respond(mode: "observe")
    try scene.buy("700001")
    #expect(try scene.ask("700001", to: responder) == 200)
    #expect(responder.line(with: "case 700001:1: would send \(Self.answer)") != nil)
    #expect(responder.stop() == 0)
    #expect(try scene.store.calls("sendConsumption", count: 0).isEmpty)
    #expect(try scene.names("open") == ["700001:1"])
    // Nobody claimed it, and no attempt was reported.
    let refundCase = try scene.consumption("700001")["refundCase"]
    #expect(refundCase?["claim"] == nil && refundCase?["failures"] == nil)
  }

  @Test func whatIsNotApplesIsRefused() throws {
    let scene = try WholeScene()
    defer { scene.finish() }
    let responder = try scene.respond()
    try scene.buy("700001")
    for (body, status) in [
      ("", 400), ("{}", 422), ("[", 400), (#"{"signedPayload":7}"#, 422),
      (#"{"signedPayload":"a.b.c"}"#, 422),
    ] {
      #expect(try scene.post([body], to: responder) == [status], "\(body)")
    }
    let foreign = #","bundleId":"com.example.foreign""#
    #expect(try scene.notify("REFUND", of: "700001", foreign, to: responder) == 422)
    #expect(try scene.names("open") == [])
    for (result, count) in [("accepted", 0.0), ("malformed", 4), ("unverified", 2)] {
      let sample = #"outlay_responder_notifications_total{result="\#(result)"}"#
      #expect(try responder.metric(sample) == count, "\(result)")
    }
    #expect(responder.text.contains("a notification isn't Apple's, or not for this app"))
  }

  /// Each of two apps answers for its own purchases, with a token that names it.
  @Test func theAppThatSoldItAnswers() throws {
    let scene = try WholeScene()
    defer { scene.finish() }
    let responder = try scene.respond(hasTwoApps: true)
    let other = #","bundleId":"\#(try scene.store.text("otherBundleId"))""#
    for (id, app) in [("700001", ""), ("700002", other)] {
      try scene.buy(id)
      try scene.sell(id, app)
      #expect(try scene.ask(id, to: responder) == 200)
    }
    #expect(try scene.names("answered", count: 2) == ["700001:1", "700002:1"])
    #expect(try scene.store.calls("sendConsumption", count: 2).map(\.answer) == ["202", "202"])
  }

  @Test func ofTwoRespondersOneSends() throws {
    let scene = try WholeScene()
    defer { scene.finish() }
    let both = [try scene.respond(), try scene.respond()]
    let ids = (1...6).map { "70000\($0)" }
    for (index, id) in ids.enumerated() {
      try scene.buy(id)
      try scene.ask(id, to: both[index % 2])
    }
    #expect(try scene.names("answered", count: ids.count) == ids.map { "\($0):1" })
    for one in both { #expect(one.stop() == 0) }
    for id in ids { #expect(try scene.taken(id).count == 1, "\(id)") }
    #expect(try scene.store.calls("sendConsumption", count: 0).count == ids.count)
  }
}
