import Foundation
import Metering
import Store
import Testing

/// Refund cases in the store: across flushes and restarts they are the same.
@Suite struct RefundCaseStoreTests {
  private static let start = Instant(microseconds: 1_796_000_000_000_000)
  private static let text = """
    { meters: { credits: { unit: "{credit}" } },
      prices: [{ meter: "credits", price: "0.01", per: "1", currency: "USD" }],
      products: { "p": { allowance: { credits: "5000" } } } }
    """

  private static func minute(_ minute: Int) -> Instant {
    start.adding(microseconds: Int64(minute) * 60_000_000)
  }

  /// A store in a folder of its own.
  private final class Desk {
    private let scratch: ScratchBooks
    private let configuration: Configuration
    private var books: Books

    init() throws {
      scratch = try ScratchBooks()
      configuration = try ScratchBooks.load(RefundCaseStoreTests.text)
      books = try scratch.open(configuration, options: Self.options)
    }

    private static let options = Books.Options(segmentBytes: 1 << 20)

    func flush() throws {
      books.freeze()
      _ = try books.flush()
    }

    /// Ends as after a crash, and begins again.
    func restart() throws { books = try scratch.open(configuration, options: Self.options) }

    @discardableResult
    func run(_ command: Command, at minute: Int) throws -> CommandOutcome? {
      try books.commit(
        IngestBatch(), steps: [.command(command)],
        at: CommitTime(now: RefundCaseStoreTests.minute(minute), elapsed: 0)
      ).outcomes.first
    }

    func send(_ line: String, at minute: Int) throws {
      let batch = IngestBatch()
      var decoder = EventDecoder(key: books.hashKey)
      Array(line.utf8).withUnsafeBytes { decoder.decodeLine($0, into: batch) }
      let result = try books.commit(
        batch, steps: [.events(1)],
        at: CommitTime(now: RefundCaseStoreTests.minute(minute), elapsed: 0))
      #expect(result.verdicts == [.accepted])
    }

    func ask<Answer>(_ question: (any StoreQueries) throws -> Answer) throws -> Answer {
      try books.ask(try books.makeView()) { try question($0) }
    }

    func consumption(_ id: ByteString, at minute: Int) throws -> JSONNode? {
      let json = try ask {
        try ConsumptionAnswer(
          transaction: id, from: $0, configuration: configuration,
          now: RefundCaseStoreTests.minute(minute))?.json
      }
      return try json.map { try JSONNode.parse($0, dialect: .strict) }
    }

    func list(
      _ state: RefundCaseState?, at minute: Int, limit: Int = 100, after: CasePlace? = nil
    ) throws -> CasesAnswer {
      try ask {
        try CasesAnswer(
          state: state, after: after, limit: limit, from: $0, configuration: configuration,
          now: RefundCaseStoreTests.minute(minute))
      }
    }
  }

  private static func put(
    _ id: ByteString, _ more: String = "", environment: String = "Production"
  ) throws -> Command {
    let text = """
      {"productId":"p","type":"Consumable","environment":"\(environment)",
      "inAppOwnershipType":"PURCHASED","purchaseDate":1795000000000,"price":9990,"currency":"USD",
      "appAccountToken":"00000000-0000-0000-0000-00000000000A"\(more)}
      """
    return .putTransaction(
      id: id, payload: try Purchase(payload: JSONNode.parse(Array(text.utf8), dialect: .strict)))
  }

  private static func open(_ id: ByteString, at minute: Int) -> Command {
    .openCase(id: id, CaseRequest(reason: "OTHER", receivedAt: Self.minute(minute)))
  }

  private static let customer: ByteString = "00000000-0000-0000-0000-00000000000a"

  enum Break: CaseIterable { case none, flush, crash, flushAndCrash }

  private static func apply(_ pause: Break, to desk: Desk) throws {
    if pause == .flush || pause == .flushAndCrash { try desk.flush() }
    if pause == .crash || pause == .flushAndCrash { try desk.restart() }
  }

  /// Who waits for a full page of urgent cases is woken by one behind it.
  @Test(arguments: Break.allCases) func aCaseBehindThePageChangesTheMark(_ pause: Break) throws {
    let desk = try Desk()
    for id in ["1", "2", "3"] as [ByteString] {
      try desk.run(Self.put(id), at: 0)
      try desk.run(Self.open(id, at: 1), at: 1)
    }
    try Self.apply(pause, to: desk)
    let before = try desk.list(.open, at: 2, limit: 2)
    #expect(before.items.count == 2 && before.next != nil)
    #expect(try desk.list(.open, at: 3, limit: 2).mark == before.mark)
    try desk.run(Self.put("4"), at: 3)
    try desk.run(Self.open("4", at: 4), at: 4)
    let after = try desk.list(.open, at: 5, limit: 2)
    #expect(after.items.map(\.standing.id.text) == before.items.map(\.standing.id.text))
    #expect(after.mark != before.mark)
  }

  @Test(arguments: Break.allCases) func aCaseIsTheSameAfterEveryStep(_ pause: Break) throws {
    let desk = try Desk()
    try desk.run(Self.put("7"), at: 0)
    try desk.send(#"{"id":"1","transactionId":"7","meter":"credits","quantity":4000}"#, at: 0)
    try desk.run(.putConsent(customer: Self.customer, consented: true, at: Self.minute(0)), at: 0)
    try desk.run(Self.open("7", at: 1), at: 1)
    try Self.apply(pause, to: desk)
    let open = try #require(try desk.consumption("7", at: 2))
    #expect(open["state"]?.string == "refund_requested")
    #expect(open["consumptionRequest"]?["refundPreference"]?.string == "DECLINE")
    #expect(open["gate"]?.isNull == true)

    let id = CaseID(transaction: "7", number: 1)
    try desk.run(.claimCase(id, responder: "a", seconds: 600), at: 2)
    try Self.apply(pause, to: desk)
    let held = try desk.run(.claimCase(id, responder: "b", seconds: 60), at: 3)
    guard case .refundCase(.held(let claim)) = held else {
      Issue.record("\(String(describing: held))")
      return
    }
    #expect(claim.responder == "a")
    #expect(claim.until == Self.minute(12))

    try desk.run(.answerCase(id, CaseReport(sent: "{}", httpStatus: 202)), at: 4)
    try desk.send(#"{"id":"2","transactionId":"7","meter":"credits","quantity":1000}"#, at: 5)
    try Self.apply(pause, to: desk)
    let item = try #require(try desk.list(.answered, at: 6).items.first)
    let figures = try #require(item.standing.refundCase.response?.figures)
    let frozen = try JSONNode.parse(figures.bytes, dialect: .strict)
    #expect(frozen["consumptionPercentage"]?.integer == 80_000)
    #expect(
      frozen["because"]?.elements?.first?.string == "share 80000 at or above declineAt 70000")
    #expect(item.consumption.consumptionPercentage == 100_000)
    #expect(try desk.consumption("7", at: 6)?["gate"]?.string == "answered")

    let refund = #","revocationDate":1796000000000,"signedDate":1796000420000"#
    try desk.run(Self.put("7", refund), at: 7)
    try Self.apply(pause, to: desk)
    #expect(try desk.list(.granted, at: 8).items.map(\.standing.id) == [id])
    try desk.run(Self.put("7", #","signedDate":1796000480000"#), at: 8)
    try Self.apply(pause, to: desk)
    #expect(try desk.list(.reversed, at: 9).items.map(\.standing.id) == [id])
    try desk.run(Self.open("7", at: 9), at: 9)
    try Self.apply(pause, to: desk)
    let all = try desk.list(nil, at: 10).items.map { "\($0.standing.id.text) \($0.standing.state)" }
    #expect(all == ["7:1 reversed", "7:2 open"])
  }

  @Test("lists merge what is flushed with what is not") func merging() throws {
    let desk = try Desk()
    for (number, id) in ["d", "b", "a", "c", "e", "f"].enumerated() {
      try desk.run(Self.open(ByteString(id), at: number), at: number)
      if number == 2 { try desk.flush() }
    }
    // A flushed case changes in the table: its place in the ledger doesn't count any more.
    let sandbox = try Self.put("b", environment: "Sandbox")
    try desk.run(sandbox, at: 6)
    func ids(_ state: RefundCaseState?, limit: Int) throws -> [String] {
      var found: [String] = []
      var place: CasePlace?
      repeat {
        let page = try desk.list(state, at: 7, limit: limit, after: place)
        found += page.items.map(\.standing.id.transaction.string)
        place = page.next
      } while place != nil && found.count < 20
      return found
    }
    for round in 0..<2 {
      for limit in [1, 2, 100] {
        #expect(try ids(nil, limit: limit) == ["b", "d", "a", "c", "e", "f"], "round \(round)")
        #expect(try ids(.open, limit: limit) == ["d", "a", "c", "e", "f"], "round \(round)")
        #expect(try ids(.missed, limit: limit) == ["b"], "round \(round)")
      }
      try desk.flush()
    }
  }

  @Test("marks are known, flushed or not, and retired ones are not") func marks() throws {
    let desk = try Desk()
    func marks() throws -> [String] {
      try desk.ask { try $0.marks() }.map { "\($0.source) \($0.through)" }
    }
    try desk.send(#"{"source":"a","completeThrough":"2026-11-30T00:00:00Z"}"#, at: 0)
    try desk.send(#"{"source":"b","completeThrough":"2026-11-30T01:00:00Z"}"#, at: 0)
    try desk.flush()
    try desk.send(#"{"source":"a","completeThrough":"2026-11-30T02:00:00Z"}"#, at: 1)
    #expect(
      try marks() == ["a 2026-11-30T02:00:00.000000Z", "b 2026-11-30T01:00:00.000000Z"])
    try desk.send(#"{"source":"b","completeThrough":null}"#, at: 2)
    #expect(try marks() == ["a 2026-11-30T02:00:00.000000Z"])
    try desk.flush()
    #expect(try marks() == ["a 2026-11-30T02:00:00.000000Z"])
  }
}
