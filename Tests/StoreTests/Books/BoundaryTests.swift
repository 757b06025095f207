import Foundation
import Metering
import Store
import Testing

/// A book in a folder of its own, written by one thread and asked by another.
private final class SharedBooks: @unchecked Sendable {
  // Unchecked: `books` may be shared, and each test has one thread that commits.
  let directory = NSTemporaryDirectory() + "outlay-boundary-\(UUID().uuidString)"
  let books: Books
  static let now = Instant(microseconds: 1_796_000_000_000_000)

  init() throws {
    try LinuxDisk.makeRoot(directory)
    let defaults = ConfigurationDefaults(socketPath: "/unused", storeDirectory: "/unused")
    let configuration = try Configuration.load(
      Array("{ meters: { m: { unit: '1' } } }".utf8), defaults: defaults,
      timeZoneExists: { _ in true }
    ).get()
    books = try Books(
      directory: directory, disk: LinuxDisk(root: directory), configuration: configuration,
      options: Books.Options(memtableEvents: 64),
      newIdentity: { StoreIdentity(id: Array(repeating: 7, count: 16), key: Array(0..<16)) })
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  /// Books the same to both transactions, in one entry.
  func commit(_ number: Int) throws {
    let batch = IngestBatch()
    var decoder = EventDecoder(key: books.hashKey)
    for id in ["a", "b"] {
      let line = #"{"id":"\#(id)\#(number)","transactionId":"\#(id)","meter":"m","quantity":1}"#
      Array(line.utf8).withUnsafeBytes { decoder.decodeLine($0, into: batch) }
    }
    _ = try books.commit(
      batch, steps: [.events(2)], at: CommitTime(now: Self.now, elapsed: 0))
  }
}

@Suite struct BoundaryTests {
  /// Both transactions always have used the same, however often a question looks.
  @Test func aQuestionStandsBetweenTwoEntries() throws {
    let shared = try SharedBooks()
    let view = try shared.books.makeView()
    let writer = Thread {
      for number in 0..<400 {
        do { try shared.commit(number) } catch { Issue.record(error) }
        if number % 100 == 99 { _ = try? shared.books.flush() }
      }
    }
    writer.start()
    var torn = 0
    var last: Int128 = -1
    while last < 400_000_000_000 {
      let (first, second) = try shared.books.ask(view) { layers in
        (
          try layers.usage(of: "a").first?.quantity ?? 0,
          try layers.usage(of: "b").first?.quantity ?? 0
        )
      }
      if first != second { torn += 1 }
      #expect(first >= last)
      last = first
    }
    #expect(torn == 0)
  }
}
