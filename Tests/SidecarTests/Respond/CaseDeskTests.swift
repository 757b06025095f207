import AppStore
import Metering
import Testing

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

  @Test func theMostUrgentGoesFirst() throws {
    var desk = CaseDesk(fills: true)
    #expect(Self.word(desk.next(at: Self.start)) == "wait")
    desk.take([
      try Self.open("a"), try Self.open("b", by: 1_800), try Self.open("c", by: 900, gate: "late"),
    ])
    #expect(Self.word(desk.next(at: Self.start)) == "send b:1")
    #expect(desk.mostUrgent(at: Self.start) == Self.seconds(1_800))
    #expect(desk.record(.unreachable, of: "b:1", at: Self.start) == nil)
    #expect(Self.word(desk.next(at: Self.start)) == "send a:1")
    #expect(desk.record(.accepted, of: "a:1", at: Self.start) == .answered)
    #expect(Self.word(desk.next(at: Self.start)) == "wait 2")
    #expect(Self.word(desk.next(at: Self.seconds(2))) == "send b:1")
    // Still listed, since its report hasn't arrived: it isn't sent again.
    desk.take([try Self.open("a")])
    #expect(Self.word(desk.next(at: Self.seconds(2))) == "wait")
  }

  @Test func whatIsHeldWaits() throws {
    var desk = CaseDesk(fills: true)
    desk.take([try Self.open("a"), try Self.open("u", gate: "unknown_purchase", environment: nil)])
    desk.hold("a:1", until: Self.seconds(30))
    #expect(Self.word(desk.next(at: Self.start)) == "fill u:1")
    desk.hold("u:1", until: Self.seconds(60))
    #expect(Self.word(desk.next(at: Self.start)) == "wait 30")
    #expect(Self.word(desk.next(at: Self.seconds(30))) == "send a:1")
    desk.drop("a:1")
    #expect(Self.word(desk.next(at: Self.seconds(30))) == "wait 60")
    // Once its purchase is known it is planned for.
    desk.take([try Self.open("u")])
    #expect(Self.word(desk.next(at: Self.seconds(60))) == "send u:1")
  }

  @Test func tooManyCallsHoldAllCasesOfAnEnvironment() throws {
    var desk = CaseDesk(fills: true)
    desk.take([
      try Self.open("a"), try Self.open("b"), try Self.open("s", environment: "Sandbox"),
    ])
    let until = "\(Self.seconds(100).microseconds / 1000)"
    let refusal = APIRefusal(status: 429, body: [], retryAfter: until)
    #expect(desk.record(.refused(refusal), of: "a:1", at: Self.start) == nil)
    #expect(Self.word(desk.next(at: Self.start)) == "send s:1")
    #expect(desk.record(.accepted, of: "s:1", at: Self.start) == .answered)
    #expect(Self.word(desk.next(at: Self.start)) == "wait 100")
    #expect(Self.word(desk.next(at: Self.seconds(100))) == "send a:1")
    // However far Apple's instant is, an hour is the longest.
    let far = "\(Self.seconds(1_000_000).microseconds / 1000)"
    desk.take([try Self.open("a", by: 40_000), try Self.open("c", by: 40_000)])
    let late = APIRefusal(status: 429, body: [], retryAfter: far)
    _ = desk.record(.refused(late), of: "a:1", at: Self.seconds(100))
    #expect(Self.word(desk.next(at: Self.seconds(100))) == "wait 3700")
    #expect(Self.word(desk.next(at: Self.seconds(3_700))) == "send c:1")
  }

  @Test func withoutKeyNothingIsAsked() throws {
    var desk = CaseDesk(fills: false)
    desk.take([try Self.open("u", gate: "unknown_purchase", environment: nil)])
    #expect(Self.word(desk.next(at: Self.start)) == "wait")
  }

  @Test func aMissedCaseIsToldOnce() throws {
    var desk = CaseDesk(fills: true)
    desk.take([try Self.open("a"), try Self.open("b")])
    _ = desk.record(.unreachable, of: "a:1", at: Self.seconds(3_250))
    _ = desk.record(.accepted, of: "b:1", at: Self.seconds(3_250))
    #expect(desk.takeMissed(at: Self.seconds(3_250)) == [])
    #expect(desk.takeMissed(at: Self.seconds(3_301)) == ["a:1"])
    #expect(desk.takeMissed(at: Self.seconds(3_302)) == [])
  }

  @Test func whatIsNoCaseIsNone() throws {
    for text in ["{}", #"{"case":"a:1","consumption":{"transactionId":"a"}}"#, "[]"] {
      let node = try JSONNode.parse(Array(text.utf8), dialect: .strict)
      #expect(OpenCase(node) == nil)
    }
  }
}
