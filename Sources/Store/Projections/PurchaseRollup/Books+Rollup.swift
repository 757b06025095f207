package import Metering

/// What is left after a slice of the rollup.
package enum RollupStep: Sendable {
  /// Everything is rolled up.
  case idle
  /// There is more to do.
  case more
  /// There is more to do once the ledger covers all that the journal has now.
  case needsFlush
}

/// What the background keeps of the rollup between two slices.
struct PurchaseRollup {
  /// Opened when it is first needed.
  var view: LedgerView?
  var totals: RollupTotals
  var report = RollupReport()
  /// The entry up to which the saved state says that all is rolled up.
  var savedThrough: UInt64
  /// Slices saved since the log was last copied into the ledger's file.
  var unchecked = 0
  /// Which kind of work comes first, in turn, so that none waits for ever.
  var turn = 0

  /// Begins with the sums that are saved. Throws a ``LedgerError``.
  init(_ ledger: Ledger, savedThrough: UInt64) throws {
    totals = RollupTotals(try ledger.rollupSums())
    self.savedThrough = savedThrough
    report.update(totals, totals.sums.keys)
    report.respondBy = try ledger.rolledUpRespondBy()
  }
}

extension Books {
  /// The exact sums behind the report, as last rolled up. Background only.
  package var rollupSums: [RollupKey: Fraction] { rollup.totals.sums }

  /// Makes the figures of what changed, or of what time changed, anew, for as long as `isOver` says
  /// no, and saves them in one transaction. Background only. Throws when reading or writing fails;
  /// what was at hand is then found by a sweep.
  package func rollUp(at now: Instant, isOver: @escaping () -> Bool) throws -> RollupStep {
    let turn = backgroundWork.enter()
    defer { backgroundWork.leave(turn) }
    lock.withLock { queue.begin(at: now, of: liveTables) }
    for _ in 0..<StoreLimits.rollupLooksAtOnce {
      let isEnough = lock.withLock {
        queue.collect(from: liveTables) || queue.waiting.count >= StoreLimits.rollupRows
      }
      if isEnough || isOver() { break }
    }
    let plan = lock.withLock { () -> RollupPlan in
      let isAll = queue.collect(from: liveTables)
      return RollupPlan(
        changes: queue.take(atMost: StoreLimits.rollupRows), sweep: queue.sweep,
        isCollected: isAll, configuration: liveConfiguration, hash: configurationHash)
    }
    do {
      return try rollUp(plan, at: now, isOver: isOver)
    } catch {
      lock.withLock { queue.overflow(liveTables) }
      note(error)
      throw error
    }
  }

  private func rollUp(
    _ plan: RollupPlan, at now: Instant, isOver: @escaping () -> Bool
  ) throws -> RollupStep {
    let view = try rollup.view ?? makeView()
    rollup.view = view
    rollup.turn += 1
    var outcome = RollupOutcome(left: plan.changes[...], sweep: plan.sweep)
    // What changes meanwhile is rolled up again, so that purchases may be at different boundaries.
    let round = try askLoosely(view) { snapshot in
      var round = RollupRound(
        snapshot, configuration: plan.configuration, now: now, isOver: isOver)
      let canSweep = try plan.sweep.map { try view.applied() >= $0.after } ?? false
      for place in 0..<3 where place == 0 || !isOver() {
        switch (rollup.turn + place) % 3 {
        case 0: outcome.left = try round.rollUp(plan.changes)
        case 1: outcome.isDueDone = try round.rollUpDue()
        default:
          guard canSweep, let sweep = plan.sweep else { continue }
          outcome.sweep = try round.go(on: sweep)
        }
      }
      outcome.waitsForFlush = plan.sweep != nil && !canSweep
      return round
    }
    let state = lock.withLock { () -> RollupState in
      queue.add(round.found, of: liveTables)
      queue.add(outcome.left, of: liveTables)
      if let sweep = plan.sweep { queue.advance(from: sweep, to: outcome.sweep) }
      queue.settle()
      outcome.isEmpty = queue.waiting.isEmpty
      return RollupState(
        settled: queue.settled, configuration: plan.hash, sweep: queue.sweep, asOf: queue.asOf)
    }
    try save(round.figures, state, hasSwept: plan.sweep != outcome.sweep)
    if plan.isCollected, outcome.isEmpty, outcome.isDueDone {
      if state.sweep == nil { return .idle }
      if outcome.waitsForFlush { return .needsFlush }
    }
    return .more
  }

  /// Saves how far the rollup is, which otherwise waits until figures change: for an orderly stop.
  func saveRollup() throws {
    let state = lock.withLock {
      RollupState(
        settled: queue.settled, configuration: configurationHash, sweep: queue.sweep,
        asOf: queue.asOf)
    }
    guard state.settled > rollup.savedThrough else { return }
    try flushing.withLock { try ledger.save([], rollup.totals, state) }
    rollup.savedThrough = state.settled
  }

  private func save(
    _ figures: [ReplacedFigures], _ state: RollupState, hasSwept: Bool
  ) throws {
    let unsaved = state.settled - min(state.settled, rollup.savedThrough)
    guard !figures.isEmpty || hasSwept || unsaved >= StoreLimits.rollupUnsavedEntries else {
      return
    }
    var totals = rollup.totals
    for one in figures { totals.replace(one.old, with: one.new) }
    let isLong = rollup.unchecked >= StoreLimits.rollupCheckpointSlices
    let respondBy = try flushing.withLock {
      try ledger.save(figures, totals, state)
      if isLong { try ledger.checkpoint() }
      return try ledger.rolledUpRespondBy()
    }
    rollup.unchecked = isLong ? 0 : rollup.unchecked + 1
    rollup.savedThrough = state.settled
    rollup.report.update(totals, totals.changed)
    rollup.report.respondBy = respondBy
    totals.settle()
    rollup.totals = totals
    lock.withLock { rolledUp = rollup.report }
  }
}

/// What a slice has to do.
private struct RollupPlan {
  var changes: [Change]
  var sweep: RollupSweep?
  var isCollected: Bool
  var configuration: Configuration
  var hash: Hash128
}

/// What a slice left.
private struct RollupOutcome {
  var left: ArraySlice<Change>
  var sweep: RollupSweep?
  var isDueDone = false
  var waitsForFlush = false
  var isEmpty = false
}

extension Books {
  /// Where the rollup goes on that a former process left: with what changed since, as far as the
  /// journal tells it, else with a sweep. Throws what reading the journal throws.
  static func resumedRollup(
    _ state: RollupState?, applied: UInt64, journal: Journal, configuration: Hash128, limit: Int
  ) throws -> RollupQueue {
    let afresh = RollupQueue(after: applied, limit: limit)
    guard let state, state.configuration == configuration, state.settled <= journal.sequence else {
      return afresh
    }
    var queue = RollupQueue(state, limit: limit)
    guard state.settled < applied else { return queue }
    guard state.sweep == nil, applied - state.settled <= StoreLimits.rollupScannedEntries,
      journal.firstSequence <= state.settled + 1
    else { return afresh }
    let table = try Self.table(of: journal, after: state.settled, through: applied)
    queue.absorb(RollupQueue.rest(of: table, since: ChangeCursor(), limit: limit), of: [])
    // Too much changed: the ledger has it all.
    return queue.sweep == nil ? queue : afresh
  }

  /// What entries say, as a table.
  static func table(
    of journal: Journal, after settled: UInt64, through applied: UInt64
  ) throws -> Memtable {
    struct Enough: Error {}
    let table = Memtable(after: settled, capacity: 0)
    var applier = Applier(table: table, hashKey: journal.identity.hashKey)
    var totals = Totals()
    var check = FrameCheck(after: nil)
    do {
      try journal.scan(after: settled) { frame in
        guard frame.sequence <= applied else { throw Enough() }
        try frame.check(by: &check)
        frame.withDurable { applier.apply($0, totals: &totals) }
      }
    } catch is Enough {}
    return table
  }
}
