import Metering
import Testing

@testable import Store

@Suite("Usage in runs") struct UsageRunTests {
  /// The same events, flushed and merged in every way, answer as if they had stayed in memory.
  @Test(arguments: [1, 2, 7, 64]) func answersAreThoseOfMemory(memtableEvents: Int) throws {
    var seed = Seed(Chance.seed &+ UInt64(memtableEvents))
    var events = RandomEvents(seed.next())
    let flushed = try RunStore(memtableEvents: memtableEvents)
    let kept = try RunStore(memtableEvents: 4096)
    for step in 0..<60 {
      let batch = events.batch()
      #expect(try flushed.send(batch) == kept.send(batch))
      if seed.chance(40) { try flushed.flush() }
      if seed.chance(20) { try flushed.mergeAll() }
      if seed.chance(5) { try flushed.reopen() }
      let asked = seed.pick(RandomEvents.transactions)
      #expect(try flushed.booked(to: asked) == kept.booked(to: asked), "step \(step)")
    }
    #expect(try kept.count("SELECT count(*) FROM run") == 0)
    try flushed.flush()
    try flushed.mergeAll()
    for id in RandomEvents.transactions {
      #expect(try flushed.booked(to: id) == kept.booked(to: id))
    }
  }

  /// A trail leads to the facts that make the sums.
  @Test func sumsOfTheTrailAreTheSums() throws {
    let store = try RunStore(memtableEvents: 16)
    var events = RandomEvents(Chance.seed)
    for _ in 0..<40 { _ = try store.send(events.batch()) }
    try store.flush()
    try store.mergeAll()
    for id in RandomEvents.transactions.map({ ByteString($0) }) {
      let (usage, readings, trail) = try store.books.ask(store.view) {
        (try $0.usage(of: id), try $0.readings(bookedTo: id), try $0.trail(of: id))
      }
      #expect(!usage.isEmpty)
      for line in usage {
        let same = readings.map(\.line).filter {
          $0.meter == line.meter && $0.epoch == line.epoch && $0.own == line.own
            && $0.attributes.elementsEqual(line.attributes, by: ==)
        }
        #expect(same.reduce(0) { $0 + $1.quantity } == line.quantity)
        #expect(same.reduce(0) { $0 + $1.amount } == line.amount)
        #expect(same.reduce(0) { $0 + $1.count } == line.count)
        #expect(same.map(\.firstTime).min() == line.firstTime)
        #expect(same.map(\.lastTime).max() == line.lastTime)
      }
      #expect(trail.map(\.raw) == trail.map(\.raw).sorted() && Set(trail).count == trail.count)
    }
  }

  /// Where a merge may be cut short.
  enum Cut: CaseIterable { case begun, copied, finished, halfRemoved }

  @Test(arguments: Cut.allCases) func aCutMergeChangesNothing(_ cut: Cut) throws {
    let store = try RunStore(memtableEvents: 4096)
    let before = try Self.fill(store)
    let ledger = try Ledger(path: store.ledgerPath, storeID: RunStore.storeID)
    while let chosen = try ledger.runs().mergeable {
      let merge = try ledger.beginMerge(chosen)
      guard cut != .begun else { break }
      while try ledger.copySlice(merge) {}
      guard cut != .copied else { break }
      _ = try ledger.finish(merge)
      if cut == .halfRemoved { _ = try ledger.removeDeadSlice() }
    }
    #expect(try store.count("SELECT count(*) FROM run WHERE live = 0") > 0)
    #expect(try Self.answers(store) == before)
    try store.reopen()
    #expect(try Self.answers(store) == before)
    #expect(try store.count("SELECT count(*) FROM run WHERE live = 0") == 0)
    let orphans = "SELECT count(*) FROM block WHERE id >> 32 NOT IN (SELECT id FROM run)"
    #expect(try store.count(orphans) == 0)
    try store.mergeAll()
    #expect(try Self.answers(store) == before)
  }

  @Test func aFailedMergeIsDoneAgain() throws {
    let store = try RunStore(memtableEvents: 4096)
    let before = try Self.fill(store)
    // The file may not grow: as if the disk were full.
    try store.books.ledger.connection.execute("PRAGMA max_page_count = 1")
    #expect(throws: LedgerError.self) { try store.mergeAll() }
    #expect(try Self.answers(store) == before)
    try store.books.ledger.connection.execute("PRAGMA max_page_count = 1000000")
    try store.mergeAll()
    #expect(try Self.answers(store) == before)
    #expect(try store.count("SELECT count(*) FROM run WHERE live = 0") == 0)
    #expect(store.books.runCount == 2)
  }

  /// Four runs of each kind, with blocks enough that a merge needs pages.
  private static func fill(_ store: RunStore) throws -> [[String]] {
    var events = RandomEvents(Chance.seed)
    for _ in 0..<StoreLimits.runFanOut {
      for _ in 0..<30 { _ = try store.send(events.batch()) }
      try store.flush()
    }
    return try answers(store)
  }

  private static func answers(_ store: RunStore) throws -> [[String]] {
    try RandomEvents.transactions.map { try store.booked(to: $0) }
  }

  @Test func runsStayFew() throws {
    let store = try RunStore(memtableEvents: 4096)
    for flush in 1...80 {
      _ = try store.send([Self.event(flush, transaction: "T\(flush % 3)")])
      try store.flush()
      try store.mergeAll()
      // 80 flushes make levels 0 to 3, each with fewer runs of a kind than are merged.
      #expect(store.books.runCount <= 2 * 4 * (StoreLimits.runFanOut - 1))
    }
    #expect(try store.send([Self.event(1, transaction: "T1")]) == [.duplicate])
  }

  private static func event(_ number: Int, transaction: String) -> String {
    #"{"id":"e\#(number)","time":"2026-11-20T00:00:00Z","transactionId":"\#(transaction)","#
      + #""meter":"tokens","quantity":1}"#
  }

  /// A purchase whose trail is larger than a block, among others.
  @Test func aLargePurchaseHasALargeBlock() throws {
    let store = try RunStore(memtableEvents: 4096)
    var number = 0
    for _ in 0..<StoreLimits.runFanOut {
      var lines: [String] = []
      for place in 0..<1_375 {
        number += 1
        let isOther = place % 11 == 0
        lines.append(Self.event(number, transaction: isOther ? "other\(place)" : "large"))
      }
      #expect(try store.send(lines).allSatisfy { $0 == .accepted })
      try store.flush()
    }
    try store.mergeAll()
    #expect(try store.count("SELECT max(length(body)) FROM block") > StoreLimits.blockBytes)
    let (usage, trail) = try store.books.ask(store.view) {
      (try $0.usage(of: "large"), try $0.trail(of: "large"))
    }
    #expect(usage.map(\.quantity) == [5_000 * Quantity.scale])
    #expect(trail.count == 5_000 && Set(trail).count == 5_000)
    #expect(trail.map(\.raw) == trail.map(\.raw).sorted())
    for place in stride(from: 0, to: 1_375, by: 11) {
      let other = ByteString("other\(place)")
      let found = try store.books.ask(store.view) {
        (try $0.usage(of: other).map(\.count), try $0.trail(of: other).count)
      }
      #expect(found == ([4], 4))
    }
  }

  /// An answer stands at one boundary, whatever is flushed and merged while it is made.
  @Test func aSnapshotHasItsOwnRuns() throws {
    let store = try RunStore(memtableEvents: 4096)
    var events = RandomEvents(Chance.seed)
    for _ in 0..<3 {
      for _ in 0..<20 { _ = try store.send(events.batch()) }
      try store.flush()
    }
    for _ in 0..<20 { _ = try store.send(events.batch()) }
    let before = try Self.answers(store)
    try store.books.ask(store.view) { snapshot in
      func look() throws -> [[String]] {
        try RandomEvents.transactions.map { try RunStore.booked(to: $0, snapshot) }
      }
      #expect(try look() == before)
      try store.flush()
      #expect(try look() == before)
      try store.mergeAll()
      #expect(try look() == before)
    }
    #expect(store.books.runCount == 2)
    #expect(try Self.answers(store) == before)
  }

  /// A batch keeps the runs that it began with until it ends.
  @Test func replacedRunsWaitForTheBatch() {
    var batches = BatchCount()
    #expect(batches.isRetired)
    batches.begin()
    batches.retire()
    #expect(!batches.isRetired)
    batches.end()
    #expect(batches.isRetired)
    batches.begin()
    #expect(batches.isRetired)
  }
}
