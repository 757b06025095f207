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
    try books.quarantined(after: nil, limit: .max).map(\.raw)
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
    try books.replayQuarantine(at: CommitTime(now: ScratchBooks.now, elapsed: 0))
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

  /// The same event is kept once, however often it comes; another content is another.
  @Test(arguments: [false, true]) func oneCopyIsKept(restarted: Bool) throws {
    let scratch = try ScratchBooks()
    var books = try scratch.open(Self.text)
    let other = Self.line(1).replacing(#""quantity":2"#, with: #""quantity":3"#)
    for round in 0..<5 {
      _ = try ScratchBooks.commit([Self.line(1), Self.line(1), other], to: books)
      if restarted && round == 2 {
        books = try scratch.open(Self.text)
        try books.replayQuarantine(at: ScratchBooks.moment)
      }
    }
    #expect(try Self.kept(books) == [Self.line(1), other].map { Array($0.utf8) })
  }

  /// What a batch that failed would have kept is kept when it comes again.
  @Test func whatFailedIsKeptLater() throws {
    let scratch = try ScratchBooks()
    let disk = FragileDisk(LinuxDisk(root: scratch.directory))
    let books = try scratch.open(ScratchBooks.load(Self.text), disk: disk)
    disk.breaks(after: 0)
    #expect(throws: StoreFault.self) { try ScratchBooks.send(Self.line(1), to: books) }
    disk.holds()
    _ = try ScratchBooks.send(Self.line(1), to: books)
    #expect(try Self.kept(books) == [Array(Self.line(1).utf8)])
  }

  /// An event without a time happened when it first came, whenever it is decided.
  @Test func itsTimeIsThatOfTheFirstReceipt() throws {
    let scratch = try ScratchBooks()
    let books = try scratch.open(Self.text)
    let later = CommitTime(
      now: Instant(microseconds: ScratchBooks.now.microseconds + 7_200_000_000), elapsed: 0)
    _ = try ScratchBooks.send(Self.line(1), to: books)
    _ = try ScratchBooks.commit([Self.line(1)], to: books, at: later)
    try books.reload(ScratchBooks.load(Self.wider))
    try books.replayQuarantine(at: later)
    let usage = try books.ask(try books.makeView()) { try $0.usage(of: "t") }
    #expect(usage.map(\.firstTime) == [ScratchBooks.now])
    #expect(try ScratchBooks.commit([Self.line(1)], to: books, at: later).verdicts == [.duplicate])
  }

  /// Many are decided again in few commits, and others' come in between.
  @Test func manyAreDecidedInPieces() throws {
    let scratch = try ScratchBooks()
    let books = try scratch.open(Self.text)
    let count = 5_000
    let lines = (0..<count).map {
      #"{"id":"k\#($0)","transactionId":"t","meter":"n","quantity":1}"#
    }
    _ = try ScratchBooks.commit(lines, to: books)
    try books.reload(ScratchBooks.load(Self.wider))
    var replay = QuarantineReplay()
    var pieces = 0
    while try books.replayQuarantine(&replay, at: ScratchBooks.moment) {
      pieces += 1
      #expect(
        try ScratchBooks.send(Self.line(2).replacing("e2", with: "o\(pieces)"), to: books)
          == [.accepted])
    }
    #expect((2...10).contains(pieces))
    #expect(try Self.kept(books).isEmpty)
    #expect(
      try ScratchBooks.usage(of: "t", in: books)
        == ["n": Int128(count + 4 * pieces) * 1_000_000_000])
  }
}
