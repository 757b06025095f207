import Metering
import Testing

/// Commands about cases, one after the other, with what each answers.
@Suite struct CaseCommandTests {
  private static func minute(_ minute: Int) -> Instant { RefundCaseTests.instant(minute) }
  private static let first = CaseID(transaction: "t", number: 1)

  private static func summary(_ outcome: CommandOutcome?) -> String {
    guard case .refundCase(let outcome) = outcome else { return "\(String(describing: outcome))" }
    switch outcome {
    case .opened(let standing): return "opened \(standing.id.text) \(standing.state)"
    case .joined(let standing): return "joined \(standing.id.text) \(standing.state)"
    case .claimed(let standing): return "claimed \(standing.claim?.responder.string ?? "-")"
    case .noted(let standing): return "noted \(standing.state)"
    case .held(let claim): return "held \(claim.responder)"
    case .alreadyAnswered: return "already answered"
    case .unknown: return "unknown"
    }
  }

  private static func open(_ minute: Int) -> Command {
    .openCase(id: "t", CaseRequest(reason: "OTHER", receivedAt: Self.minute(minute)))
  }

  private static func claim(_ responder: ByteString, _ seconds: Int64 = 60) -> Command {
    .claimCase(first, responder: responder, seconds: seconds)
  }

  private static func answer(
    _ status: Int64?, sent: ByteString? = "{}", at minute: Int? = nil, of id: CaseID = first
  ) -> Command {
    .answerCase(id, CaseReport(sent: sent, httpStatus: status, at: minute.map { Self.minute($0) }))
  }

  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var steps: [(minute: Int, command: Command, answer: String)]
  }

  static let rows: [Row] = [
    Row(
      testDescription: "a purchase that nobody knows can be asked for",
      steps: [(0, open(0), "opened t:1 open"), (1, open(1), "joined t:1 open")]),
    Row(
      testDescription: "claims keep two responders apart",
      steps: [
        (0, claim("a"), "unknown"), (0, open(0), "opened t:1 open"), (0, claim("a"), "claimed a"),
        (0, claim("b"), "held a"), (0, claim("a", 180), "claimed a"), (2, claim("b"), "held a"),
        (3, claim("b"), "claimed b"), (3, claim("a"), "held b"),
      ]),
    Row(
      testDescription: "one answer stands",
      steps: [
        (0, answer(202), "unknown"), (0, open(0), "opened t:1 open"),
        (1, answer(500, at: 1), "noted open"), (2, answer(202, at: 1), "noted answered"),
        (3, answer(202, at: 1), "noted answered"), (3, answer(202), "noted answered"),
        (3, answer(202, at: 2), "already answered"), (3, answer(200), "already answered"),
        (3, answer(500), "already answered"),
        (3, answer(202, sent: "{\"a\":1}"), "already answered"),
        (3, claim("a"), "already answered"),
        (4, answer(202, of: CaseID(transaction: "t", number: 2)), "unknown"),
        (4, answer(202, of: CaseID(transaction: "u", number: 1)), "unknown"),
      ]),
    Row(
      testDescription: "an answer that came too late is kept, but doesn't count",
      steps: [
        (0, open(0), "opened t:1 open"), (721, answer(202), "noted missed"),
        (722, answer(202), "noted missed"), (723, answer(200), "already answered"),
      ]),
    Row(
      testDescription: "a report may come after the time, of an answer within it",
      steps: [(0, open(0), "opened t:1 open"), (721, answer(202, at: 719), "noted answered")]),
  ]

  @Test(arguments: rows) func answers(_ row: Row) throws {
    let desk = try CaseDesk(nil)
    for (number, step) in row.steps.enumerated() {
      let outcome = try desk.decide(step.command, at: Self.minute(step.minute))
      #expect(Self.summary(outcome) == step.answer, "step \(number)")
    }
  }

  @Test("the same failure again is known by its time") func repeatedFailure() throws {
    let desk = try CaseDesk(nil)
    for command in [Self.open(0), Self.answer(500, at: 1), Self.answer(500, at: 1)] {
      _ = try desk.decide(command, at: Self.minute(2))
    }
    #expect(desk.record?.cases.last?.failures?.count == 1)
    _ = try desk.decide(Self.answer(500), at: Self.minute(2))
    #expect(desk.record?.cases.last?.failures?.count == 2)
  }

  @Test("the figures of the moment are kept with the answer") func figures() throws {
    let desk = try CaseDesk(nil)
    _ = try desk.decide(Self.open(0), at: Self.minute(0))
    _ = try desk.decide(Self.answer(202), at: Self.minute(3))
    let figures = try #require(desk.record?.cases.last?.response?.figures)
    let node = try JSONNode.parse(figures.bytes, dialect: .strict)
    #expect(node["asOf"]?.string?.string == Self.minute(3).description)
    #expect(node["gate"]?.string == "unknown_purchase")
    #expect(node["refundCase"]?["state"]?.string == "open")
  }

  @Test("refund cases leave the room of the payload alone") func payloadRoom() throws {
    let desk = try CaseDesk(nil)
    let sent = ByteString("{\"a\":\"\(String(repeating: "x", count: 2_000))\"}")
    for round in 1...40 {
      // Sixty days apart, so that each request comes after the last one's silence.
      let minute = round * 60 * 24 * 60
      let opened = try desk.decide(Self.open(minute), at: Self.minute(minute))
      #expect(Self.summary(opened) == "opened t:\(round) open")
      let id = CaseID(transaction: "t", number: Int64(round))
      let noted = try desk.decide(Self.answer(202, sent: sent, of: id), at: Self.minute(minute + 1))
      #expect(Self.summary(noted) == "noted answered")
    }
    let filler = String(repeating: "x", count: 16_000)
    let payload = try JSONNode.parse(
      Array("{\"productId\":\"p\",\"advancedCommerceInfo\":{\"a\":\"\(filler)\"}}".utf8),
      dialect: .strict)
    let put = Command.putTransaction(id: "t", payload: try Purchase(payload: payload))
    #expect(try desk.decide(put, at: Self.minute(0)) == .created)
    #expect(try #require(desk.record).encode().count > 64_000)
  }
}
