import Metering

/// Whether the writer may still look into runs that a merge has replaced: a batch keeps the runs
/// that it began with.
struct BatchCount {
  private var begun = 0
  private var isDeciding = false
  private var begunAtRetirement = -1

  mutating func begin() {
    begun += 1
    isDeciding = true
  }

  mutating func end() { isDeciding = false }

  /// From now on batches begin without the replaced runs.
  mutating func retire() { begunAtRetirement = begun }

  /// Whether no batch has the replaced runs any more.
  var isRetired: Bool { !isDeciding || begun > begunAtRetirement }
}

extension Books {
  /// Writes the frozen table to the ledger. Background, or the writer while it waits; true when
  /// there was one.
  package func flush() throws -> Bool {
    try noting {
      try flushing.withLock {
        guard try writeFrozen() else { return false }
        // The writer may freeze the next table meanwhile.
        try ledger.checkpoint()
        return true
      }
    }
  }

  private func noting<Value>(_ work: () throws -> Value) throws -> Value {
    do {
      return try work()
    } catch {
      note(error)
      throw error
    }
  }

  private func writeFrozen() throws -> Bool {
    guard let (table, totals, configuration) = lock.withLock({ frozen }) else { return false }
    let fresh = try ledger.flush(table, totals: totals, under: configuration)
    let seen = lock.withLock { queue.cursor(of: table) }
    let unseen = RollupQueue.rest(of: table, since: seen, limit: options.rollupWaiting)
    lock.withLock {
      for run in fresh { runs.append(run) }
      // What the rollup hasn't seen of the table is nowhere else.
      queue.absorb(unseen, of: liveTables)
      frozen = nil
    }
    return true
  }

  /// Merges runs while a level has too many, and flushes between the slices what the writer froze
  /// meanwhile. Background; true when it merged.
  package func merge() throws -> Bool { try noting { try mergeNext() } }

  private func mergeNext() throws -> Bool {
    try removeDeadRuns()
    guard let chosen = lock.withLock({ runs.mergeable }) else { return false }
    let merge = try flushing.withLock { try ledger.beginMerge(chosen) }
    var slices = 0
    while try flushing.withLock({ try ledger.copySlice(merge) }) {
      slices += 1
      if try !flush() && slices % StoreLimits.mergeCheckpointSlices == 0 {
        try flushing.withLock { try ledger.checkpoint() }
      }
      // A merge may take as long as several segments.
      try prepareSpare()
    }
    try flushing.withLock {
      let merged = try ledger.finish(merge)
      lock.withLock {
        runs.replace(chosen, with: merged)
        batches.retire()
      }
      try ledger.checkpoint()
    }
    try removeDeadRuns()
    return true
  }

  /// Removes merged runs, unless the writer is in a batch that may look into them: then the next
  /// merge does.
  private func removeDeadRuns() throws {
    guard lock.withLock({ batches.isRetired }) else { return }
    var hasRemoved = false
    while try flushing.withLock({ try ledger.removeDeadSlice() }) {
      hasRemoved = true
      _ = try flush()
    }
    if hasRemoved { try flushing.withLock { try ledger.checkpoint() } }
  }

  /// Number of live runs.
  package var runCount: Int { lock.withLock { runs.count } }
}
