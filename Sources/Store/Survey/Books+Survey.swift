package import Metering

/// What is left after a slice of the survey.
package enum SurveyStep: Sendable {
  /// Everything is surveyed.
  case idle
  /// There is more to do.
  case more
  /// There is more to do once the ledger covers all that the journal has now.
  case needsFlush
}

/// What the background keeps of the survey between two slices.
struct Surveyor {
  /// Opened when it is first needed.
  var view: LedgerView?
  var totals: SurveyTotals
  var report = SurveyReport()
  /// The entry up to which the saved state says that all is surveyed.
  var savedThrough: UInt64
  /// Slices saved since the log was last copied into the ledger's file.
  var unchecked = 0
  /// Which kind of work comes first, in turn, so that none waits for ever.
  var turn = 0

  /// Begins with the sums that are saved. Throws a ``LedgerError``.
  init(_ ledger: Ledger, savedThrough: UInt64) throws {
    totals = SurveyTotals(try ledger.surveySums())
    self.savedThrough = savedThrough
    report.update(totals, totals.sums.keys)
    report.respondBy = try ledger.surveyedRespondBy()
  }
}

extension Books {
  /// The exact sums behind the report, as last surveyed. Background only.
  package var surveySums: [SurveyKey: Fraction] { surveyor.totals.sums }

  /// Makes the figures of what changed, or of what time changed, anew, for as long as `isOver` says
  /// no, and saves them in one transaction. Background only. Throws when reading or writing fails;
  /// what was at hand is then found by a sweep.
  package func survey(at now: Instant, isOver: @escaping () -> Bool) throws -> SurveyStep {
    lock.withLock { queue.begin(at: now, of: liveTables) }
    for _ in 0..<StoreLimits.surveyLooksAtOnce {
      let isEnough = lock.withLock {
        queue.collect(from: liveTables) || queue.waiting.count >= StoreLimits.surveyRows
      }
      if isEnough || isOver() { break }
    }
    let plan = lock.withLock { () -> SurveyPlan in
      let isAll = queue.collect(from: liveTables)
      return SurveyPlan(
        touches: queue.take(atMost: StoreLimits.surveyRows), sweep: queue.sweep,
        isCollected: isAll, configuration: liveConfiguration, hash: configurationHash)
    }
    do {
      return try survey(plan, at: now, isOver: isOver)
    } catch {
      lock.withLock { queue.overflow(liveTables) }
      note(error)
      throw error
    }
  }

  private func survey(
    _ plan: SurveyPlan, at now: Instant, isOver: @escaping () -> Bool
  ) throws -> SurveyStep {
    let view = try surveyor.view ?? makeView()
    surveyor.view = view
    surveyor.turn += 1
    var outcome = SurveyOutcome(left: plan.touches[...], sweep: plan.sweep)
    // What changes meanwhile is surveyed again, so that purchases may be at different boundaries.
    let round = try askLoosely(view) { layers in
      var round = SurveyRound(
        layers, configuration: plan.configuration, now: now, isOver: isOver)
      let canSweep = try plan.sweep.map { try view.applied() >= $0.after } ?? false
      for place in 0..<3 where place == 0 || !isOver() {
        switch (surveyor.turn + place) % 3 {
        case 0: outcome.left = try round.survey(plan.touches)
        case 1: outcome.isDueDone = try round.surveyDue()
        default:
          guard canSweep, let sweep = plan.sweep else { continue }
          outcome.sweep = try round.go(on: sweep)
        }
      }
      outcome.waitsForFlush = plan.sweep != nil && !canSweep
      return round
    }
    let state = lock.withLock { () -> SurveyState in
      queue.add(round.found, of: liveTables)
      queue.add(outcome.left, of: liveTables)
      if let sweep = plan.sweep { queue.advance(from: sweep, to: outcome.sweep) }
      queue.settle()
      outcome.isEmpty = queue.waiting.isEmpty
      return SurveyState(
        settled: queue.settled, configuration: plan.hash, sweep: queue.sweep, asOf: queue.asOf)
    }
    try save(round.figures, state, hasSwept: plan.sweep != outcome.sweep)
    if plan.isCollected, outcome.isEmpty, outcome.isDueDone {
      if state.sweep == nil { return .idle }
      if outcome.waitsForFlush { return .needsFlush }
    }
    return .more
  }

  private func save(
    _ figures: [SurveyedFigures], _ state: SurveyState, hasSwept: Bool
  ) throws {
    let unsaved = state.settled - min(state.settled, surveyor.savedThrough)
    guard !figures.isEmpty || hasSwept || unsaved >= StoreLimits.surveyUnsavedEntries else {
      return
    }
    var totals = surveyor.totals
    for one in figures { totals.replace(one.old, with: one.new) }
    let isLong = surveyor.unchecked >= StoreLimits.surveyCheckpointSlices
    let respondBy = try flushing.withLock {
      try ledger.save(figures, totals, state)
      if isLong { try ledger.checkpoint() }
      return try ledger.surveyedRespondBy()
    }
    surveyor.unchecked = isLong ? 0 : surveyor.unchecked + 1
    surveyor.savedThrough = state.settled
    surveyor.report.update(totals, totals.changed)
    surveyor.report.respondBy = respondBy
    totals.settle()
    surveyor.totals = totals
    lock.withLock { surveyed = surveyor.report }
  }
}

/// What a slice has to do.
private struct SurveyPlan {
  var touches: [Touch]
  var sweep: SurveySweep?
  var isCollected: Bool
  var configuration: Configuration
  var hash: Hash128
}

/// What a slice left.
private struct SurveyOutcome {
  var left: ArraySlice<Touch>
  var sweep: SurveySweep?
  var isDueDone = false
  var waitsForFlush = false
  var isEmpty = false
}

extension Books {
  /// Where the survey goes on that a former process left: with what changed since, as far as the
  /// journal tells it, else with a sweep. Throws what reading the journal throws.
  static func resumedSurvey(
    _ state: SurveyState?, applied: UInt64, journal: Journal, configuration: Hash128, limit: Int
  ) throws -> SurveyQueue {
    let afresh = SurveyQueue(after: applied, limit: limit)
    guard let state, state.configuration == configuration, state.settled <= journal.sequence else {
      return afresh
    }
    var queue = SurveyQueue(state, limit: limit)
    guard state.settled < applied else { return queue }
    guard state.sweep == nil, applied - state.settled <= StoreLimits.surveyScannedEntries,
      journal.firstSequence <= state.settled + 1
    else { return afresh }
    let table = try Self.table(of: journal, after: state.settled, through: applied)
    queue.absorb(SurveyQueue.rest(of: table, since: TouchCursor(), limit: limit), of: [])
    // Too much changed: the ledger has it all.
    return queue.sweep == nil ? queue : afresh
  }

  /// What entries say, as a table.
  private static func table(
    of journal: Journal, after settled: UInt64, through applied: UInt64
  ) throws -> Memtable {
    struct Enough: Error {}
    let table = Memtable(after: settled, capacity: 0)
    var applier = Applier(table: table, hashKey: journal.identity.hashKey)
    var totals = Totals()
    do {
      try journal.scan(after: settled) { frame in
        guard frame.sequence <= applied else { throw Enough() }
        frame.withDurable { applier.apply($0, totals: &totals) }
      }
    } catch is Enough {}
    return table
  }
}
