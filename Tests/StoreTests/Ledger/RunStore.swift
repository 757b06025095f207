import Foundation
import Metering
import Testing

@testable import Store

/// A store in a folder of its own, fed by event lines, for tests of what flushes and merges keep.
final class RunStore {
  static let now = Instant(microseconds: 1_796_000_000_000_000)
  static let storeID = [UInt8](repeating: 7, count: 16)
  private let directory = TemporaryDirectory()
  private let memtableEvents: Int
  private(set) var books: Books
  private(set) var view: LedgerView

  var ledgerPath: String { directory.path + "/ledger.db" }

  init(memtableEvents: Int) throws {
    self.memtableEvents = memtableEvents
    books = try Self.open(directory.path, memtableEvents)
    view = try books.makeView()
  }

  private static func open(_ path: String, _ memtableEvents: Int) throws -> Books {
    let text = """
      { meters: { tokens: { unit: "1", attributes: ["model"] },
          disk: { unit: "By", kind: "level" } },
        prices: [{ meter: "tokens", price: "2", per: "1", currency: "USD" },
          { meter: "tokens", price: "3", per: "1", currency: "USD",
            from: "2026-11-10T00:00:00Z" }] }
      """
    let configuration = try Configuration.load(
      Array(text.utf8),
      defaults: ConfigurationDefaults(socketPath: "/unused", storeDirectory: "/unused"),
      timeZoneExists: { _ in true }
    ).get()
    return try Books(
      directory: path, disk: LinuxDisk(root: path), configuration: configuration,
      options: Books.Options(memtableEvents: memtableEvents, segmentBytes: 1 << 20),
      newIdentity: { StoreIdentity(id: storeID, key: Array(0..<16)) })
  }

  /// Opens the store again without an orderly stop.
  func reopen() throws {
    books = try Self.open(directory.path, memtableEvents)
    view = try books.makeView()
  }

  /// Commits the lines as one batch.
  func send(_ lines: [String]) throws -> [Verdict] {
    let batch = IngestBatch()
    var decoder = EventDecoder(key: books.hashKey)
    for line in lines {
      Array(line.utf8).withUnsafeBytes { decoder.decodeLine($0, into: batch) }
    }
    let result = try books.commit(
      batch, steps: [.events(lines.count)], at: CommitTime(now: Self.now, elapsed: 0))
    return Array(result.verdicts)
  }

  func flush() throws {
    books.freeze()
    _ = try books.flush()
  }

  func mergeAll() throws {
    while try books.merge() {}
  }

  /// Everything booked to a transaction, in words that compare.
  func booked(to id: String) throws -> [String] {
    try books.ask(view) { try Self.booked(to: id, $0) }
  }

  static func booked(to id: String, _ snapshot: BooksSnapshot) throws -> [String] {
    let lines = try snapshot.usage(of: ByteString(id)).map { line in
      let model = line.attributes.map(\.value.string).joined()
      return "\(model) \(line.epoch) \(line.own?.string ?? "") \(line.quantity) \(line.amount) "
        + "\(line.count) \(line.firstTime) \(line.lastTime)"
    }
    return lines.sorted() + [try snapshot.trail(of: ByteString(id)).map(\.raw).description]
  }

  func count(_ query: String) throws -> Int64 {
    try Connection(path: ledgerPath, readOnly: true).prepare(query).onlyInteger()
  }
}

/// Random events over a few transactions, some taken back later.
struct RandomEvents {
  private var seed: Seed
  private var sent = 0
  private var voidable: [Int] = []

  init(_ seed: UInt64) { self.seed = Seed(seed) }

  static let transactions = (1...6).map { "T\($0)" }

  mutating func batch() -> [String] {
    (0..<seed.pick([1, 1, 2, 5, 17])).map { _ in next() }
  }

  private mutating func next() -> String {
    sent += 1
    if !voidable.isEmpty && seed.chance(15) {
      let target = voidable.remove(at: seed.below(voidable.count))
      return #"{"id":"v\#(sent)","voids":{"id":"e\#(target)"}}"#
    }
    voidable.append(sent)
    let time = Instant(
      microseconds: RunStore.now.microseconds
        - Int64(seed.below(30 * 86_400)) * 1_000_000 - seed.pick([0, 1, 1000, 123_456]))
    let meter = seed.chance(10) ? "disk" : "tokens"
    let quantity = seed.pick(["1", "0.000000001", "123456789012345678", "\(seed.below(1000)).5"])
    let cost =
      seed.chance(20) ? #","cost":{"amount":"0.00\#(seed.below(99))","currency":"EUR"}"# : ""
    let model = seed.pick(["a", "b", "c"])
    return
      #"{"id":"e\#(sent)","time":"\#(time)","transactionId":"\#(seed.pick(Self.transactions))","#
      + #""meter":"\#(meter)","quantity":"\#(quantity)""#
      + (meter == "tokens" ? #","attributes":{"model":"\#(model)"}\#(cost)}"# : "}")
  }
}
