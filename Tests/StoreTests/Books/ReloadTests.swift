import Foundation
import Metering
import Store
import Testing

/// What a configuration may change over usage that is booked already.
@Suite struct ReloadTests {
  static let first = """
    { meters: { gpu: { unit: "s" }, disk: { unit: "By", kind: "level" } },
      prices: [{ meter: "gpu", price: "2", per: "1", currency: "USD" }] }
    """
  /// Both at the moment of receipt, ``ScratchBooks/now``.
  static let event = #"{"id":"a","transactionId":"1","meter":"gpu","quantity":10}"#
  static let earlier =
    #"{"id":"e","transactionId":"1","meter":"gpu","quantity":0,"time":"2026-11-30T00:53:19Z"}"#
  static let level = #"{"id":"b","transactionId":"1","meter":"disk","quantity":10}"#

  struct Change: CustomTestStringConvertible {
    var testDescription: String
    var old: String
    var new: String
    var isTaken: Bool
  }

  static let changes = [
    Change(testDescription: "another amount", old: #""2""#, new: #""3""#, isTaken: true),
    Change(testDescription: "another unit", old: #""s""#, new: #""h""#, isTaken: false),
    Change(
      testDescription: "another kind", old: #"kind: "level""#, new: #"kind: "sum""#,
      isTaken: false),
    Change(
      testDescription: "another unit of a level", old: #"unit: "By""#, new: #"unit: "B""#,
      isTaken: false),
    Change(
      testDescription: "a price from before the usage", old: #"currency: "USD" }"#,
      new: #"currency: "USD", from: "2026-01-01T00:00:00Z" }"#, isTaken: true),
    Change(
      testDescription: "a price from within a quarter-hour of usage", old: #"currency: "USD" }"#,
      new: #"currency: "USD" }, { meter: "gpu", price: "9", per: "1", currency: "USD", "#
        + #"from: "2026-11-30T00:53:20Z" }"#, isTaken: false),
    Change(
      testDescription: "a price from after the usage", old: #"currency: "USD" }"#,
      new: #"currency: "USD" }, { meter: "gpu", price: "9", per: "1", currency: "USD", "#
        + #"from: "2030-01-01T00:00:00Z" }"#, isTaken: true),
  ]

  @Test("by a reload", arguments: changes) func reload(_ change: Change) throws {
    let scratch = try ScratchBooks()
    let books = try scratch.open(Self.first)
    try Self.use(books)
    let fresh = try ScratchBooks.load(
      Self.first.replacingOccurrences(of: change.old, with: change.new))
    #expect(try Self.isTaken { try books.reload(fresh) } == change.isTaken)
  }

  @Test("by a restart", arguments: changes) func restart(_ change: Change) throws {
    let scratch = try ScratchBooks()
    try Self.use(try scratch.open(Self.first))
    let text = Self.first.replacingOccurrences(of: change.old, with: change.new)
    #expect(try Self.isTaken { _ = try scratch.open(text) } == change.isTaken)
  }

  @Test("a meter that was taken out comes back in the same unit only", arguments: [true, false])
  func removedMeter(byRestart: Bool) throws {
    let scratch = try ScratchBooks()
    try Self.use(try scratch.open(Self.first))
    var books = try scratch.open("{ meters: { other: { unit: '1' } } }")
    if byRestart { books = try scratch.open("{ meters: { other: { unit: '1' } } }") }
    for change in Self.changes.prefix(4) where !change.isTaken {
      let text = Self.first.replacingOccurrences(of: change.old, with: change.new)
      let fresh = try ScratchBooks.load(text)
      #expect(try !Self.isTaken { try books.reload(fresh) }, "\(change)")
    }
    #expect(try Self.isTaken { try books.reload(ScratchBooks.load(Self.first)) })
    #expect(try ScratchBooks.send(Self.event, to: books) == [.duplicate])
  }

  private static func use(_ books: Books) throws {
    #expect(try ScratchBooks.send(event, to: books) == [.accepted])
    #expect(try ScratchBooks.send(earlier, to: books) == [.accepted])
    #expect(try ScratchBooks.send(level, to: books) == [.accepted])
  }

  private static func isTaken(_ change: () throws -> Void) throws -> Bool {
    do {
      try change()
      return true
    } catch is ReloadRefusal {
      return false
    }
  }

  /// Standing totals follow a price that changed while the process was down, with usage that was
  /// flushed and usage that wasn't.
  @Test(arguments: [false, true]) func standingTotalsFollowARestart(flushed: Bool) throws {
    let scratch = try ScratchBooks()
    var books = try scratch.open(Self.first)
    try Self.use(books)
    if flushed { try books.close() }
    books = try scratch.open(Self.first.replacingOccurrences(of: #""2""#, with: #""3""#))
    #expect(Self.standing(books) == ["3/1|USD": 10_000_000_000])
    books = try scratch.open(Self.first.replacingOccurrences(of: #""2""#, with: #""3""#))
    #expect(Self.standing(books) == ["3/1|USD": 10_000_000_000])
  }

  /// A boundary that comes to lie among a purchase's usage is told by its single readings.
  @Test(arguments: [false, true]) func aLaterBoundarySplitsASum(flushed: Bool) throws {
    let scratch = try ScratchBooks()
    let books = try scratch.open(Self.first)
    for (id, time) in [("x", "2026-11-28T12:00:00Z"), ("y", "2026-11-29T12:00:00Z")] {
      let line =
        #"{"id":"\#(id)","transactionId":"1","meter":"gpu","quantity":10,"time":"\#(time)"}"#
      #expect(try ScratchBooks.send(line, to: books) == [.accepted])
    }
    if flushed { try books.close() }
    let fresh = try ScratchBooks.load(
      Self.first.replacingOccurrences(
        of: #"currency: "USD" }"#,
        with: #"currency: "USD" }, { meter: "gpu", price: "3", per: "1", currency: "USD", "#
          + #"from: "2026-11-29T00:00:00Z" }"#))
    try books.reload(fresh)
    let answer = try books.ask(try books.makeView()) {
      try ConsumptionAnswer(
        transaction: "1", from: $0, configuration: fresh, now: ScratchBooks.now)
    }
    #expect(answer?.cost.totals.map(\.amount.decimal) == ["50"])
  }

  private static func standing(_ books: Books) -> [String: Int128] {
    var found: [String: Int128] = [:]
    for (key, total) in books.totals.byKey where total.standing != 0 {
      found[key.rate.string, default: 0] += total.standing
    }
    return found
  }

  /// A customer is the same in whatever case its UUID comes, and other names keep theirs.
  @Test(arguments: [
    ("ABCDEF12-0000-4000-8000-000000000001", "abcdef12-0000-4000-8000-000000000001", true),
    ("Anna", "anna", false),
  ])
  func customersWait(sent: String, asked: String, isFound: Bool) throws {
    let scratch = try ScratchBooks()
    let books = try scratch.open(Self.first)
    let line = #"{"id":"c","customer":"\#(sent)","meter":"gpu","quantity":3}"#
    #expect(try ScratchBooks.send(line, to: books) == [.accepted])
    let view = try books.makeView()
    let record = try books.ask(view) { try $0.customer(ByteString(asked)) }
    #expect((record.unattributed["gpu"] == 3_000_000_000) == isFound)
  }
}
