import Metering
import Testing

/// The life of refund cases as tables: what happens, then what is seen. Times are minutes after
/// the first request, which came at minute 0.
@Suite struct RefundCaseTests {
  enum Step: Sendable {
    /// A request comes in; Apple signed it at a minute, or nobody says.
    case ask(Int, reason: ByteString? = nil, signed: Int? = nil)
    /// A request that says when it was received comes in.
    case late(Int, received: Int)
    /// A responder reports an attempt.
    case report(Int, status: Int64?)
    /// Apple's decision comes in.
    case end(Int, CaseEnd.Kind)
    /// A payload comes in, signed at a minute: refunded at a minute for a share, or not at all.
    case payload(Int, refunded: Int?, share: Int64 = 100_000)
  }

  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var environment: ByteString = "Production"
    var steps: [Step]
    /// All cases as `number:state` by minute.
    var seen: [(minute: Int, cases: String)]
  }

  private static let hour = 60
  private static let day = 24 * hour

  static func instant(_ minute: Int) -> Instant {
    Instant(microseconds: 1_796_000_000_000_000 + Int64(minute) * 60_000_000)
  }

  private static func payload(_ minute: Int, refunded: Int?, share: Int64) throws -> Purchase {
    let revocation = refunded.map { minute in
      let date = instant(minute).microseconds / 1_000
      return ",\"revocationDate\":\(date),\"revocationType\":\"REFUND_PRORATED\","
        + "\"revocationPercentage\":\(share)"
    }
    let text = """
      {"signedDate":\(instant(minute).microseconds / 1_000),\
      "inAppOwnershipType":"PURCHASED"\(revocation ?? "")}
      """
    return try Purchase(payload: JSONNode.parse(Array(text.utf8), dialect: .strict))
  }

  static func record(_ environment: ByteString, _ steps: [Step]) throws -> PurchaseRecord {
    var purchase = Purchase()
    purchase.environment = environment
    purchase.signedDate = instant(-100)
    var record = try PurchaseRecord(transactionId: "t").applying(purchase, signed: false).get()
      .record
    for step in steps {
      switch step {
      case .ask(let minute, let reason, let signed):
        let request = CaseRequest(
          reason: reason, receivedAt: instant(minute), signedDate: signed.map(instant))
        _ = record.ask(request, at: instant(minute))
      case .late(let minute, let received):
        _ = record.ask(
          CaseRequest(reason: nil, receivedAt: instant(received)), at: instant(minute))
      case .report(let minute, let status):
        record = try reporting(status, at: minute, to: record)
      case .end(let minute, let kind): record.settleCase(kind, at: instant(minute))
      case .payload(let minute, let refunded, let share):
        let payload = try payload(minute, refunded: refunded, share: share)
        record = try record.applying(payload, signed: false).get().record
      }
    }
    return record
  }

  /// Reports through the decider, the only one who takes reports.
  private static func reporting(
    _ status: Int64?, at minute: Int, to record: PurchaseRecord
  ) throws -> PurchaseRecord {
    let desk = try CaseDesk(record)
    let id = CaseID(transaction: "t", number: record.cases.last?.number ?? 0)
    _ = try desk.decide(.answerCase(id, CaseReport(httpStatus: status)), at: instant(minute))
    return desk.record ?? record
  }

  private static func seen(_ record: PurchaseRecord, at minute: Int) -> String {
    record.cases.map { "\($0.number):\(record.standing(of: $0, at: instant(minute)).state)" }
      .joined(separator: " ")
  }

  @Test(arguments: timeRows + outcomeRows + joinRows) func life(_ row: Row) throws {
    let record = try Self.record(row.environment, row.steps)
    for (minute, cases) in row.seen {
      #expect(Self.seen(record, at: minute) == cases, "minute \(minute)")
    }
    let again = try #require(PurchaseRecord(encoded: record.encode()))
    #expect(again == record)
  }

  static let timeRows: [Row] = [
    Row(
      testDescription: "nobody answers", steps: [.ask(0)],
      seen: [
        (0, "1:open"), (12 * hour - 1, "1:open"), (12 * hour, "1:missed"),
        (12 * hour + 30 * day - 1, "1:missed"), (12 * hour + 30 * day, "1:lapsed"),
      ]),
    Row(
      testDescription: "nobody answers in the sandbox", environment: "Sandbox", steps: [.ask(0)],
      seen: [(4, "1:open"), (5, "1:missed"), (5 + 30 * day, "1:lapsed")]),
    Row(
      testDescription: "signed before it came", steps: [.ask(0, signed: -60)],
      seen: [(11 * hour - 1, "1:open"), (11 * hour, "1:missed")]),
    Row(
      testDescription: "signed by a clock that is ahead", steps: [.ask(0, signed: 3)],
      seen: [(12 * hour - 1, "1:open"), (12 * hour, "1:missed")]),
    Row(
      testDescription: "came after an outage", steps: [.ask(0, signed: -13 * 60)],
      seen: [(0, "1:missed")]),
    Row(
      testDescription: "answered", steps: [.ask(0), .report(10, status: 202)],
      seen: [
        (10, "1:answered"), (12 * hour, "1:answered"), (10 + 30 * day - 1, "1:answered"),
        (10 + 30 * day, "1:lapsed"),
      ]),
    Row(
      testDescription: "failed, then answered",
      steps: [.ask(0), .report(1, status: 500), .report(2, status: nil), .report(3, status: 200)],
      seen: [(3, "1:answered")]),
    Row(
      testDescription: "only failed", steps: [.ask(0), .report(1, status: 400)],
      seen: [(2, "1:open"), (12 * hour, "1:missed")]),
    Row(
      testDescription: "answered at the deadline",
      steps: [.ask(0), .report(12 * hour, status: 202)],
      seen: [(12 * hour, "1:missed"), (12 * hour + 30 * day, "1:lapsed")]),
    Row(
      testDescription: "answered in the last moment",
      steps: [.ask(0), .report(12 * hour - 1, status: 202)], seen: [(12 * hour, "1:answered")]),
  ]

  static let outcomeRows: [Row] = [
    Row(
      testDescription: "granted while open", steps: [.ask(0), .end(1, .granted)],
      seen: [(1, "1:granted"), (60 * day, "1:granted")]),
    Row(
      testDescription: "granted after the answer",
      steps: [.ask(0), .report(1, status: 202), .end(2, .granted)], seen: [(2, "1:granted")]),
    Row(
      testDescription: "granted when missed", steps: [.ask(0), .end(day, .granted)],
      seen: [(day, "1:granted")]),
    Row(
      testDescription: "granted after the silence", steps: [.ask(0), .end(40 * day, .granted)],
      seen: [(40 * day, "1:granted")]),
    Row(
      testDescription: "granted after it was declined",
      steps: [.ask(0), .end(1, .declined), .end(2, .granted)], seen: [(2, "1:granted")]),
    Row(
      testDescription: "declined while open", steps: [.ask(0), .end(1, .declined)],
      seen: [(1, "1:declined")]),
    Row(
      testDescription: "declined when missed", steps: [.ask(0), .end(day, .declined)],
      seen: [(day, "1:declined")]),
    Row(
      testDescription: "not declined after it was granted",
      steps: [.ask(0), .end(1, .granted), .end(2, .declined)], seen: [(2, "1:granted")]),
    Row(
      testDescription: "not declined after the silence",
      steps: [.ask(0), .end(40 * day, .declined)], seen: [(40 * day, "1:lapsed")]),
    Row(
      testDescription: "reversed", steps: [.ask(0), .end(1, .granted), .end(2, .reversed)],
      seen: [(2, "1:reversed")]),
    Row(
      testDescription: "reversed, then granted for good",
      steps: [.ask(0), .end(1, .granted), .end(2, .reversed), .end(3, .granted)],
      seen: [(3, "1:granted")]),
    Row(
      testDescription: "a reversal of a refund that no case is about leaves it open",
      steps: [.ask(0), .end(2, .reversed)], seen: [(2, "1:open")]),
    Row(
      testDescription: "a refund from before the request is no answer to it",
      steps: [.ask(6), .payload(5, refunded: 4)], seen: [(7, "1:open")]),
    Row(
      testDescription: "a payload shows the refund",
      steps: [.ask(0), .payload(5, refunded: 4, share: 50_000)], seen: [(5, "1:granted")]),
    Row(
      testDescription: "a payload shows a revocation without money",
      steps: [.ask(0), .payload(5, refunded: 4, share: 0)], seen: [(5, "1:open")]),
    Row(
      testDescription: "a payload takes the revocation back",
      steps: [.ask(0), .payload(5, refunded: 4), .payload(6, refunded: nil)],
      seen: [(6, "1:reversed")]),
    Row(
      testDescription: "an older payload changes nothing",
      steps: [.ask(0), .payload(5, refunded: 4), .payload(3, refunded: nil)],
      seen: [(6, "1:granted")]),
    Row(
      testDescription: "asked again after a part was refunded",
      steps: [.ask(0), .payload(5, refunded: 4, share: 50_000), .ask(6), .payload(7, refunded: 4)],
      seen: [(6, "1:granted 2:granted")]),
    Row(
      testDescription: "the same refund told again leaves the next case alone",
      steps: [
        .ask(0), .payload(5, refunded: 4, share: 50_000), .ask(6),
        .payload(7, refunded: 4, share: 50_000),
      ], seen: [(7, "1:granted 2:open")]),
    Row(
      testDescription: "a reversal is of the case that was granted",
      steps: [
        .ask(0), .payload(5, refunded: 4, share: 50_000), .ask(6), .payload(7, refunded: nil),
      ], seen: [(7, "1:reversed 2:open")]),
  ]

  static let joinRows: [Row] = [
    Row(
      testDescription: "repetitions join what is open, answered or missed",
      steps: [.ask(0), .ask(1), .report(2, status: 202), .ask(3), .ask(day)],
      seen: [(day, "1:answered"), (31 * day - 1, "1:answered"), (31 * day, "1:lapsed")]),
    Row(
      testDescription: "a repetition of a missed one begins the silence anew",
      steps: [.ask(0), .ask(2 * day)],
      seen: [(2 * day, "1:missed"), (32 * day - 1, "1:missed"), (32 * day, "1:lapsed")]),
    Row(
      testDescription: "an earlier receipt moves the deadline back",
      steps: [.ask(0), .late(10, received: -60)],
      seen: [(11 * hour - 1, "1:open"), (11 * hour, "1:missed")]),
    Row(
      testDescription: "a later one doesn't move it forth", steps: [.ask(0), .ask(60, signed: 59)],
      seen: [(12 * hour, "1:missed")]),
    Row(
      testDescription: "an answer in time stays one",
      steps: [.ask(0), .report(11 * hour, status: 202), .ask(11 * hour + 1, signed: -2 * hour)],
      seen: [(12 * hour, "1:answered")]),
    Row(
      testDescription: "after each outcome the next opens",
      steps: [
        .ask(0), .end(1, .granted), .ask(2), .end(3, .declined), .ask(4), .end(5, .granted),
        .end(6, .reversed), .ask(7),
      ], seen: [(7, "1:granted 2:declined 3:reversed 4:open")]),
    Row(
      testDescription: "after the silence the next opens", steps: [.ask(0), .ask(31 * day)],
      seen: [(31 * day, "1:lapsed 2:open")]),
    Row(
      testDescription: "what Apple signed before the outcome belongs to it",
      steps: [.ask(0), .end(10, .declined), .ask(12, signed: 9), .ask(13, signed: 10)],
      seen: [(13, "1:declined 2:open")]),
    Row(
      testDescription: "made between a refund and its reversal it opens the next, however late",
      steps: [.ask(0), .end(1, .granted), .end(4, .reversed), .ask(31 * day, signed: 3)],
      seen: [(31 * day, "1:reversed 2:lapsed")]),
    Row(
      testDescription: "what was signed before the silence was over belongs to it",
      steps: [.ask(0), .ask(31 * day, signed: 5)], seen: [(31 * day, "1:lapsed")]),
  ]

  @Test("the newest reason stands") func reasons() throws {
    let steps: [Step] = [
      .ask(0, reason: "OTHER", signed: -5), .ask(5, reason: "LEGAL", signed: 4),
      .ask(6, reason: "UNINTENDED_PURCHASE", signed: 1), .ask(7),
    ]
    let record = try Self.record("Production", steps)
    #expect(record.cases.last?.reason == "LEGAL")
    #expect(record.cases.last?.receivedAt == Self.instant(0))
    #expect(record.cases.last?.signedDate == Self.instant(-5))
  }

  @Test("failures are counted, the last is kept") func failures() throws {
    let record = try Self.record(
      "Production", [.ask(0), .report(1, status: 500), .report(2, status: 429)])
    let failures = try #require(record.cases.last?.failures)
    #expect(failures.count == 2)
    #expect(failures.lastStatus == 429)
    #expect(failures.lastAt == Self.instant(2))
  }

  @Test("cases are bounded, and numbers are never used again") func bounds() throws {
    var steps: [Step] = []
    for round in 0..<40 {
      let minute = 3 * round
      steps += [.ask(minute), .report(minute + 1, status: 202), .end(minute + 2, .declined)]
    }
    let record = try Self.record("Production", steps)
    #expect(record.cases.map(\.number) == Array(9...40))
    let kept = record.cases.filter { $0.response?.figures != nil }.map(\.number)
    #expect(kept == [37, 38, 39, 40])
    #expect(record.encode().count < 64 << 10)
  }

  @Test(
    "names of cases",
    arguments: [
      ("7:1", "7", 1), ("a:b:12", "a:b", 12), ("::1", ":", 1), ("7:", nil, 0), ("7", nil, 0),
      (":1", nil, 0), ("7:0", nil, 0), ("7:01", nil, 0), ("7:+1", nil, 0), ("7:-1", nil, 0),
      ("7:9223372036854775808", nil, 0),
    ] as [(ByteString, ByteString?, Int64)])
  func names(_ text: ByteString, _ transaction: ByteString?, _ number: Int64) {
    let id = CaseID(text)
    #expect(id?.transaction == transaction)
    if transaction != nil {
      #expect(id?.number == number)
      #expect(id?.text == text)
    }
  }
}
