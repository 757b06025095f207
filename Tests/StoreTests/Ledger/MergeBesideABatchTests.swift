import Metering
import Testing

@testable import Store

/// A batch keeps the runs that it began with, whatever is merged meanwhile.
@Suite struct MergeBesideABatchTests {
  private static let configuration = #"{ meters: { credits: { unit: "{credit}" } } }"#

  private static func deadBlocks(_ books: Books) throws -> Int64 {
    try books.ledger.connection.prepare(
      "SELECT count(*) FROM block JOIN run ON run.id = block.id >> 32 WHERE live = 0"
    ).onlyInteger()
  }

  @Test func blocksStayUntilItEnds() throws {
    let scratch = try ScratchBooks()
    let books = try scratch.open(Self.configuration)
    for number in 0..<StoreLimits.runFanOut {
      let line = #"{"id":"\#(number)","transactionId":"t","meter":"credits","quantity":1}"#
      #expect(try ScratchBooks.send(line, to: books).count == 1)
      books.freeze()
      _ = try books.flush()
    }
    let old = books.runs.keys
    books.lock.withLock { books.batches.begin() }
    while try books.merge() {}
    #expect(books.runs.keys.count == 1)
    #expect(try Self.deadBlocks(books) > 0)
    let view = try books.makeView()
    for run in old { #expect(try view.forEachKey(of: run) == 1) }
    books.lock.withLock { books.batches.end() }
    _ = try books.merge()
    #expect(try Self.deadBlocks(books) == 0)
  }

  @Test func theNextBatchDoesWithoutThem() {
    var batches = BatchCount()
    #expect(batches.isRetired)
    batches.begin()
    batches.retire()
    #expect(!batches.isRetired)
    batches.end()
    #expect(batches.isRetired)
    batches.begin()
    // It began behind the merge.
    #expect(batches.isRetired)
  }
}

extension LedgerView {
  /// Counts a run's keys.
  fileprivate func forEachKey(of run: Run) throws -> Int {
    let blocks = try RunBlocks(connection, run)
    var count = 0
    while try blocks.advance() {
      var reader = KeyBlock.Reader(blocks.bytes, id: blocks.id)
      while reader.next() != nil { count += 1 }
    }
    return count
  }
}
