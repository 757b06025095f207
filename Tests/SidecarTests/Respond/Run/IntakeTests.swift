import Foundation
import Metering
import Store
import Testing
import Wire

@testable import Sidecar

/// Apple's way in: notifications, and what is fetched when they didn't come.
@Suite(.serialized) struct IntakeTests {
  private static let notifications = "POST /v1/notifications "
  private static let transactions = "POST /v1/transactions "

  private static func post(
    _ responder: ResponderProcess, _ target: String, _ body: String, method: String = "POST"
  ) throws -> Int {
    let address = try responder.addresses().intake.dropFirst("http://".count).prefix { $0 != "/" }
    let client = try UnixHTTPClient(tcp: String(address))
    return try client.send(ClientRequest(method, target, body: Array(body.utf8))).status
  }

  @Test func notificationsAreHandedOn() throws {
    let scene = try RespondScene()
    defer { scene.finish() }
    let responder = try scene.respond(mode: "observe")
    let url = try responder.addresses().intake
    #expect(url.hasSuffix("/apple"))
    try scene.store.purchase("700001")
    let sent = try scene.store.command(
      "notify",
      #""url":"\#(url)","environment":"Production","kind":"REFUND","transactionId":"700001""#)
    #expect(sent["status"]?.integer == 200)
    let payload = try #require(sent["signedPayload"]?.text)
    let calls = scene.sidecar.calls(Self.notifications, count: 1)
    #expect(calls.count == 1 && calls[0].contains(payload))

    for (answer, status) in [
      (422, 422), (400, 400), (503, 503), (500, 503), (501, 400), (403, 400), (409, 400),
    ] {
      scene.sidecar.answer(Self.notifications, with: answer)
      #expect(try Self.post(responder, "/apple", "{}") == status)
    }
    #expect(try Self.post(responder, "/other", "{}") == 404)
    #expect(try Self.post(responder, "/apple", "", method: "GET") == 405)
    let long = String(repeating: "x", count: RespondLimits.notificationBytes + 1)
    #expect(try Self.post(responder, "/apple", long) == 413)
    scene.sidecar.stop()
    #expect(try Self.post(responder, "/apple", "{}") == 503)
    for (result, count) in [
      ("accepted", 1.0), ("unverified", 1), ("malformed", 1), ("refused", 3), ("unavailable", 3),
    ] {
      let sample = #"outlay_responder_notifications_total{result="\#(result)"}"#
      #expect(try responder.metric(sample) == count, "\(result)")
    }
  }

  @Test func whatCouldntBeDeliveredIsFetched() throws {
    let scene = try RespondScene()
    defer { scene.finish() }
    try scene.store.purchase("700001")
    try scene.store.purchase("700002", in: "Sandbox")
    var payloads: [String] = []
    for (id, environment) in Array(repeating: ("700001", "Production"), count: 21)
      + [("700002", "Sandbox")]
    {
      let answer = try scene.store.command(
        "failure", #""environment":"\#(environment)","transactionId":"\#(id)""#)
      payloads.append(try #require(answer["signedPayload"]?.text))
    }
    let responder = try scene.respond(mode: "observe")
    let fed = scene.sidecar.calls(Self.notifications, count: payloads.count)
    #expect(fed.map { $0.split(separator: "\"").map(String.init)[3] } == payloads)
    let pages = try scene.store.calls("notificationHistory", count: 3)
    #expect(pages.map(\.answer) == ["200", "200", "200"])
    // What the sidecar couldn't take is fetched; what it has isn't handed over again.
    scene.sidecar.answer(Self.notifications, with: 503)
    let failure = try scene.store.command(
      "failure", #""environment":"Production","transactionId":"700001""#)
    #expect(try Self.post(responder, "/apple", "{}") == 503)
    let more = scene.sidecar.calls(Self.notifications, count: payloads.count + 2)
    let payload = try #require(failure["signedPayload"]?.text)
    #expect(more.last?.contains(payload) == true)
    #expect(responder.line(with: "the sidecar's store isn't available; will try again") != nil)
    scene.sidecar.answer(Self.notifications, with: 0)
    #expect(try Self.post(responder, "/apple", "{}") == 200)
    scene.sidecar.answer("POST /v1/notifications {}", with: 503)
    #expect(try Self.post(responder, "/apple", "{}") == 503)
    let again = scene.sidecar.calls(Self.notifications, count: payloads.count + 5)
    #expect(again.count == payloads.count + 5)
  }

  /// A sidecar that can't take any says so before one comes.
  @Test func aSidecarWithoutAppStoreIsTold() throws {
    let scene = try RespondScene()
    defer { scene.finish() }
    scene.sidecar.answer(Self.notifications, with: 501)
    let responder = try scene.respond(mode: "observe")
    let told = "Apple's notifications will be refused: the sidecar answers 501 planned"
    #expect(responder.line(with: told) != nil)
    #expect(try Self.post(responder, "/apple", "{}") == 400)
    let refused = "a notification of Apple's is refused for good: the sidecar answers 501"
    #expect(responder.line(with: refused) != nil)
    // Another within a minute is counted, not told.
    #expect(try Self.post(responder, "/apple", "{}") == 400)
    #expect(try responder.metric(#"outlay_responder_notifications_total{result="refused"}"#) == 2)
    #expect(responder.text.split(separator: "\n").filter { $0.contains(refused) }.count == 1)
  }

  /// An app's production host refuses everything until its first release.
  @Test(arguments: [401, 500])
  func oneEnvironmentsTroubleIsNoneOfTheOthers(status: Int) throws {
    let scene = try RespondScene()
    defer { scene.finish() }
    try scene.store.command("refuse", #""environment":"Production","status":\#(status)"#)
    try scene.store.purchase("700002", in: "Sandbox")
    let failure = try scene.store.command(
      "failure", #""environment":"Sandbox","transactionId":"700002""#)
    try scene.store.purchase("700001", in: "Sandbox")
    var one = RespondScene.openCase("700001")
    one.gate = "unknown_purchase"
    scene.sidecar.open(one)
    let responder = try scene.respond()
    let fed = scene.sidecar.calls(Self.notifications, count: 1)
    let payload = try #require(failure["signedPayload"]?.text)
    #expect(fed.count == 1 && fed[0].contains(payload))
    #expect(scene.sidecar.calls(Self.transactions, count: 1).count == 1)
    let bundle = try scene.store.text("bundleId")
    let told = "catching up: \(bundle) in Production: the App Store refuses: \(status)"
    #expect(responder.line(with: told) != nil)
  }

  /// Nobody is asked about an environment that isn't configured.
  @Test func onlyConfiguredEnvironmentsAreAsked() throws {
    let scene = try RespondScene()
    defer { scene.finish() }
    try scene.store.command("refuse", #""environment":"Production","status":401"#)
    try scene.store.purchase("700001", in: "Sandbox")
    var one = RespondScene.openCase("700001")
    one.gate = "unknown_purchase"
    scene.sidecar.open(one)
    let responder = try scene.respond(environments: #"["Sandbox"]"#)
    #expect(responder.line(with: "case 700001:1: asked Apple for its purchase") != nil)
    let calls =
      try scene.store.calls("transactionInfo", count: 1)
      + scene.store.calls("notificationHistory", count: 1)
    #expect(Set(calls.map(\.environment)) == ["Sandbox"])
  }

  /// One customer's trouble is none of the others'; it is tried again.
  @Test func oneLookUpsTroubleIsNoneOfTheOthers() throws {
    let scene = try RespondScene()
    defer { scene.finish() }
    let now = SystemClock.now().microseconds / 1000
    for id in ["700001", "700002", "700003"] {
      try scene.store.purchase(id)
      try scene.store.command(
        "refund",
        #""environment":"Production","transactionId":"\#(id)","of":"\#(id)","#
          + #""revocationDate":\#(now)"#)
      var one = RespondScene.openCase(id)
      one.gate = "not_consented"
      scene.sidecar.open(one)
    }
    try scene.store.plan(#"{"endpoint":"refundHistory","status":500,"code":5000000}"#)
    let responder = try scene.respond()
    #expect(scene.sidecar.calls(Self.transactions, count: 2).count == 2)
    #expect(responder.line(with: "catching up: case 70000") != nil)
    // An outage makes it look again soon.
    scene.sidecar.answer(Self.notifications, with: 503)
    #expect(try Self.post(responder, "/apple", "{}") == 503)
    #expect(scene.sidecar.calls(Self.transactions, count: 3).count == 3)
    #expect(responder.line(with: "right again") != nil)
    #expect(try scene.store.calls("refundHistory", count: 4).count == 4)
  }

  /// The newest failures are behind our clock's now.
  @Test func aSlowClockLeavesNoFailureOut() throws {
    let scene = try RespondScene()
    defer { scene.finish() }
    try scene.store.command("clock", "\"ahead\":10800")
    try scene.store.purchase("700001")
    try scene.store.command(
      "failure", #""environment":"Production","transactionId":"700001","ago":600"#)
    _ = try scene.respond(mode: "observe")
    #expect(scene.sidecar.calls(Self.notifications, count: 1).count == 1)
  }

  @Test func refundsOfOpenCasesAreFetchedAtStart() throws {
    let scene = try RespondScene()
    defer { scene.finish() }
    try scene.store.purchase("700001")
    try scene.store.purchase("700003")
    let now = SystemClock.now().microseconds / 1000
    let hour: Int64 = 3_600_000
    // An old refund of another purchase isn't news; a recent one is, and so is the case's own.
    for (id, date) in Array(repeating: ("700003", now - 13 * hour), count: 20)
      + [("700003", now - hour), ("700001", now - 13 * hour)]
    {
      let transaction = #""environment":"Production","transactionId":"\#(id)","of":"700001""#
      try scene.store.command("refund", #"\#(transaction),"revocationDate":\#(date)"#)
    }
    scene.sidecar.open(RespondScene.openCase("700001"))
    let responder = try scene.respond(mode: "observe")
    #expect(scene.sidecar.calls(Self.transactions, count: 2).count == 2)
    let pages = try scene.store.calls("refundHistory", count: 2)
    #expect(pages.map(\.answer) == ["200", "200"])
    _ = responder.line(with: "would send")
    #expect(scene.sidecar.calls(Self.transactions, count: 2).count == 2)
  }

  @Test func anUnknownPurchaseIsAskedFor() throws {
    let scene = try RespondScene()
    defer { scene.finish() }
    try scene.store.purchase("700001", in: "Sandbox")
    var one = RespondScene.openCase("700001")
    one.gate = "unknown_purchase"
    scene.sidecar.open(one)
    let responder = try scene.respond()
    #expect(scene.sidecar.calls(Self.transactions, count: 1).count == 1)
    #expect(responder.line(with: "case 700001:1: asked Apple for its purchase") != nil)
    let calls = try scene.store.calls("transactionInfo", count: 2)
    #expect(calls.map(\.answer) == ["404", "200"])
    #expect(calls.map(\.environment) == ["Production", "Sandbox"])
  }

  @Test func metricsAreReadByPromtool() throws {
    let scene = try RespondScene()
    defer { scene.finish() }
    try scene.store.purchase("700001")
    scene.sidecar.open(RespondScene.openCase("700001"))
    let responder = try scene.respond()
    #expect(responder.line(with: "answered") != nil)
    let client = try UnixHTTPClient(tcp: try responder.addresses().metrics)
    let page = try client.send(ClientRequest("GET", "/metrics"))
    let file = "\(scene.store.folder)/metrics"
    try Data(page.body).write(to: URL(fileURLWithPath: file))
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(
      fileURLWithPath: try #require(ProcessInfo.processInfo.environment["OUTLAY_PROMTOOL"]))
    process.arguments = ["check", "metrics"]
    process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(String(decoding: said, as: UTF8.self) == "")
    #expect(!String(decoding: page.body, as: UTF8.self).contains("700001"))
  }
}
