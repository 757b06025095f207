import AppStore
import Metering
import Testing
import Wire

@testable import Sidecar

/// What is done with open cases, and in which order.
struct CaseDeskTests {
  private static let start = Instant(milliseconds: 1_790_000_000_000)

  private static func seconds(_ value: Int64) -> Instant {
    start.adding(microseconds: value * 1_000_000)
  }

  /// A case with an hour to answer, unless said otherwise.
  private static func open(
    _ id: String, by respondBy: Int64 = 3_600, gate: String? = nil,
    environment: String? = "Production"
  ) throws -> OpenCase {
    let request = gate == nil ? #"{"customerConsented":true}"# : "null"
    let text = """
      {"case":"\(id):1","state":"open","respondBy":"\(seconds(respondBy))",
      "consumption":{"transactionId":"\(id)",
      "environment":\(environment.map { "\"\($0)\"" } ?? "null"),
      "consumptionRequest":\(request),"gate":\(gate.map { "\"\($0)\"" } ?? "null")}}
      """
    let node = try JSONNode.parse(Array(text.utf8), dialect: .strict)
    return try #require(OpenCase(node))
  }

  private static func word(_ next: CaseDesk.Next) -> String {
    switch next {
    case .send(let one, _): "send \(one.id)"
    case .fill(let one): "fill \(one.id)"
    case .wait(let until?): "wait \((until.microseconds - start.microseconds) / 1_000_000)"
    case .wait(nil): "wait"
    }
  }

  /// Nobody else can claim a case while its answer is on its way and reported.
  @Test func aClaimOutlastsWhatItIsFor() {
    #expect(HTTPSOptions().callMilliseconds == RespondLimits.callSeconds * 1_000)
    let question = Int(RespondLimits.answerMilliseconds) / 1_000
    #expect(RespondLimits.claimSeconds >= 4 * question + RespondLimits.callSeconds)
    let left = UInt64(RespondLimits.claimSeconds - RespondLimits.callSeconds - question)
    for (seconds, isLongEnough) in [(0, true), (left, true), (left + 1, false)] {
      let now = 7 + seconds * 1_000_000_000
      #expect(Answerer.isClaimLongEnough(askedAt: 7, now: now) == isLongEnough)
    }
  }

  @Test func theMostUrgentGoesFirst() throws {
    var desk = CaseDesk(fills: true)
    #expect(Self.word(desk.next(at: Self.start)) == "wait")
    desk.take(
      [
        try Self.open("a"), try Self.open("b", by: 1_800),
        try Self.open("c", by: 900, gate: "late"),
      ], at: Self.start)
    #expect(Self.word(desk.next(at: Self.start)) == "send b:1")
    #expect(desk.mostUrgent(at: Self.start) == Self.seconds(1_800))
    #expect(desk.record(.unreachable, of: "b:1", at: Self.start) == nil)
    #expect(Self.word(desk.next(at: Self.start)) == "send a:1")
    #expect(desk.record(.accepted, of: "a:1", at: Self.start) == .answered)
    #expect(Self.word(desk.next(at: Self.start)) == "wait 2")
    #expect(Self.word(desk.next(at: Self.seconds(2))) == "send b:1")
    // Still listed, since its report hasn't arrived: it isn't sent again.
    desk.take([try Self.open("a")], at: Self.start)
    #expect(Self.word(desk.next(at: Self.seconds(2))) == "wait")
  }

  @Test func whatIsHeldWaits() throws {
    var desk = CaseDesk(fills: true)
    desk.take(
      [try Self.open("a"), try Self.open("u", gate: "unknown_purchase", environment: nil)],
      at: Self.start)
    desk.hold("a:1", until: Self.seconds(30))
    #expect(Self.word(desk.next(at: Self.start)) == "fill u:1")
    desk.hold("u:1", until: Self.seconds(60))
    #expect(Self.word(desk.next(at: Self.start)) == "wait 30")
    #expect(Self.word(desk.next(at: Self.seconds(30))) == "send a:1")
    desk.holdUnchanged("a:1")
    #expect(Self.word(desk.next(at: Self.seconds(30))) == "wait 60")
    // Once its purchase is known it is planned for.
    desk.take([try Self.open("u")], at: Self.start)
    #expect(Self.word(desk.next(at: Self.seconds(60))) == "send u:1")
  }

  @Test func tooManyCallsHoldAllCasesOfAnEnvironment() throws {
    var desk = CaseDesk(fills: true)
    desk.take(
      [
        try Self.open("a"), try Self.open("b"), try Self.open("s", environment: "Sandbox"),
      ], at: Self.start)
    let until = "\(Self.seconds(100).microseconds / 1000)"
    let refusal = APIRefusal(status: 429, body: [], retryAfter: until)
    #expect(desk.record(.refused(refusal), of: "a:1", at: Self.start) == nil)
    #expect(Self.word(desk.next(at: Self.start)) == "send s:1")
    #expect(desk.record(.accepted, of: "s:1", at: Self.start) == .answered)
    #expect(Self.word(desk.next(at: Self.start)) == "wait 100")
    #expect(Self.word(desk.next(at: Self.seconds(100))) == "send a:1")
    // However far Apple's instant is, an hour is the longest.
    let far = "\(Self.seconds(1_000_000).microseconds / 1000)"
    desk.take([try Self.open("a", by: 40_000), try Self.open("c", by: 40_000)], at: Self.start)
    let late = APIRefusal(status: 429, body: [], retryAfter: far)
    _ = desk.record(.refused(late), of: "a:1", at: Self.seconds(100))
    #expect(Self.word(desk.next(at: Self.seconds(100))) == "wait 3700")
    #expect(Self.word(desk.next(at: Self.seconds(3_700))) == "send c:1")
  }

  @Test func withoutKeyNothingIsAsked() throws {
    var desk = CaseDesk(fills: false)
    desk.take([try Self.open("u", gate: "unknown_purchase", environment: nil)], at: Self.start)
    #expect(Self.word(desk.next(at: Self.start)) == "wait")
  }

  @Test func aMissedCaseIsToldOnce() throws {
    var desk = CaseDesk(fills: true)
    desk.take([try Self.open("a"), try Self.open("b")], at: Self.start)
    _ = desk.record(.unreachable, of: "a:1", at: Self.seconds(3_250))
    _ = desk.record(.accepted, of: "b:1", at: Self.seconds(3_250))
    #expect(desk.takeNotices(at: Self.seconds(3_250)) == [])
    #expect(desk.takeNotices(at: Self.seconds(3_301)) == [.failed("a:1")])
    #expect(desk.takeNotices(at: Self.seconds(3_302)) == [])
    desk.take([], at: Self.seconds(3_601))
    #expect(desk.takeNotices(at: Self.seconds(3_601)) == [])
    // Told all the same when it goes before anybody looked.
    desk.take([try Self.open("c")], at: Self.start)
    _ = desk.record(.unreachable, of: "c:1", at: Self.seconds(3_250))
    desk.take([], at: Self.seconds(3_600))
    #expect(desk.takeNotices(at: Self.seconds(3_600)) == [.failed("c:1")])
  }

  @Test func whatIsNotAnsweredIsToldOnce() throws {
    var desk = CaseDesk(fills: true)
    let gated = try Self.open("g", gate: "not_consented")
    let unknown = try Self.open("u", gate: "unknown_purchase", environment: nil)
    let open = [gated, unknown, try Self.open("n"), try Self.open("d"), try Self.open("x")]
    desk.take(open, at: Self.start)
    _ = desk.record(.accepted, of: "d:1", at: Self.start)
    let told = CaseNotice.gated("g:1", gate: "not_consented", respondBy: gated.respondBy)
    #expect(desk.takeNotices(at: Self.start) == [told])
    desk.take(open, at: Self.seconds(1))
    #expect(desk.takeNotices(at: Self.seconds(1)) == [])
    // Another gate is another line; none says nothing.
    let later = try Self.open("g", gate: "revoked")
    desk.take([later, try Self.open("u")] + open.suffix(3), at: Self.seconds(2))
    #expect(
      desk.takeNotices(at: Self.seconds(2)) == [
        .gated("g:1", gate: "revoked", respondBy: gated.respondBy)
      ])
    // One is decided before its time is over; of the others the time is over.
    desk.take([later, try Self.open("u"), open[2], open[3]], at: Self.seconds(3_500))
    #expect(desk.takeNotices(at: Self.seconds(3_500)) == [])
    desk.take([], at: Self.seconds(3_600))
    #expect(
      Set(desk.takeNotices(at: Self.seconds(3_600)).map(\.description)) == [
        "case g:1: missed; nothing was sent: revoked", "case u:1: missed; nothing was sent",
        "case n:1: missed; nothing was sent",
      ])
    // Without a key an unknown purchase stays unknown.
    var keyless = CaseDesk(fills: false)
    keyless.take([unknown], at: Self.start)
    #expect(keyless.takeNotices(at: Self.start).count == 1)
  }

  /// What a case was left alone for is over when its gate or its body changes.
  @Test func aChangeEndsAHold() throws {
    var desk = CaseDesk(fills: true)
    desk.take([try Self.open("u", gate: "unknown_purchase", environment: nil)], at: Self.start)
    desk.holdUnchanged("u:1", until: Self.seconds(30))
    #expect(Self.word(desk.next(at: Self.start)) == "wait 30")
    desk.take([try Self.open("u", by: 3_599)], at: Self.seconds(1))
    #expect(Self.word(desk.next(at: Self.seconds(1))) == "send u:1")
    // The same again changes nothing, and who claimed a case keeps it.
    desk.holdUnchanged("u:1")
    desk.take([try Self.open("u", by: 3_598)], at: Self.seconds(2))
    #expect(
      Self.word(desk.next(at: Self.seconds(2))) == "wait \(Int64.max / 1_000_000 - 1_790_000_000)")
    desk.hold("u:1", until: Self.seconds(60))
    desk.take([try Self.open("u", gate: "not_consented")], at: Self.seconds(3))
    desk.take([try Self.open("u")], at: Self.seconds(4))
    #expect(Self.word(desk.next(at: Self.seconds(4))) == "wait 60")
  }

  /// Another request that was signed earlier shortens the time: the plan follows it.
  @Test func theEndMovesWithTheCase() throws {
    var desk = CaseDesk(fills: true)
    func open(by seconds: Int64) throws -> [OpenCase] {
      [try Self.open("a", by: seconds, environment: "Sandbox")]
    }
    desk.take(try open(by: 300), at: Self.start)
    for second in [0, 2, 6] as [Int64] {
      #expect(Self.word(desk.next(at: Self.seconds(second))) == "send a:1")
      _ = desk.record(.unreachable, of: "a:1", at: Self.seconds(second))
    }
    #expect(Self.word(desk.next(at: Self.seconds(6))) == "wait 14")
    // The last attempt leaves margin and slack of the new end.
    desk.take(try open(by: 42), at: Self.seconds(7))
    #expect(Self.word(desk.next(at: Self.seconds(7))) == "wait 10")
    desk.take(try open(by: 35), at: Self.seconds(7))
    #expect(Self.word(desk.next(at: Self.seconds(7))) == "wait")
    #expect(desk.takeNotices(at: Self.seconds(7)) == [.failed("a:1")])
  }

  @Test func whatIsNoCaseIsNone() throws {
    for text in ["{}", #"{"case":"a:1","consumption":{"transactionId":"a"}}"#, "[]"] {
      let node = try JSONNode.parse(Array(text.utf8), dialect: .strict)
      #expect(OpenCase(node) == nil)
    }
  }
}
