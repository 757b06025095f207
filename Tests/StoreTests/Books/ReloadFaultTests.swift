import Metering
import Store
import Testing

/// A reload is in force wholly or not at all, whatever fails in it.
@Suite struct ReloadFaultTests {
  private static let text = """
    { meters: { m: { unit: "1" } },
      prices: [{ meter: "m", price: "2", per: "1", currency: "USD" }] }
    """
  private static let dearer = text.replacing(#""2""#, with: #""3""#)
  private static let line = #"{"id":"a","transactionId":"t","meter":"m","quantity":10}"#
  private static let next = #"{"id":"b","transactionId":"t","meter":"m","quantity":1}"#

  /// Each way to fail is a write to the ledger that it refuses: of the flush before, and of what
  /// the reload itself says.
  @Test(arguments: ["run", "meta"]) func itFails(table: String) throws {
    let scratch = try ScratchBooks()
    var books = try scratch.open(Self.text)
    #expect(try ScratchBooks.send(Self.line, to: books) == [.accepted])
    let old = books.configuration
    let before = books.totals
    let fresh = try ScratchBooks.load(Self.dearer)
    try scratch.refuseWrites(to: table)
    #expect(throws: LedgerError.self) { try books.reload(fresh) }
    #expect(books.configuration == old)
    #expect(books.totals == before)
    #expect(try ScratchBooks.send(Self.next, to: books) == [.accepted])
    #expect(Self.rates(books) == ["2/1|USD": 11_000_000_000])
    try scratch.allowWrites(to: table)
    // As if it had been killed here: the ledger names what its totals stand under.
    books = try scratch.open(Self.text)
    #expect(Self.rates(books) == ["2/1|USD": 11_000_000_000])
    try books.reload(fresh)
    #expect(books.configuration == fresh)
    #expect(Self.rates(books) == ["3/1|USD": 11_000_000_000])
    books = try scratch.open(Self.dearer)
    #expect(Self.rates(books) == ["3/1|USD": 11_000_000_000])
  }

  private static func rates(_ books: Books) -> [String: Int128] {
    books.totals.byKey.reduce(into: [:]) {
      if $1.value.standing != 0 { $0[$1.key.rate.string, default: 0] += $1.value.standing }
    }
  }
}

extension ScratchBooks {
  /// From now on the ledger refuses new rows of a table.
  func refuseWrites(to table: String) throws {
    let connection = try Connection(path: directory + "/ledger.db")
    try connection.execute(
      "CREATE TRIGGER refusal BEFORE INSERT ON \(table) "
        + "BEGIN SELECT RAISE(ABORT, 'refused by a test'); END")
  }

  /// The end of ``refuseWrites(to:)``.
  func allowWrites(to table: String) throws {
    try Connection(path: directory + "/ledger.db").execute("DROP TRIGGER refusal")
  }
}
