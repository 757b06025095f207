import Metering
import Store
import Testing

/// How old an event may be, whatever the clock did before.
@Suite struct FloorTests {
  private static let text = "{ meters: { m: { unit: '1' } }, store: { dedupeDays: 35 } }"
  private static let day: Int64 = 86_400_000_000
  private static let window = 35 * day

  private static func at(_ offset: Int64, passed: Int64 = 0) -> CommitTime {
    CommitTime(
      now: Instant(microseconds: ScratchBooks.now.microseconds + offset), elapsed: passed)
  }

  private static func line(_ id: String, at offset: Int64? = nil) -> String {
    let time = offset.map {
      #","time":"\#(Instant(microseconds: ScratchBooks.now.microseconds + $0))""#
    }
    return #"{"id":"\#(id)","transactionId":"t","meter":"m","quantity":1\#(time ?? "")}"#
  }

  private static func send(
    _ line: String, to books: Books, at time: CommitTime
  ) throws -> Verdict? {
    try ScratchBooks.commit([line], to: books, at: time).verdicts.first
  }

  /// A floor that has caught up, by an event at ``ScratchBooks/now``.
  private static func grown(_ scratch: ScratchBooks) throws -> Books {
    let books = try scratch.open(text)
    for id in ["first", "second"] {
      #expect(try send(line(id), to: books, at: at(0, passed: 100 * day)) == .accepted)
    }
    return books
  }

  @Test(arguments: [36, 60, 300]) func theFirstClockIsDaysAhead(days: Int64) throws {
    let scratch = try ScratchBooks()
    var books = try scratch.open(Self.text)
    let ahead = Self.at(days * Self.day, passed: Limits.restartMicroseconds)
    #expect(try Self.send(Self.line("a"), to: books, at: ahead) == .accepted)
    books = try scratch.open(Self.text)
    let right = Self.at(0, passed: Limits.restartMicroseconds)
    #expect(try Self.send(Self.line("b"), to: books, at: right) == .accepted)
    #expect(try Self.send(Self.line("c", at: -34 * Self.day), to: books, at: right) == .accepted)
    #expect(try Self.send(Self.line("b"), to: books, at: right) == .duplicate)
  }

  @Test func theFirstClockIsBehind() throws {
    let scratch = try ScratchBooks()
    let books = try scratch.open(Self.text)
    #expect(try Self.send(Self.line("a"), to: books, at: Self.at(-40 * Self.day)) == .accepted)
    #expect(try Self.send(Self.line("b"), to: books, at: Self.at(0)) == .accepted)
  }

  /// No verdict: the sender is to come again. Nothing is written, and the right clock goes on.
  @Test(arguments: [-40, -400, -20_000, 30_000] as [Int64])
  func aClockThatCannotBeRight(days: Int64) throws {
    let scratch = try ScratchBooks()
    let books = try Self.grown(scratch)
    let before = books.totals
    for line in [Self.line("b"), Self.line("first")] {
      #expect {
        _ = try Self.send(line, to: books, at: Self.at(days * Self.day))
      } throws: { error in
        if case StoreFault.clock(let detail) = error { return detail.contains("can't be right") }
        return false
      }
    }
    #expect(throws: StoreFault.self) {
      try books.checkWritable(at: Self.at(days * Self.day).now)
    }
    #expect(books.totals == before)
    try books.checkWritable(at: ScratchBooks.now)
    #expect(try Self.send(Self.line("b"), to: books, at: Self.at(0)) == .accepted)
  }

  /// One wrong hour doesn't close the door, as the floor follows time and not the clock.
  @Test func aClockJumpsAheadForAnHour() throws {
    let scratch = try ScratchBooks()
    let books = try Self.grown(scratch)
    let ahead = Self.at(50 * Self.day, passed: 3_600_000_000)
    #expect(try Self.send(Self.line("b"), to: books, at: ahead) == .accepted)
    #expect(
      try Self.send(Self.line("c", at: -34 * Self.day), to: books, at: Self.at(0)) == .accepted)
  }

  /// It follows the newest event where that is behind the clock, and the clock where an event is
  /// ahead of it.
  @Test(arguments: [-3 * day, 0, 240_000_000]) func itFollowsTheOlder(newest: Int64) throws {
    let scratch = try ScratchBooks()
    let books = try scratch.open(Self.text)
    for id in ["a", "b"] {
      let time = Self.at(0, passed: 100 * Self.day)
      #expect(try Self.send(Self.line(id, at: newest), to: books, at: time) == .accepted)
    }
    let now = ScratchBooks.now.microseconds
    #expect(books.totals.floor == now + min(newest, 0) - Self.window)
  }

  /// At the edge, by the clock and by the floor.
  @Test(arguments: [false, true]) func theOldestTime(byFloor: Bool) throws {
    let scratch = try ScratchBooks()
    let books = try Self.grown(scratch)
    // With an earlier clock, what the floor says is the later of the two.
    let time = Self.at(byFloor ? -3_600_000_000 : 0)
    let edge = -Self.window
    #expect(try Self.send(Self.line("a", at: edge - 1), to: books, at: time) == .rejected(.tooOld))
    #expect(try Self.send(Self.line("b", at: edge), to: books, at: time) == .accepted)
    #expect(try Self.send(Self.line("b", at: edge), to: books, at: time) == .duplicate)
    #expect(
      try Self.send(#"{"id":"v","voids":{"id":"b"}}"#, to: books, at: time) == .accepted)
  }

  /// An event can be taken back as long as it would be taken, and not a microsecond longer.
  @Test(arguments: [(0 as Int64, Verdict.accepted), (1, .rejected(.voidUnknown))])
  func aVoidAtTheEdge(later: Int64, verdict: Verdict) throws {
    let scratch = try ScratchBooks()
    let books = try Self.grown(scratch)
    let time = Self.at(Self.window + later)
    let void = #"{"id":"v","voids":{"id":"first"}}"#
    #expect(try Self.send(void, to: books, at: time) == verdict)
  }
}
