package import Metering

/// The store as a whole: journal, memtables and ledger.
///
/// Three kinds of threads share it: the *writer* (``commit(_:steps:at:)``, ``reload(_:)``), one
/// *background* thread (``flush()``, ``merge()``) and *readers* (``reader()``). What they share is
/// guarded by one lock, taken once a batch, never once an event.
package final class Books: @unchecked Sendable {
  // Unchecked: see above for who may touch what; shared state is behind `lock`.

  /// Bounds that tests make small.
  package struct Options: Sendable {
    /// Events in a memtable.
    package var memtableEvents: Int
    /// Bytes of a journal segment.
    package var segmentBytes: Int
    /// Changes that wait for the rollup.
    package var rollupWaiting: Int
    /// Bytes of kept events.
    package var quarantineBytes: Int64
    /// Labels known by number at once.
    package var labels: Int
    /// Bytes of facts after which an entry ends: at most half of what a segment holds.
    var entryBytes: Int { min(Limits.entryBytes, segmentBytes / 2) }

    /// The usual bounds.
    package init(
      memtableEvents: Int = Limits.memtableEvents, segmentBytes: Int = StoreLimits.segmentBytes,
      rollupWaiting: Int = StoreLimits.rollupWaiting,
      quarantineBytes: Int64 = Limits.quarantineBytes, labels: Int = Limits.labels
    ) {
      self.memtableEvents = memtableEvents
      self.segmentBytes = segmentBytes
      self.rollupWaiting = rollupWaiting
      self.quarantineBytes = quarantineBytes
      self.labels = labels
    }
  }

  let journal: Journal
  /// Used by whoever holds `flushing`; replaced under both locks.
  private(set) var ledger: Ledger
  let ledgerPath: String
  let disk: any Disk
  let options: Options
  let lock = StoreLock()
  let writerWork = Ownership("writer")
  let backgroundWork = Ownership("background")
  /// The key of event and id hashes.
  package let hashKey: HashKey
  let decider: Decider
  let knowledge: WriterKnowledge
  /// The same as decisions are told it.
  private let known: any Knowledge
  private var active: Memtable
  var frozen: (table: Memtable, totals: Totals, configuration: Hash128)?
  var runs: LiveRuns
  var batches = BatchCount()
  /// Held by whoever writes to the ledger, for as short as a flush or a slice of a merge.
  let flushing = StoreLock()
  /// Which ledger counts: raised when it is made anew; guarded by `lock`.
  private(set) var generation = 0
  /// Damage of the ledger that waits for ``rebuildLedger()``; guarded by `lock`.
  var ledgerDamage: String?
  /// How often damage was found; guarded by `lock`.
  var damageCount: UInt64 = 0
  /// What the rollup has to do; guarded by `lock`.
  var queue: RollupQueue
  /// What the rollup tells; guarded by `lock`.
  var rolledUp: RollupReport
  /// The background's own.
  var rollup: PurchaseRollup
  private(set) var running: Totals
  private var currentConfiguration: Configuration
  private(set) var configurationHash: Hash128

  /// Opens or begins the store in `directory`, which `disk` stands for, and applies what the
  /// journal has and the ledger hasn't. Throws ``StoreFault`` or ``LedgerError`` and leaves the
  /// files as they were. `knowing` may stand between decisions and what they are told: simulations
  /// of a store that is told wrong must be found out.
  package init(
    directory: String, disk: any Disk, configuration: Configuration, options: Options = Options(),
    knowing: (any Knowledge) -> any Knowledge = { $0 },
    newIdentity: () throws -> StoreIdentity
  ) throws {
    let faults = StoreLimits.boundFaults
    precondition(faults.isEmpty, "bounds that don't fit each other: \(faults)")
    self.disk = disk
    self.options = options
    currentConfiguration = configuration
    journal = try Journal.open(
      disk: disk, newIdentity: newIdentity, segmentBytes: options.segmentBytes)
    hashKey = journal.identity.hashKey
    ledgerPath = directory + "/" + LedgerFile.name
    let opened = try OpenedLedger(
      try Ledger(path: ledgerPath, storeID: journal.identity.id), journal,
      events: options.memtableEvents)
    ledger = opened.ledger
    runs = opened.runs
    active = opened.table
    running = opened.totals
    let applied = opened.applied
    let totals = opened.totals
    // What the ledger has stands under its own configuration until the reload below.
    let wanted = Self.hash(of: configuration, hashKey)
    let named = try ledger.configurationHash()
    configurationHash = named ?? wanted
    queue = try Self.resumedRollup(
      ledger.rollupState(), applied: applied, journal: journal,
      configuration: wanted, limit: options.rollupWaiting)
    rollup = try PurchaseRollup(ledger, savedThrough: queue.settled)
    rolledUp = rollup.report
    knowledge = WriterKnowledge(
      view: try LedgerView(path: ledgerPath), journal: journal, hashKey: hashKey)
    known = knowing(knowledge)
    decider = Decider(
      configuration: configuration, hashKey: hashKey, totals: totals,
      quarantineLimit: options.quarantineBytes, entryBytes: options.entryBytes,
      labelLimit: options.labels, advice: System.preferLargePages)
    knowledge.set(
      tables: [active], runs: runs.keys, waitingReadings: totals.waitingReadings)
    if named != wanted { try reload(configuration) }
    decider.resume(try known.followUps())
    decider.resume(markedSources: try knowledge.markedSources())
  }

  static func hash(of configuration: Configuration, _ key: HashKey) -> Hash128 {
    key.hash128(ByteString(Array(configuration.print().utf8) + [Limits.figuresVersion]))
  }

  /// Decides a batch, makes it durable and applies it; the result may be told to the sender.
  ///
  /// A change that usage has to follow ends an entry, and what follows is done in entries of its
  /// own before the batch goes on; so does as much as an entry holds. Writer only. Throws where the
  /// batch is to be sent again: each of its events and commands is then counted or not at all.
  package func commit(
    _ batch: IngestBatch, steps: [BatchStep], at time: CommitTime
  ) throws -> CommitResult {
    let turn = writerWork.enter()
    defer { writerWork.leave(turn) }
    try checkClock(time.now)
    try finishFollowUps(at: time)
    var cursor = BatchCursor()
    var result = CommitResult()
    repeat {
      try entry(at: time) {
        result = try decider.decide(
          batch, steps: steps, from: &cursor, at: time, knowing: known)
      }
      try finishFollowUps(at: time)
    } while cursor.step < steps.count
    return result
  }

  /// Does what former changes left to do. Writer only.
  package func finishFollowUps(at time: CommitTime) throws {
    let turn = writerWork.enter()
    defer { writerWork.leave(turn) }
    while decider.hasFollowUps {
      try entry(at: time) { try decider.decideFollowUp(at: time, knowing: known) }
    }
  }

  /// One entry of the journal: what `decide` decides, durable and applied, or nothing of it.
  private func entry(at time: CommitTime, _ decide: () throws -> Void) throws {
    try mend()
    try makeRoom()
    try lock.withLock {
      try knowledge.renew(generation)
      batches.begin()
      knowledge.set(
        tables: liveTables, runs: runs.keys,
        waitingReadings: running.waitingReadings)
    }
    do {
      defer { lock.withLock { batches.end() } }
      decider.position = journal.sequence
      try decide()
      try append(at: time)
    } catch {
      decider.abandon(totals: running)
      note(error)
      throw error
    }
    decider.confirm()
  }

  /// After a failure makes the journal take entries again. Should this fail too, the disk still
  /// does, and the next entry tries again.
  private func mend() throws {
    if journal.isIndeterminate { try journal.reopen() }
  }

  /// Does what an entry begins with, as far as it can be done without one. Writer only. Throws the
  /// ``StoreFault`` that an entry would meet.
  package func checkWritable(at now: Instant) throws {
    try checkClock(now)
    try mend()
    try checkRoom()
  }

  /// A verdict under a clock that can't be right would be a lie.
  private func checkClock(_ now: Instant) throws {
    if let fault = decider.fault(ofClock: now) { throw StoreFault.clock(fault) }
  }

  private func checkRoom() throws {
    guard try disk.freeBytes() >= StoreLimits.freeFloorBytes else { throw StoreFault.full }
  }

  /// Lets the writer look at everything applied, outside of an entry.
  func showWriterWhatStands() throws {
    try lock.withLock {
      try knowledge.renew(generation)
      knowledge.set(
        tables: liveTables, runs: runs.keys, waitingReadings: running.waitingReadings)
    }
  }

  private func append(at time: CommitTime) throws {
    let frames = decider.frames
    guard !frames.isEmpty else { return }
    try checkRoom()
    var durable: [DurableFrame] = []
    try journal.append(
      frames, receivedAt: time.now.microseconds, floor: decider.floor
    ) { durable.append($0) }
    lock.withLock {
      var applier = Applier(table: active, hashKey: hashKey)
      for frame in durable { applier.apply(frame, totals: &running) }
    }
  }

  /// Freezes a full table. With both tables full the writer must wait for ``flush()``.
  private func makeRoom() throws {
    guard active.isFull(events: options.memtableEvents) else { return }
    if needsFlush { _ = try flush() }
    freeze()
  }

  /// Whether a frozen table waits for ``flush()``.
  package var needsFlush: Bool { lock.withLock { frozen != nil } }

  /// Makes the active table the frozen one, if there is anything in it and none is frozen.
  /// Writer only.
  package func freeze() {
    let turn = writerWork.enter()
    defer { writerWork.leave(turn) }
    lock.withLock {
      guard frozen == nil && !active.isEmpty else { return }
      frozen = (active, running, configurationHash)
      active = Memtable(
        after: active.lastSequence, capacity: options.memtableEvents, System.preferLargePages)
    }
  }

  /// Flushes everything: for an orderly stop. Writer only.
  package func close() throws {
    let turn = writerWork.enter()
    defer { writerWork.leave(turn) }
    _ = try flush()
    freeze()
    _ = try flush()
    try saveRollup()
    try journal.seal()
  }

  /// Puts another configuration in force, or throws and leaves all as it was. Writer only. Throws a
  /// ``ReloadRefusal`` when a unit, a kind or a price boundary doesn't fit usage that was booked
  /// already, and what the ledger throws.
  ///
  /// Everything is flushed first, under the old configuration. Then one transaction names the new
  /// one and its totals, so that the ledger's never stand under another than it names; what is in
  /// memory follows, which can't fail.
  package func reload(_ configuration: Configuration) throws {
    let turn = writerWork.enter()
    defer { writerWork.leave(turn) }
    try close()
    var totals = self.totals
    totals.replaceStanding(with: try standingTotals(under: configuration))
    let hash = Self.hash(of: configuration, hashKey)
    try flushing.withLock { try ledger.save(totals, under: hash) }
    lock.withLock {
      running = totals
      currentConfiguration = configuration
      configurationHash = hash
      queue.overflow(liveTables)
    }
    decider.reload(configuration, totals: totals)
  }

  /// Puts another ledger in the place of one that is damaged. Background only, holding `flushing`.
  func replaceLedger(_ make: () throws -> (ledger: Ledger, runs: LiveRuns)) throws {
    try lock.withLock {
      let made = try make()
      ledger = made.ledger
      runs = made.runs
      generation += 1
      ledgerDamage = nil
    }
  }

  /// The configuration in force.
  package var configuration: Configuration { lock.withLock { currentConfiguration } }

  /// The same for those who hold the lock.
  var liveConfiguration: Configuration { currentConfiguration }

  /// The tables, oldest first, for those who hold the lock.
  var liveTables: [Memtable] { [frozen?.table, active].compactMap { $0 } }

  /// The table that entries are applied to, for those who hold the lock.
  var activeTable: Memtable { active }

  /// Sums of all purchases, as last rolled up.
  package var rollupReport: RollupReport { lock.withLock { rolledUp } }

  /// Totals for metrics, as applied.
  package var totals: Totals { lock.withLock { running } }

  /// How many events were accepted ever: cheaper than all ``totals``.
  package var acceptedEvents: UInt64 { lock.withLock { running.accepted } }

  /// Bytes left on the store's disk. Throws a ``StoreFault``.
  package func freeBytes() throws -> UInt64 { try disk.freeBytes() }

  /// Bytes that the store takes: frames, and the ledger with its log.
  package func usedBytes() throws -> Int {
    var bytes = journal.usedBytes
    for name in ["ledger.db", "ledger.db-wal"] {
      bytes += try disk.size(of: name)
    }
    return bytes
  }

  /// Prepares the next journal segment. Background.
  package func prepareSpare() throws { try journal.prepareSpare() }

  /// Notes how far the journal is synced. Background.
  package func seal() throws { try flushing.withLock { try journal.seal() } }
}
