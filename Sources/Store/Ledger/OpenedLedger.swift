import Metering

/// A ledger with what the journal has beyond it: flushed as far as it fills tables, the rest in
/// one.
struct OpenedLedger {
  let ledger: Ledger
  private(set) var runs: LiveRuns
  /// Totals at the end of the journal, or where replaying it ended.
  private(set) var totals: Totals
  /// What the ledger doesn't cover.
  private(set) var table: Memtable
  /// Last entry that the ledger covers.
  private(set) var applied: UInt64
  private let hashKey: HashKey
  private let events: Int

  /// Totals that were flushed while the journal was replayed stand under no configuration: none has
  /// this hash, so that they are made anew under the one that comes.
  private static let noConfiguration = Hash128(high: 0, low: 0)

  /// Replays the journal behind `ledger` up to an entry, in tables of `events`. Throws a
  /// ``StoreFault`` where they don't fit together.
  init(
    _ ledger: Ledger, _ journal: Journal, events: Int, through last: UInt64 = .max,
    _ progress: (UInt64) -> Void = { _ in }
  ) throws {
    self.ledger = ledger
    self.events = events
    hashKey = journal.identity.hashKey
    runs = try ledger.runs()
    totals = try ledger.totals()
    let known = try ledger.applied()
    applied = known.sequence
    table = Memtable(after: known.sequence, capacity: events, System.preferLargePages)
    guard known.sequence <= journal.sequence else {
      throw StoreFault.damaged(
        "ledger.db covers entry \(known.sequence), but the journal ends at \(journal.sequence)")
    }
    guard journal.firstSequence <= known.sequence + 1 else {
      throw StoreFault.damaged(
        "ledger.db covers entry \(known.sequence), but the journal begins at "
          + "\(journal.firstSequence)")
    }
    guard try known.sequence == 0 || journal.chain(at: known.sequence) == known.chain else {
      throw StoreFault.damaged(
        "ledger.db and the journal tell different stories of entry \(known.sequence)")
    }
    try replay(journal, through: last, progress)
  }

  private mutating func replay(
    _ journal: Journal, through last: UInt64, _ progress: (UInt64) -> Void
  ) throws {
    var applier = Applier(table: table, hashKey: hashKey)
    var check = FrameCheck(after: totals)
    struct Enough: Error {}
    do {
      try journal.scan(after: applied) { frame in
        guard frame.sequence <= last else { throw Enough() }
        try frame.check(by: &check)
        frame.withDurable { applier.apply($0, totals: &totals) }
        // Facts refer to others of their commit, so that a table ends with one.
        guard frame.isLastOfCommit, table.isFull(events: events) else { return }
        try flush()
        progress(frame.sequence)
        applier = Applier(table: table, hashKey: hashKey)
      }
    } catch is Enough {}
  }

  /// Writes the table to the ledger, and merges what is due.
  mutating func flush() throws {
    guard !table.isEmpty else { return }
    let hash = try ledger.configurationHash() ?? Self.noConfiguration
    for run in try ledger.flush(table, totals: totals, under: hash) { runs.append(run) }
    applied = table.lastSequence
    table = Memtable(after: applied, capacity: events, System.preferLargePages)
    try ledger.checkpoint()
    while let chosen = runs.mergeable {
      let merge = try ledger.beginMerge(chosen)
      while try ledger.copySlice(merge) {}
      runs.replace(chosen, with: try ledger.finish(merge))
      while try ledger.removeDeadSlice() {}
      try ledger.checkpoint()
    }
  }
}
