import Foundation
import Metering
import Store
import Testing

@testable import Sidecar

/// Processes that are killed at the worst moments, and what Apple couldn't deliver meanwhile.
@Suite(.serialized) struct WholeCrashTests {
  /// Wherever the sidecar dies between a request and its answer, the answer is sent once.
  @Test func theSidecarDiesAnywhereAndOneAnswerIsSent() throws {
    let scene = try WholeScene()
    defer { scene.finish() }
    let responder = try scene.respond()
    var random = RandomSequence(seed: Binary.seed)
    for round in 1...6 {
      let id = "70000\(round)"
      try scene.buy(id)
      let isTaken = try scene.ask(id, to: responder) == 200
      #expect(isTaken)
      CommandSystem.sleep(milliseconds: Int.random(in: 0...25, using: &random))
      scene.server.killNow()
      try scene.server.start()
      #expect(try scene.names("answered", count: round).contains("\(id):1"), "round \(round)")
      #expect(try scene.taken(id) == [WholeAnswerTests.answer], "round \(round)")
    }
    #expect(try scene.store.calls("sendConsumption", count: 6).count == 6)
  }

  @Test func theSidecarDiesBetweenTwoAttempts() throws {
    let scene = try WholeScene()
    defer { scene.finish() }
    let responder = try scene.respond()
    try scene.buy("700001")
    try scene.store.plan(#"{"endpoint":"sendConsumption","status":500,"code":5000001}"#)
    try scene.ask("700001", to: responder)
    _ = try scene.store.calls("sendConsumption", count: 1)
    scene.server.killNow()
    #expect(responder.line(with: "waiting for the sidecar") != nil)
    #expect(try responder.metric("outlay_responder_sidecar_up") == 0)
    try scene.server.start()
    #expect(responder.line(with: "case 700001:1: answered") != nil)
    #expect(try scene.names("answered", count: 1) == ["700001:1"])
    let failures = try scene.consumption("700001")["refundCase"]?["failures"]
    #expect(failures?["errorCode"]?.integer == 5_000_001)
    let calls = try scene.store.calls("sendConsumption", count: 2)
    #expect(calls.map(\.answer) == ["500", "202"])
  }

  /// The one case that the contract allows two answers in.
  @Test func aResponderDiesBetweenItsAnswerAndItsReport() throws {
    let scene = try WholeScene()
    defer { scene.finish() }
    try scene.buy("700001")
    // Apple has taken the answer, and the responder waits to hear so.
    try scene.store.plan(#"{"endpoint":"sendConsumption","fault":"silent"}"#)
    let first = try scene.respond()
    try scene.ask("700001", to: first)
    _ = try scene.store.calls("sendConsumption", count: 1)
    first.kill()
    // What nobody reported isn't known: the case is open, and for a while nobody else's.
    let open = try scene.cases("open", count: 1)
    let holder = try #require(open.first?["claim"]?["responder"]?.text)
    let second = try scene.respond()
    #expect(try second.attempts("claimed", "none") == 1)
    #expect(second.stop() == 0)
    #expect(try scene.store.calls("sendConsumption", count: 1).count == 1)
    // Renewed for a second in the dead one's name, the claim ends sooner than by itself.
    try scene.send(
      "POST", "refund-requests/700001%3A1/claim", #"{"responder":"\#(holder)","seconds":1}"#)
    while try scene.cases("open", count: 1).first?["claim"] != nil {
      CommandSystem.sleep(milliseconds: 20)
    }
    _ = try scene.respond()
    #expect(try scene.names("answered", count: 1) == ["700001:1"])
    let calls = try scene.store.calls("sendConsumption", count: 2)
    #expect(calls.map(\.body) == [WholeAnswerTests.answer, WholeAnswerTests.answer])
    #expect(calls.map(\.answer) == ["silent", "202"])
    #expect(try scene.names("open") == [])
  }

  /// The request came while the sidecar was down: Apple was told so, and is asked for it.
  @Test func whatComesWhileTheSidecarIsDownIsFetched() throws {
    let scene = try WholeScene()
    defer { scene.finish() }
    let responder = try scene.respond()
    try scene.buy("700001")
    scene.server.killNow()
    #expect(try scene.ask("700001", to: responder) == 503)
    try scene.server.start()
    #expect(try scene.names("answered", count: 1) == ["700001:1"])
    #expect(try scene.taken("700001") == [WholeAnswerTests.answer])
    let fed = #"outlay_responder_caught_up_total{payload="notification",result="taken"}"#
    #expect(try responder.metric(fed) == 1)
    let refused = #"outlay_responder_notifications_total{result="unavailable"}"#
    #expect(try responder.metric(refused) == 1)
  }

  /// What became of requests came while the sidecar was down: of every type, and in the sandbox,
  /// where Apple never comes again.
  @Test func outcomesThatCouldntBeDeliveredAreFetched() throws {
    let scene = try WholeScene()
    defer { scene.finish() }
    let responder = try scene.respond()
    let ids = ["700001", "700002"]
    for id in ids {
      try scene.buy(id, in: "Sandbox")
      #expect(try scene.ask(id, in: "Sandbox", to: responder) == 200)
    }
    #expect(try scene.names("answered", count: 2) == ids.map { "\($0):1" })
    scene.server.killNow()
    let now = SystemClock.now().microseconds / 1000
    let refund = #","revocationDate":\#(now),"revocationType":"REFUND_FULL""#
    try scene.sell("700001", in: "Sandbox", refund)
    for (id, kind) in zip(ids, ["REFUND", "REFUND_DECLINED"]) {
      #expect(try scene.notify(kind, of: id, in: "Sandbox", to: responder) == 503)
    }
    try scene.server.start()
    #expect(try scene.names("granted", count: 1) == ["700001:1"])
    #expect(try scene.names("declined", count: 1) == ["700002:1"])
  }

  /// A sidecar that hangs is worse than one that is gone: Apple is told to come again all the same.
  @Test func aSidecarThatHangsKeepsNobodyWaiting() throws {
    let scene = try WholeScene()
    defer { scene.finish() }
    let responder = try scene.respond()
    CommandSystem.signal(scene.server.processIdentifier, SIGSTOP)
    // More than the processors can wait for at a time, and more than a socket holds.
    let long = "\"" + String(repeating: "x", count: RespondLimits.notificationBytes - 2) + "\""
    let start = CommandSystem.monotonicNanoseconds()
    let statuses = try scene.post(Array(repeating: "{}", count: 14) + [long, long], to: responder)
    let seconds = Double(CommandSystem.monotonicNanoseconds() - start) / 1e9
    #expect(statuses == Array(repeating: 503, count: 16))
    // Within the time that Apple waits, half a minute.
    #expect(seconds < 25)
    CommandSystem.signal(scene.server.processIdentifier, SIGCONT)
    try scene.buy("700001")
    #expect(try scene.ask("700001", to: responder) == 200)
    #expect(try scene.names("answered", count: 1) == ["700001:1"])
  }

  /// The outcome came while the responder was down, and no notification of it will ever come.
  @Test func anOutcomeThatWasMissedIsFetchedAtStart() throws {
    let scene = try WholeScene()
    defer { scene.finish() }
    let first = try scene.respond()
    try scene.buy("700001")
    try scene.ask("700001", to: first)
    #expect(try scene.names("answered", count: 1) == ["700001:1"])
    #expect(first.stop() == 0)
    let now = SystemClock.now().microseconds / 1000
    let refund = #","revocationDate":\#(now),"revocationType":"REFUND_FULL""#
    try scene.sell("700001", refund)
    try scene.store.command(
      "refund", #""environment":"Production","transactionId":"700001","of":"700001""#)
    _ = try scene.respond()
    #expect(try scene.names("granted", count: 1) == ["700001:1"])
    let loss = try scene.consumption("700001")["realisedLoss"]?.elements?.first
    #expect(loss?["amount"]?.text == "40")
  }
}
