import Foundation
import Metering
import Store
import Testing

/// A store in a folder of its own, with a clock that tests set, that is rolled up.
final class RollupDesk {
  static let start = Instant(microseconds: 1_796_000_000_000_000)
  static let text = """
    { meters: { credits: { unit: "{credit}" }, disk: { unit: "By", kind: "level" } },
      prices: [{ meter: "credits", price: "0.001", per: "1", currency: "USD" },
        { meter: "disk", price: "0.5", per: "7 By.h", currency: "USD" }],
      products: { "p": { allowance: { credits: "5000" } },
        "s": { allowance: { credits: "1000" }, every: "P1M" } } }
    """

  let scratch: ScratchBooks
  private(set) var configuration: Configuration
  private(set) var books: Books
  private let options: Books.Options
  /// Seconds since ``start``.
  var seconds: Int64 = 0
  /// What was ever named.
  var transactions: Set<ByteString> = []
  /// Purchases that one slice may look at.
  var sliceRows = Int.max

  init(options: Books.Options = Books.Options(segmentBytes: 1 << 20)) throws {
    scratch = try ScratchBooks()
    self.options = options
    configuration = try ScratchBooks.load(Self.text)
    books = try scratch.open(configuration, options: options)
  }

  var now: Instant { Self.start.adding(microseconds: seconds * 1_000_000) }

  func flush() throws {
    books.freeze()
    _ = try books.flush()
  }

  /// Ends as after a crash, and begins again, as after years with another configuration for one.
  func restart(under text: String? = nil) throws {
    if let text { configuration = try ScratchBooks.load(text) }
    books = try scratch.open(configuration, options: options)
  }

  func reload(_ text: String) throws {
    configuration = try ScratchBooks.load(text)
    try books.reload(configuration)
  }

  @discardableResult
  func run(_ command: Command) throws -> CommandOutcome? {
    try books.commit(
      IngestBatch(), steps: [.command(command)], at: CommitTime(now: now, elapsed: 0)
    ).outcomes.first
  }

  func send(_ line: String) throws {
    let batch = IngestBatch()
    var decoder = EventDecoder(key: books.hashKey)
    Array(line.utf8).withUnsafeBytes { decoder.decodeLine($0, into: batch) }
    let result = try books.commit(
      batch, steps: [.events(1)], at: CommitTime(now: now, elapsed: 0))
    #expect(result.verdicts == [.accepted], "\(line)")
  }

  func put(_ id: ByteString, _ members: String = "") throws {
    transactions.insert(id)
    let text = """
      {"productId":"p","type":"Consumable","environment":"Production",
      "inAppOwnershipType":"PURCHASED","purchaseDate":\(Self.start.microseconds / 1000),
      "price":9990,"currency":"USD"}
      """
    let merged = try Self.members(text).merging(Self.members("{\(members)}")) { $1 }
    let json = try JSONSerialization.data(withJSONObject: merged)
    let parsed = try JSONNode.parse(Array(json), dialect: .strict)
    try run(.putTransaction(id: id, payload: try Purchase(payload: parsed)))
  }

  private static func members(_ text: String) throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
    return try #require(object as? [String: Any])
  }

  /// One slice of at most so many rows.
  @discardableResult
  func slice(rows: Int? = nil) throws -> RollupStep {
    var left = rows ?? sliceRows
    return try books.rollUp(at: now) {
      left -= 1
      return left <= 0
    }
  }

  /// Rolls up until there is nothing more to do.
  func settle() throws {
    for _ in 0..<100_000 {
      switch try slice() {
      case .idle: return
      case .more: continue
      case .needsFlush: try flush()
      }
    }
    Issue.record("the rollup doesn't come to an end")
  }

  /// What one purchase has cost, as its own answer tells.
  func cost(of id: ByteString) throws -> String? {
    try books.ask(books.makeView()) {
      try ConsumptionAnswer(
        transaction: id, from: $0, configuration: configuration, now: now
      )?.cost.totals.first?.amount.decimal
    }
  }

  /// What the rollup tells now.
  func told() throws -> SingleAnswers { SingleAnswers(books.rollupReport, books.rollupSums) }

  /// What the single answers say now.
  func asked() throws -> SingleAnswers {
    try SingleAnswers(books, transactions, configuration, at: now)
  }
}
