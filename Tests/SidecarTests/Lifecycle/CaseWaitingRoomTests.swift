import Metering
import Testing
import Wire

@testable import Sidecar

/// Clients that wait for refund cases, with pages and instants that the test gives.
@Suite struct CaseWaitingRoomTests {
  private static let second: UInt64 = 1_000_000_000

  /// A page of as many cases as `count`; `version` stands for their figures.
  private static func page(_ count: Int, _ version: String = "") throws -> CasesPage {
    var reading = FakeQueries()
    let now = at("2026-11-30T00:00:00Z")
    for number in 0..<count {
      let id = ByteString("\(version)\(number)")
      var record = PurchaseRecord(transactionId: id)
      _ = record.ask(CaseRequest(reason: nil, receivedAt: now), at: now)
      reading.records[id] = record
    }
    return try Answers(reading: reading, configuration: testConfiguration(), now: now)
      .cases(CasesQuestion())
  }

  private static func leave(
    _ room: inout CaseWaitingRoom<String>, at now: UInt64, _ page: CasesPage?
  ) -> [String] {
    room.leave(now: now) { _ in page }.map { "\($0.client) \($0.page == nil ? "503" : "page")" }
  }

  @Test("waits for a first case, at most so long") func firstCase() throws {
    var room = CaseWaitingRoom<String>()
    let (empty, full) = (try Self.page(0), try Self.page(1))
    room.enter(CasesQuestion(waitSeconds: 30), "a", now: 0)
    room.enter(CasesQuestion(waitSeconds: 10), "b", now: Self.second)
    #expect(room.nextEnd == 11 * Self.second)
    #expect(Self.leave(&room, at: 11 * Self.second - 1, empty) == [])
    #expect(Self.leave(&room, at: 11 * Self.second, empty) == ["b page"])
    #expect(room.nextEnd == 30 * Self.second)
    #expect(Self.leave(&room, at: 12 * Self.second, full) == ["a page"])
    #expect(room.isEmpty)
    #expect(room.nextEnd == nil)
  }

  @Test("waits for other figures than it knows") func otherFigures() throws {
    var room = CaseWaitingRoom<String>()
    let (old, new, empty) = (try Self.page(1), try Self.page(1, "x"), try Self.page(0))
    room.enter(CasesQuestion(waitSeconds: 30, known: old.mark), "a", now: 0)
    room.enter(CasesQuestion(waitSeconds: 30, known: empty.mark), "b", now: 0)
    #expect(Self.leave(&room, at: 1, old) == ["b page"])
    #expect(Self.leave(&room, at: 2, old) == [])
    #expect(Self.leave(&room, at: 3, new) == ["a page"])
    room.enter(CasesQuestion(waitSeconds: 30, known: old.mark), "c", now: 0)
    #expect(Self.leave(&room, at: 4, empty) == ["c page"])
  }

  @Test("makes one page for all who ask the same") func sharedPages() throws {
    var room = CaseWaitingRoom<String>()
    let empty = try Self.page(0)
    let states: [RefundCaseState?] = [nil, .open, .open, nil, .missed]
    for (number, state) in states.enumerated() {
      let known: ByteString? = number > 2 ? empty.mark : nil
      room.enter(
        CasesQuestion(state: state, waitSeconds: 10 + number, known: known), "a", now: 0)
    }
    var made: [String] = []
    _ = room.leave(now: 1) { question in
      made.append("\(question.state.map(\.rawValue) ?? "-") \(question.waitSeconds)")
      return empty
    }
    #expect(made == ["- 0", "open 0", "missed 0"])
  }

  @Test("lets the longest waiting go when there are too many") func tooMany() throws {
    var room = CaseWaitingRoom<String>(capacity: 2)
    let empty = try Self.page(0)
    for client in ["a", "b", "c"] {
      room.enter(CasesQuestion(waitSeconds: 30), client, now: 5)
    }
    #expect(Self.leave(&room, at: 5, empty) == ["a page"])
    room.end()
    #expect(Self.leave(&room, at: 5, empty) == ["b page", "c page"])
  }

  @Test("answers everybody when nothing can be read") func unreadable() {
    var room = CaseWaitingRoom<String>()
    room.enter(CasesQuestion(waitSeconds: 30), "a", now: 0)
    #expect(Self.leave(&room, at: 1, nil) == ["a 503"])
  }
}
