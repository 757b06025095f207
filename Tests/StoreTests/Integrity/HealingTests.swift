import Foundation
import Metering
import Testing

@testable import Store

/// A ledger that isn't what was written is made anew from the journal.
@Suite("Healing of the ledger") struct HealingTests {
  private static let configuration = #"{ meters: { credits: { unit: "{credit}" } } }"#
  private static let options = Books.Options(memtableEvents: 100, segmentBytes: 16 << 10)
  private let scratch: ScratchBooks

  init() throws { scratch = try ScratchBooks() }

  private var disk: LinuxDisk { LinuxDisk(root: scratch.directory) }

  private func open() throws -> (books: Books, report: OpeningReport) {
    try Books.open(
      directory: scratch.directory, disk: disk,
      configuration: ScratchBooks.load(Self.configuration), options: Self.options,
      newIdentity: { StoreIdentity(id: Array(repeating: 7, count: 16), key: Array(0..<16)) })
  }

  private static func lines(_ range: Range<Int>) -> [String] {
    range.map {
      #"{"id":"\#($0)","transactionId":"t\#($0 % 7)","meter":"credits","quantity":\#($0)}"#
    }
  }

  private static func send(_ range: Range<Int>, to books: Books) throws -> [Verdict] {
    var verdicts: [Verdict] = []
    for start in stride(from: range.lowerBound, to: range.upperBound, by: 50) {
      let lines = lines(start..<min(start + 50, range.upperBound))
      verdicts += Array(try ScratchBooks.commit(lines, to: books).verdicts)
    }
    return verdicts
  }

  private static func isDuplicate(_ verdict: Verdict) -> Bool {
    if case .duplicate = verdict { true } else { false }
  }

  /// Flips one bit of every page but the first, so that whatever is read next is damaged.
  private func damage(from page: Int = 1) throws {
    let file = try disk.open("ledger.db", create: false)
    for page in page..<(try disk.size(of: "ledger.db") / PageSum.pageBytes) {
      let offset = page * PageSum.pageBytes + 1_000
      let byte = try file.read(count: 1, at: offset)
      try [byte[0] ^ 16].withUnsafeBytes { try file.write($0, at: offset) }
    }
  }

  private func usage(of books: Books) throws -> [String] {
    try books.ask(try books.makeView()) { snapshot in
      try (0..<7).map { number in
        let lines = try snapshot.usage(of: ByteString("t\(number)"))
        return lines.map { "\($0.quantity)" }.joined()
      }
    }
  }

  @Test("when the store is opened, and the old one is kept") func atOpening() throws {
    let expected: [String]
    do {
      let books = try open().books
      _ = try Self.send(0..<950, to: books)
      try books.close()
      expected = try usage(of: books)
    }
    try damage(from: 0)
    let (books, report) = try open()
    #expect(report.setAside?.name == "ledger.db.damaged-1")
    #expect(report.setAside?.damage.contains("page 1 ") == true)
    #expect(try disk.list("").contains("ledger.db.damaged-1"))
    #expect(try usage(of: books) == expected)
    let again = try Self.send(0..<950, to: books)
    #expect(again.count == 950 && again.allSatisfy(Self.isDuplicate))
    #expect(books.runCount < 10)
    try books.close()
    let found = try Verification.run(directory: scratch.directory, disk: disk)
    #expect(found.differences == [])
  }

  @Test("while it is in use: what isn't known is never new") func inUse() throws {
    let books = try open().books
    _ = try Self.send(0..<950, to: books)
    books.freeze()
    while try books.flush() || books.merge() {}
    _ = try Self.send(950..<990, to: books)
    let expected = try usage(of: books)
    let view = try books.makeView()
    try damage()
    // A view of its own has pages in memory still.
    let fault = #expect(throws: (any Error).self) { try Self.send(0..<50, to: books) }
    #expect("\(String(describing: fault))".contains("ledger.db: offset"))
    #expect(books.damage?.contains("ledger.db: offset") == true && books.damagesMet > 0)
    #expect(try books.rebuildLedger() == "ledger.db.damaged-1")
    #expect(books.damage == nil)
    #expect(try usage(of: books) == expected)
    let told = try books.ask(view) { try $0.usage(of: "t1").count }
    #expect(told == 1)
    let again = try Self.send(0..<990, to: books)
    #expect(again.count == 990 && again.allSatisfy(Self.isDuplicate))
    try books.close()
    let found = try Verification.run(directory: scratch.directory, disk: disk)
    #expect(found.differences == [])
  }

  @Test("not when the journal doesn't begin at the first entry") func withoutItsBeginning() throws {
    do {
      let books = try open().books
      _ = try Self.send(0..<950, to: books)
      try books.close()
      try books.journal.prune(before: books.journal.sequence)
      #expect(books.journal.firstSequence > 1)
    }
    try damage(from: 0)
    #expect(throws: StoreFault.ledger("ledger.db: offset 0: page 1 is damaged")) { try open() }
    #expect(try !disk.list("").contains("ledger.db.damaged-1"))
  }

  @Test("a ledger far behind is caught up with in tables of the usual size") func farBehind() throws
  {
    do {
      let books = try open().books
      _ = try Self.send(0..<950, to: books)
    }
    try LedgerFile.remove(LedgerFile.name, on: disk)
    let books = try open().books
    #expect(books.needsFlush == false && books.runCount > 0)
    #expect(try Self.send(0..<950, to: books).allSatisfy(Self.isDuplicate))
  }

  @Test(
    "another format is refused, not mended",
    arguments: ["PRAGMA user_version=99", "PRAGMA application_id=7"])
  func otherFormat(change: String) throws {
    do {
      let books = try open().books
      _ = try Self.send(0..<50, to: books)
      try books.close()
      let connection = try Connection(path: scratch.directory + "/ledger.db")
      try connection.execute(change)
      try connection.checkpoint()
    }
    let fault = #expect(throws: StoreFault.self) { try open() }
    guard case .foreign(let detail)? = fault else {
      Issue.record("\(String(describing: fault))")
      return
    }
    #expect(detail.contains("ledger.db"))
  }

  @Test("a ledger of another story than the journal's is refused") func otherStory() throws {
    do {
      let books = try open().books
      _ = try Self.send(0..<50, to: books)
      try books.close()
    }
    do {
      try Connection(path: scratch.directory + "/ledger.db").execute(
        "UPDATE meta SET v = zeroblob(16) WHERE k = 'appliedChain'")
    }
    #expect(throws: StoreFault.self) { try open() }
  }
}
