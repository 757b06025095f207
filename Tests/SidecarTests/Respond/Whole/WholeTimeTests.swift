import Metering
import Store
import Testing

@testable import Sidecar

/// Requests whose time is short or over, and clocks that disagree.
@Suite(.serialized) struct WholeTimeTests {
  /// The sandbox gives five minutes, most of which are over when these come.
  @Test func aDeadlineThatPassesIsMissed() throws {
    let scene = try WholeScene()
    defer { scene.finish() }
    let responder = try scene.respond()
    try scene.buy("700001", in: "Sandbox")
    try scene.buy("700002", in: "Sandbox", consented: false)
    try scene.buy("700003")
    try scene.store.plan(#"{"endpoint":"sendConsumption","status":500,"code":5000000}"#)
    // Apple fails once, and no second attempt would leave the margin.
    try scene.ask("700001", in: "Sandbox", age: 285, to: responder)
    try scene.ask("700002", in: "Sandbox", age: 285, to: responder)
    // Twelve hours are over as it comes.
    try scene.ask("700003", age: 43_201, to: responder)
    #expect(try scene.names("missed", count: 3) == ["700001:1", "700002:1", "700003:1"])
    #expect(responder.line(with: "case 700001:1: missed") != nil)
    // Consent that comes too late doesn't help.
    try scene.consent("700002")
    #expect(try scene.consumption("700002")["gate"]?.text == "late")
    let missed = #"outlay_refund_requests_missed_total{reason="UNSATISFIED_WITH_PURCHASE"}"#
    #expect(try scene.metric(missed, becomes: 3) == 3)
    #expect(try scene.metric(#"outlay_refund_requests_open{gate="none"}"#, becomes: 0) == 0)
    #expect(try responder.attempts("missed", "none") == 1)
    #expect(try scene.store.calls("sendConsumption", count: 1).map(\.answer) == ["500"])
    // Apple decides nevertheless.
    let now = SystemClock.now().microseconds / 1000
    try scene.sell(
      "700003", #","revocationDate":\#(now),"revocationType":"REFUND_FULL""#)
    try scene.notify("REFUND", of: "700003", to: responder)
    #expect(try scene.names("granted", count: 1) == ["700003:1"])
  }

  /// Ours is an hour behind: tokens are refused once, then dated by Apple's.
  @Test func aWrongClockIsTold() throws {
    let scene = try WholeScene()
    defer { scene.finish() }
    try scene.store.command("clock", "\"ahead\":3700")
    let responder = try scene.respond()
    try scene.buy("700001")
    #expect(try scene.ask("700001", to: responder) == 200)
    #expect(try scene.names("answered", count: 1) == ["700001:1"])
    let answers = try scene.store.calls("sendConsumption", count: 2).map(\.answer)
    #expect(answers == ["401", "202"])
    let skew = try #require(try responder.metric("outlay_responder_clock_skew_seconds"))
    #expect((3_640...3_760).contains(skew))
    #expect(try responder.attempts("failed", "4xx") == 1)
  }
}
