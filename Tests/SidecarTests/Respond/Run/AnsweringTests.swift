import Foundation
import Metering
import Store
import Testing

@testable import Sidecar

/// The built responder between a sidecar and Apple.
@Suite(.serialized) struct AnsweringTests {
  static let reports = "POST /v1/refund-requests/700001:1/response"

  /// A known purchase with an open case.
  static func scene(
    _ fields: String = "", change: (inout FakeSidecar.Case) -> Void = { _ in }
  ) throws -> RespondScene {
    let scene = try RespondScene()
    var one = RespondScene.openCase("700001")
    change(&one)
    try scene.store.purchase("700001", in: one.environment, fields)
    scene.sidecar.open(one)
    return scene
  }

  /// A report without its time.
  static func report(_ text: String) -> String {
    text.replacing(#/,"at":"[^"]*"/#, with: "")
  }

  static func expected(
    _ status: String, _ code: String = "null", sent: String = FakeSidecar.request
  ) -> String {
    "\(reports) {\"sent\":\(sent),\"httpStatus\":\(status),\"errorCode\":\(code)}"
  }

  @Test func aCaseIsClaimedReadAnsweredAndReported() throws {
    let scene = try Self.scene()
    defer { scene.finish() }
    let responder = try scene.respond()
    let reports = scene.sidecar.calls(Self.reports, count: 1)
    #expect(reports.map(Self.report) == [Self.expected("202")])
    let calls = try scene.store.calls("sendConsumption", count: 1)
    #expect(calls.map(\.path) == ["/inApps/v2/transactions/consumption/700001"])
    #expect(calls.map(\.body) == [FakeSidecar.request])
    #expect(calls.map(\.answer) == ["202"])
    #expect(calls.map(\.environment) == ["Production"])
    let order = scene.sidecar.calls("", count: 0).filter { $0.contains("700001") }
    #expect(
      order.map { $0.split(separator: " ")[1].split(separator: "/").last } == [
        "claim", "consumption", "response",
      ])
    #expect(responder.line(with: "mode send: refund requests are answered") != nil)
    #expect(responder.line(with: "case 700001:1: answered") != nil)
    let attempts = #"outlay_responder_attempts_total{result="answered",class="2xx"}"#
    #expect(try responder.metric(attempts) == 1)
    #expect(try responder.metric(#"outlay_responder_mode{mode="send"}"#) == 1)
    #expect(responder.stop() == 0)
  }

  @Test func whatIsSentIsReadJustBefore() throws {
    let more = FakeSidecar.request.replacing("80000", with: "90000")
    let scene = try Self.scene { $0.later = (more, nil) }
    defer { scene.finish() }
    _ = try scene.respond()
    let reports = scene.sidecar.calls(Self.reports, count: 1)
    #expect(reports.map(Self.report) == [Self.expected("202", sent: more)])
    // Consent that was withdrawn meanwhile.
    try scene.store.purchase("700002")
    var withdrawn = RespondScene.openCase("700002")
    withdrawn.later = (FakeSidecar.request, "not_consented")
    scene.sidecar.open(withdrawn)
    let read = "GET /v1/transactions/700002/consumption"
    #expect(scene.sidecar.calls(read, count: 1).count >= 1)
    try scene.store.purchase("700003")
    scene.sidecar.open(RespondScene.openCase("700003"))
    let answered = "POST /v1/refund-requests/700003:1/response"
    #expect(scene.sidecar.calls(answered, count: 1).count == 1)
    let sent = try scene.store.calls("sendConsumption", count: 2).map { $0.path.suffix(6) }
    #expect(sent == ["700001", "700003"])
  }

  @Test func theSandboxHasAHostOfItsOwn() throws {
    let scene = try Self.scene { $0.environment = "Sandbox" }
    defer { scene.finish() }
    _ = try scene.respond()
    let calls = try scene.store.calls("sendConsumption", count: 1)
    #expect(calls.map(\.environment) == ["Sandbox"])
    #expect(calls.map(\.answer) == ["202"])
  }

  @Test func whatMayPassIsTriedAgain() throws {
    let scene = try Self.scene()
    defer { scene.finish() }
    try scene.store.plan(
      #"{"endpoint":"sendConsumption","status":500,"code":5000001}"#,
      #"{"endpoint":"sendConsumption","fault":"garbage"}"#,
      #"{"endpoint":"sendConsumption","status":429,"code":4290000,"retryAfter":12}"#)
    let responder = try scene.respond()
    let reports = scene.sidecar.calls(Self.reports, count: 4)
    #expect(
      reports.map(Self.report) == [
        Self.expected("500", "5000001"), Self.expected("null"), Self.expected("429", "4290000"),
        Self.expected("202"),
      ])
    let calls = try scene.store.calls("sendConsumption", count: 4)
    // Longer than it would have waited by itself.
    #expect(calls[3].at.microseconds - calls[2].at.microseconds >= 12_000_000)
    let network = #"outlay_responder_attempts_total{result="failed",class="network"}"#
    #expect(try responder.metric(network) == 1)
  }

  /// What is due is done, whatever else woke the loop meanwhile: here figures that change.
  @Test func aRetryComesInTimeWhateverChanges() throws {
    let scene = try Self.scene()
    defer { scene.finish() }
    try scene.store.plan(#"{"endpoint":"sendConsumption","status":500,"code":5000001}"#)
    scene.sidecar.beRestless()
    _ = try scene.respond()
    let calls = try scene.store.calls("sendConsumption", count: 2)
    // Two seconds, not the half minute of a listing.
    #expect(calls[1].at.microseconds - calls[0].at.microseconds < 20_000_000)
  }

  /// An answer that broke off has been given once its status line is whole, and not before.
  @Test func anAnswerThatBreaksOffIsOne() throws {
    let scene = try Self.scene()
    defer { scene.finish() }
    try scene.store.plan(
      #"{"endpoint":"sendConsumption","fault":"cut status"}"#,
      #"{"endpoint":"sendConsumption","fault":"cut head"}"#)
    let responder = try scene.respond()
    let reports = scene.sidecar.calls(Self.reports, count: 2)
    #expect(reports.map(Self.report) == [Self.expected("null"), Self.expected("202")])
    #expect(responder.line(with: "case 700001:1: Apple's answer says 202 and broke off") != nil)
    try scene.store.purchase("700002")
    try scene.store.plan(#"{"endpoint":"sendConsumption","fault":"half"}"#)
    scene.sidecar.open(RespondScene.openCase("700002"))
    let more = scene.sidecar.calls("POST /v1/refund-requests/700002:1/response", count: 1)
    #expect(more.count == 1 && more[0].contains(#""httpStatus":202"#))
    #expect(try scene.store.calls("sendConsumption", count: 3).count == 3)
  }

  @Test func aSubscriptionsPercentageIsLeftOutOnce() throws {
    let scene = try Self.scene(#""type":"Auto-Renewable Subscription""#)
    defer { scene.finish() }
    _ = try scene.respond()
    let reports = scene.sidecar.calls(Self.reports, count: 2)
    let without = FakeSidecar.request.replacing(#""consumptionPercentage":80000,"#, with: "")
    #expect(
      reports.map(Self.report) == [
        Self.expected("400", "4000209"), Self.expected("202", sent: without),
      ])
  }

  @Test(arguments: [
    (#""inAppOwnershipType":"FAMILY_SHARED""#, "", "400", "4000185"),
    (
      "", #"{"endpoint":"sendConsumption","status":400,"code":4999123,"message":"new"}"#, "400",
      "4999123"
    ),
    ("", #"{"endpoint":"sendConsumption","status":400}"#, "400", "null"),
  ])
  func whatIsRefusedForGoodIsSentOnce(
    fields: String, planned: String, status: String, code: String
  ) throws {
    let scene = try Self.scene(fields)
    defer { scene.finish() }
    if !planned.isEmpty { try scene.store.plan(planned) }
    let responder = try scene.respond()
    #expect(
      scene.sidecar.calls(Self.reports, count: 1).map(Self.report) == [Self.expected(status, code)])
    // Another case is answered after it; the first one isn't sent again though it stays open.
    try scene.store.purchase("700002")
    scene.sidecar.open(RespondScene.openCase("700002"))
    #expect(responder.line(with: "case 700002:1: answered") != nil)
    #expect(try scene.store.calls("sendConsumption", count: 2).count == 2)
    #expect(responder.text.contains("case 700001:1: \(status)"))
    if planned.contains("new") { #expect(responder.text.contains("4999123: new")) }
    let refused = #"outlay_responder_attempts_total{result="refused",class="4xx"}"#
    #expect(try responder.metric(refused) == 1)
  }

  /// Apple doesn't know it where it is said to have been bought.
  @Test func aWrongEnvironmentIsRefusedForGood() throws {
    let scene = try Self.scene()
    defer { scene.finish() }
    var one = RespondScene.openCase("700001")
    one.environment = "Sandbox"
    scene.sidecar.open(one)
    let responder = try scene.respond()
    let reports = scene.sidecar.calls(Self.reports, count: 1).map(Self.report)
    #expect(reports == [Self.expected("404", "4040010")])
    #expect(responder.line(with: "case 700001:1: 404 4040010 TransactionIdNotFoundError") != nil)
    #expect(try responder.attempts("refused", "4xx") == 1)
  }

  @Test func figuresThatNeverRestAreListedNowAndThen() throws {
    let scene = try Self.scene { $0.gate = "not_consented" }
    defer { scene.finish() }
    scene.sidecar.beRestless()
    _ = try scene.respond()
    let listing = "GET /v1/refund-requests "
    let before = scene.sidecar.calls(listing, count: 1).count
    let start = SystemClock.monotonic()
    // Three of them are those of catching up.
    #expect(scene.sidecar.calls(listing, count: before + 9).count >= before + 9)
    let milliseconds = Int((SystemClock.monotonic() - start) / 1_000_000)
    #expect(milliseconds >= 4 * RespondLimits.listingSpacingMilliseconds)
  }

  /// Observing needs nothing but a socket.
  @Test func observingNeedsNoKey() throws {
    let scene = try Self.scene()
    defer { scene.finish() }
    let file = "\(scene.store.folder)/plain.json5"
    try CommandSystem.writeFile(
      file,
      """
      { socket: { path: "\(scene.sidecar.path)" }, meters: {},
        responder: { listen: "127.0.0.1:0", metricsListen: "127.0.0.1:0" } }
      """)
    let responder = try ResponderProcess(configuration: file)
    defer { responder.finish() }
    #expect(responder.line(with: "without a key nothing is asked of Apple") != nil)
    #expect(responder.line(with: "case 700001:1: would send \(FakeSidecar.request)") != nil)
    #expect(responder.stop() == 0)
    #expect(scene.sidecar.calls("POST ", count: 0) == [])
  }

  @Test func observingSendsAndReportsNothing() throws {
    let scene = try Self.scene()
    defer { scene.finish() }
    let responder = try scene.respond(mode: "observe")
    #expect(responder.line(with: "case 700001:1: would send \(FakeSidecar.request)") != nil)
    // What comes later is told too.
    scene.sidecar.open(RespondScene.openCase("700002"))
    #expect(responder.line(with: "case 700002:1: would send") != nil)
    #expect(scene.sidecar.calls("POST /v1/refund-requests", count: 0) == [])
    #expect(try scene.store.calls("sendConsumption", count: 0).isEmpty)
    #expect(responder.text.contains("mode observe: nothing is sent"))
    let observed = #"outlay_responder_attempts_total{result="observed",class="none"}"#
    #expect(try responder.metric(observed) == 2)
    #expect(try responder.metric(#"outlay_responder_mode{mode="observe"}"#) == 1)
    let left = try #require(try responder.metric("outlay_responder_time_left_seconds"))
    #expect((43_000...43_200).contains(left))
  }

  @Test func ofTwoRespondersOneSends() throws {
    let scene = try RespondScene()
    defer { scene.finish() }
    let both = [try scene.respond(), try scene.respond()]
    for index in 1...8 {
      try scene.store.purchase("70000\(index)")
      scene.sidecar.open(RespondScene.openCase("70000\(index)"))
    }
    for index in 1...8 {
      let path = "POST /v1/refund-requests/70000\(index):1/response"
      #expect(scene.sidecar.calls(path, count: 1).count == 1)
    }
    #expect(try scene.store.calls("sendConsumption", count: 8).count == 8)
    for one in both { #expect(one.isRunning) }
  }

  @Test func aSidecarThatDiesMeanwhileGetsItsReportLater() throws {
    let scene = try Self.scene()
    defer { scene.finish() }
    scene.sidecar.end(after: "GET /v1/transactions/700001/consumption")
    let responder = try scene.respond()
    _ = try scene.store.calls("sendConsumption", count: 1)
    #expect(responder.line(with: "waiting for the sidecar") != nil)
    try scene.sidecar.start()
    let reports = scene.sidecar.calls(Self.reports, count: 1)
    #expect(reports.map(Self.report) == [Self.expected("202")])
    #expect(try scene.store.calls("sendConsumption", count: 1).count == 1)
  }

  @Test func aResponderKilledBeforeItsReportMaySendTwice() throws {
    let scene = try Self.scene()
    defer { scene.finish() }
    try scene.store.plan(#"{"endpoint":"sendConsumption","fault":"silent"}"#)
    let first = try scene.respond()
    _ = try scene.store.calls("sendConsumption", count: 1)
    first.kill()
    // Its claim expires.
    scene.sidecar.open(RespondScene.openCase("700001"))
    _ = try scene.respond()
    let reports = scene.sidecar.calls(Self.reports, count: 1)
    #expect(reports.map(Self.report) == [Self.expected("202")])
    #expect(try scene.store.calls("sendConsumption", count: 2).count == 2)
  }

  @Test func anOrderlyEndReportsWhatIsOnItsWay() throws {
    let scene = try Self.scene()
    defer { scene.finish() }
    scene.sidecar.answer(Self.reports, with: 503)
    let responder = try scene.respond()
    _ = try scene.store.calls("sendConsumption", count: 1)
    #expect(scene.sidecar.calls(Self.reports, count: 1).count >= 1)
    scene.sidecar.answer(Self.reports, with: 0)
    #expect(scene.sidecar.calls(Self.reports, count: 2).count >= 2)
    #expect(responder.stop() == 0)
    #expect(try scene.store.calls("sendConsumption", count: 1).count == 1)
  }

  @Test func aGateIsTold() throws {
    let scene = try Self.scene { $0.gate = "not_consented" }
    defer { scene.finish() }
    let responder = try scene.respond()
    let told = try #require(
      responder.line(with: "case 700001:1: nothing is sent: not_consented; there is time until 2"))
    var one = RespondScene.openCase("700001")
    one.isOpen = false
    scene.sidecar.open(one)
    try scene.store.purchase("700002")
    scene.sidecar.open(RespondScene.openCase("700002"))
    #expect(responder.line(with: "case 700002:1: answered") != nil)
    #expect(responder.text.split(separator: "\n").filter { $0 == told }.count == 1)
  }

  @Test func aDeadlineThatPassesIsTold() throws {
    let scene = try Self.scene { one in
      one.environment = "Sandbox"
      one.respondBy = SystemClock.now().adding(microseconds: 35_000_000)
    }
    defer { scene.finish() }
    let failure = #"{"endpoint":"sendConsumption","status":500,"code":5000000}"#
    try scene.store.plan(failure, failure, failure, failure)
    let responder = try scene.respond()
    #expect(responder.line(with: "case 700001:1: missed") != nil)
    let missed = #"outlay_responder_attempts_total{result="missed",class="none"}"#
    #expect(try responder.metric(missed) == 1)
    let count = try scene.store.calls("sendConsumption", count: 1).count
    // How many fit into the five seconds before the margin is the machine's matter; no more do.
    #expect((1...3).contains(count))
  }

  @Test func aWrongClockIsCorrectedByApples() throws {
    let scene = try Self.scene()
    defer { scene.finish() }
    try scene.store.command("clock", "\"ahead\":4000")
    let responder = try scene.respond()
    #expect(
      scene.sidecar.calls(Self.reports, count: 2).suffix(1).map(Self.report) == [
        Self.expected("202")
      ])
    let skew = try #require(try responder.metric("outlay_responder_clock_skew_seconds"))
    #expect((3_940...4_060).contains(skew))
  }
}
