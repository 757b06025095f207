import Metering
import Store
import Testing

/// Sources that send marks are bounded, and those that are retired make room.
@Suite struct MarkTests {
  private static let text = "{ meters: { m: { unit: '1' } } }"

  private static func mark(_ source: String, isEnd: Bool = false) -> String {
    let through = isEnd ? "null" : #""2026-11-30T00:00:00Z""#
    return #"{"source":"\#(source)","completeThrough":\#(through)}"#
  }

  private static func marked(_ books: Books) throws -> Int {
    try books.ask(try books.makeView()) { try $0.marks().count }
  }

  @Test(arguments: [false, true]) func sourcesAreBounded(flushed: Bool) throws {
    let scratch = try ScratchBooks()
    var books = try scratch.open(Self.text)
    let sources = (0..<Limits.markedSources).map { "s\($0)" }
    let all = try ScratchBooks.commit(sources.map { Self.mark($0) }, to: books)
    #expect(all.verdicts.allSatisfy { $0 == .accepted })
    if flushed { try books.close() }
    books = try scratch.open(Self.text)
    #expect(try Self.marked(books) == Limits.markedSources)
    #expect(try ScratchBooks.send(Self.mark("more"), to: books) == [.rejected(.tooManySources)])
    #expect(try ScratchBooks.send(Self.mark("s7"), to: books) == [.accepted])
    #expect(try ScratchBooks.send(Self.mark("s7", isEnd: true), to: books) == [.accepted])
    #expect(try ScratchBooks.send(Self.mark("more"), to: books) == [.accepted])
    #expect(try ScratchBooks.send(Self.mark("s7"), to: books) == [.rejected(.tooManySources)])
    #expect(books.totals.rejections[RejectionCode.tooManySources.rawValue] == 2)
    if flushed { try books.close() }
    #expect(try Self.marked(books) == Limits.markedSources)
  }

  /// Ends of marks that never were leave nothing.
  @Test func nothingEndsWhereNothingWas() throws {
    let scratch = try ScratchBooks()
    let books = try scratch.open(Self.text)
    let lines = (0..<100).map { Self.mark("s\($0)", isEnd: true) }
    #expect(try ScratchBooks.commit(lines, to: books).verdicts.allSatisfy { $0 == .accepted })
    try books.close()
    let rows = try Connection(path: scratch.directory + "/ledger.db", readOnly: true)
      .prepare("SELECT count(*) FROM mark")
    var count: Int64 = -1
    try rows.forEach { count = $0.integer(0) }
    #expect(count == 0)
  }

  /// What a failed commit marked isn't marked.
  @Test func aFailedCommitMarksNothing() throws {
    let scratch = try ScratchBooks()
    let disk = FragileDisk(LinuxDisk(root: scratch.directory))
    let books = try scratch.open(ScratchBooks.load(Self.text), disk: disk)
    let sources = (1..<Limits.markedSources).map { "s\($0)" }
    _ = try ScratchBooks.commit(sources.map { Self.mark($0) }, to: books)
    disk.breaks(after: 0)
    #expect(throws: StoreFault.self) { try ScratchBooks.send(Self.mark("lost"), to: books) }
    disk.holds()
    #expect(try ScratchBooks.send(Self.mark("one"), to: books) == [.accepted])
    #expect(try ScratchBooks.send(Self.mark("two"), to: books) == [.rejected(.tooManySources)])
  }
}
