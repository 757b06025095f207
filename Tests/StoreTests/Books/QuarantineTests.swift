import Foundation
import Metering
import Store
import Testing

/// Events that a reload may make valid, in a quarantine with little room.
@Suite struct QuarantineTests {
  private static let text = "{ meters: { m: { unit: '1' } } }"
  private static let wider = "{ meters: { m: { unit: '1' }, n: { unit: '1' } } }"

  private static func line(_ number: Int) -> String {
    #"{"id":"e\#(number)","transactionId":"t","meter":"n","quantity":\#(1 << number)}"#
  }

  /// Room for three of the lines, all of one length.
  private static let options = Books.Options(quarantineBytes: Int64(3 * line(0).utf8.count + 5))

  private static func kept(_ books: Books) throws -> [[UInt8]] {
    try books.quarantine().map(\.event.raw)
  }

  /// The oldest make room and are counted, wherever they lie by then.
  @Test(arguments: [false, true]) func theOldestMakeRoom(flushed: Bool) throws {
    let scratch = try ScratchBooks()
    let books = try scratch.open(Self.text, options: Self.options)
    for number in 0..<5 {
      let verdicts = try ScratchBooks.send(Self.line(number % 4), to: books)
      #expect(verdicts == [.rejected(.unknownMeter)])
      if flushed { try books.close() }
    }
    #expect(try Self.kept(books) == [2, 3, 0].map { Array(Self.line($0).utf8) })
    #expect(books.totals.quarantineDropped == 2)
    #expect(books.totals.quarantinedEvents == 3)
  }

  /// What a reload takes up is gone, also where it was looked up as the next to make room.
  @Test func whatIsReplayedDoesNotMakeRoomAgain() throws {
    let scratch = try ScratchBooks()
    let books = try scratch.open(Self.text, options: Self.options)
    for number in 0..<4 { _ = try ScratchBooks.send(Self.line(number), to: books) }
    try books.reload(ScratchBooks.load(Self.wider))
    try books.replayQuarantine(
      EventDecoder(key: books.hashKey), at: CommitTime(now: ScratchBooks.now, elapsed: 0))
    #expect(try Self.kept(books).isEmpty)
    #expect(books.totals.quarantineBytes == 0)
    try books.reload(ScratchBooks.load(Self.text))
    for number in 4..<9 {
      _ = try ScratchBooks.send(
        Self.line(number).replacingOccurrences(of: "\"n\"", with: "\"o\""), to: books)
    }
    let kept = try Self.kept(books)
    #expect(books.totals.quarantineBytes == Int64(kept.reduce(0) { $0 + $1.count }))
    #expect(books.totals.quarantinedEvents == Int64(kept.count))
    let usage = try books.ask(try books.makeView()) { try $0.usage(of: "t") }
    #expect(usage.map(\.quantity) == [14_000_000_000])
  }
}
