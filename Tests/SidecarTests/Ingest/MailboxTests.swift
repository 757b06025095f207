import Metering
import Testing

@testable import Sidecar

@Suite struct MailboxTests {
  private func filled(_ batch: FilledBatch, events: Int = 1) -> FilledBatch {
    for _ in 0..<events { batch.batch.events.append(DecodedEvent()) }
    batch.addEvents(events)
    return batch
  }

  private func takeBatch(_ mailbox: Mailbox) -> (batch: FilledBatch, isAwaited: Bool)? {
    guard case .batch(let batch, let isAwaited) = mailbox.take() else { return nil }
    return (batch, isAwaited)
  }

  /// The loop is told only when it was turned down: a lone batch costs no second wake-up.
  @Test func aLoneBatchIsNotAwaited() throws {
    let mailbox = Mailbox()
    let first = filled(FilledBatch())
    let second = filled(try #require(mailbox.offer(first)))
    let taken = try #require(takeBatch(mailbox))
    #expect(taken.batch === first && !taken.isAwaited)
    let third = try #require(mailbox.offer(second))
    #expect(mailbox.offer(filled(third)) == nil)
    let next = try #require(takeBatch(mailbox))
    #expect(next.batch === second && next.isAwaited)
    mailbox.giveBack(taken.batch)
    mailbox.giveBack(next.batch)
    #expect(mailbox.offer(third) != nil)
    #expect(try #require(takeBatch(mailbox)).isAwaited == false)
  }

  /// What the writer hasn't come to is filled further, unless it is full.
  @Test func anOfferedBatchIsTakenBack() throws {
    let mailbox = Mailbox()
    let first = filled(FilledBatch())
    let empty = try #require(mailbox.offer(first))
    #expect(mailbox.takeBack(for: empty) === first)
    #expect(mailbox.takeBack(for: FilledBatch()) == nil)
    let full = filled(first, events: Metering.Limits.batchEvents)
    let next = try #require(mailbox.offer(full))
    #expect(mailbox.takeBack(for: next) == nil)
    #expect(try #require(takeBatch(mailbox)).batch === full)
  }
}

@Suite struct EventLinesTests {
  /// Numbers of events come back, whatever lines between them were blank.
  @Test(
    arguments: [
      [], [1], [1, 2, 3], [2, 3], [1, 2, 4, 5, 9], [7], [1, 3, 5],
    ] as [[UInt64]])
  func numbersComeBack(_ lines: [UInt64]) {
    for start: UInt64 in [0, 1_000] {
      var events = EventLines(after: start)
      for line in lines { events.append(start + line) }
      #expect(events.count == lines.count)
      #expect((0..<events.count).map { events[$0] } == lines.map { start + $0 })
    }
  }

  @Test(
    arguments: [
      ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("\n\na\n", ["", "", "a"]),
      ("a\r\n b\n", ["a\r", " b"]),
    ] as [(String, [String])])
  func linesAreSplit(_ text: String, _ lines: [String]) {
    var found: [String] = []
    Array(text.utf8).withUnsafeBytes { bytes in
      _ = LineSplit.forEach(bytes) {
        found.append(String(decoding: $0, as: UTF8.self))
        return true
      }
    }
    #expect(found == lines)
  }
}
