import AppStore
import Foundation
import Metering
import Store
import Synchronization
import Wire

/// The running sidecar: loop, writer, background and reader around one set of books.
final class Service: @unchecked Sendable {
  // Unchecked: `verifier` and `isCurrent` are guarded by `lock`, only the slow lane touches
  // `shelf`; the rest never changes.
  /// Held until the books are closed: letting it go lets another process in.
  private let storeLock: DiskLock
  private let books: Books
  /// The configuration's file, for what is told of it.
  private let setupPath: String
  private let loop: EventLoop
  private let mailbox = Mailbox()
  private let ingest: Ingest
  private let hashKey: HashKey
  private let background = DispatchQueue(label: "background")
  private let questions: QuestionLanes
  /// The refund cases' waiters read on a thread of their own: a responder waits for nobody's
  /// questions.
  private let caseView: LedgerView
  private var shelf = PageShelf()
  private let isFlushing = Atomic<Bool>(false)
  private let isLookingAgain = Atomic<Bool>(false)
  private let replays = ReplayPasses()
  private let lock = NSLock()
  private var verifier: SignedDataVerifier?
  private var isCurrent = true
  private let ended = DispatchSemaphore(value: 0)
  private lazy var writer = Writer(
    books: books, mailbox: mailbox,
    taken: { [self] in loop.execute { [self] in ingest.handOver() } },
    committed: { [self] in waiters.changed() },
    flushNeeded: { [self] in flushSoon() })
  private lazy var rollups = RollupSchedule(books, on: background) { [self] in
    mailbox.post { [self] in
      books.freeze()
      flushSoon()
    }
  }
  private lazy var care = StoreCare(books, on: background)
  private lazy var waiters = CaseWaiters(
    queue: DispatchQueue(label: "case reader")
  ) { [self] question in
    try books.askLoosely(caseView) { snapshot in
      try Answers(reading: snapshot, configuration: current, now: SystemClock.now()).cases(question)
    }
  }

  private lazy var signatures = SignatureDesk { [self] command, reply in
    loop.execute { [self] in take(command, for: reply) }
  }

  /// Opens the store, which `disk` stands in for if given; nothing runs yet. Throws when the store
  /// refuses.
  init(_ setup: ServiceSetup, disk other: (any Disk)? = nil) throws {
    let configuration = setup.configuration
    try LinuxDisk.makeRoot(configuration.storeDirectory)
    for path in try StorePrivacy.restore(in: configuration.storeDirectory) {
      Log.write("\(path): others than its owner could use it; now they can't")
    }
    let disk = other ?? LinuxDisk(root: configuration.storeDirectory)
    storeLock = try Self.lock(disk)
    let opened = try Books.open(
      directory: configuration.storeDirectory, disk: disk, configuration: configuration
    ) {
      StoreIdentity(id: try LinuxDisk.random(16), key: try LinuxDisk.random(16))
    }
    books = opened.books
    StoreCare.tell(opened.report)
    setupPath = setup.path
    verifier = setup.verifier
    questions = QuestionLanes(quick: try books.makeView(), slow: try books.makeView())
    caseView = try books.makeView()
    loop = try EventLoop()
    hashKey = books.hashKey
    ingest = Ingest(mailbox: mailbox, decoder: EventDecoder(key: hashKey), loop: loop)
  }

  /// Takes the store, waiting a moment for a predecessor that was killed and is still exiting: the
  /// kernel lets its lock go only then. A living one keeps it, and this throws.
  private static func lock(_ disk: any Disk) throws -> DiskLock {
    let end = SystemClock.monotonic() + lockPatienceNanoseconds
    while true {
      do {
        return try disk.lock("lock")
      } catch StoreFault.locked(let detail) {
        guard SystemClock.monotonic() < end else { throw StoreFault.locked(detail) }
        usleep(lockPauseMicroseconds)
      }
    }
  }

  /// How long a killed predecessor may take to let the store go: its memory is freed first.
  private static let lockPatienceNanoseconds: UInt64 = 2_000_000_000
  /// Between two looks at the lock.
  private static let lockPauseMicroseconds: UInt32 = 10_000

  /// Listens and starts the threads; returns the metrics listener's address.
  func start() throws -> String {
    let routes = RouteService(self)
    let configuration = current
    let metrics = MetricsService(self, on: configuration.metricsListen)
    _ = try loop.listen(
      .unix(
        path: configuration.socketPath, mode: configuration.socketMode,
        group: configuration.socketGroup), http: routes, stream: ingest)
    let address = try loop.listen(.tcp(configuration.metricsListen), http: metrics)
    let writer = writer
    try books.finishFollowUps(at: writer.time())
    _ = waiters
    _ = signatures
    Thread { [ended] in
      // The kernel takes the name only from the thread itself.
      Thread.current.name = "writer"
      writer.run()
      ended.signal()
    }.start()
    replayKept()
    try loop.start { [ingest] in ingest.handOver() }
    background.async { [books] in try? books.prepareSpare() }
    rollups.start()
    care.start()
    return address
  }

  /// Takes no more, commits what has arrived, flushes and ends.
  func stop() {
    questions.close()
    waiters.close()
    signatures.finish()
    loop.stop(within: Self.endPatience)
    // Kept events are decided again after the next start.
    _ = replays.begin()
    mailbox.stop()
    ended.wait()
    rollups.stop()
    care.stop()
    background.sync {}
    do { try books.close() } catch { Log.write("flush at the end failed: \(error)") }
    storeLock.release()
  }

  /// How long peers may take for the answers on their way when the program ends: half of what
  /// operators wait for the whole of it.
  private static let endPatience = Duration.seconds(5)

  /// Puts a new configuration in force, or keeps the old and says why.
  func reload(_ loaded: Result<ServiceSetup, ConfigurationFile.Failure>) {
    switch loaded {
    case .failure(let failure):
      for line in failure.lines(of: setupPath) { Log.write("reload refused: \(line)") }
      lock.withLock { isCurrent = false }
    case .success(let fresh):
      mailbox.post { [self] in apply(fresh) }
    }
  }

  /// Decides again what another configuration than before may make valid, a piece at a time: what
  /// others send meanwhile goes in between. A pass that was begun before ends there.
  private func replayKept() {
    let pass = replays.begin()
    mailbox.post { [self] in replay(QuarantineReplay(), of: pass) }
  }

  private func replay(_ begun: QuarantineReplay, of pass: Int) {
    guard replays.isCurrent(pass) else { return }
    var replay = begun
    do {
      guard try books.replayQuarantine(&replay, at: writer.time()) else { return }
      if books.needsFlush { flushSoon() }
      let next = replay
      mailbox.post { [self] in self.replay(next, of: pass) }
    } catch {
      Log.write("events that were kept stay so for now: \(error)")
      let next = replay
      background.asyncAfter(deadline: .now() + Self.replayPause) { [self] in
        mailbox.post { [self] in self.replay(next, of: pass) }
      }
    }
  }

  /// Until events that the store couldn't take are decided again.
  private static let replayPause = DispatchTimeInterval.seconds(5)

  private func apply(_ setup: ServiceSetup) {
    let fresh = setup.configuration
    let old = current
    for note in fresh.reloadFaults(from: old) { Log.write("reload: \(note)") }
    let merged = fresh.keepingWhatNeedsRestart(from: old)
    do {
      try books.reload(merged)
    } catch {
      Log.write("reload refused: \(error)")
      return lock.withLock { isCurrent = false }
    }
    lock.withLock {
      verifier = setup.verifier
      isCurrent = true
      // One made under the old configuration may show ids that the new one hides. Whoever sees the
      // new one asks behind this.
      questions.slow.queue.async { [self] in shelf.clear() }
    }
    waiters.changed()
    Log.write("configuration reloaded")
    // What fails here isn't the configuration, which is in force.
    replayKept()
  }

  private func flushSoon() {
    guard !isFlushing.exchange(true, ordering: .relaxed) else { return }
    background.async { [self] in
      isFlushing.store(false, ordering: .relaxed)
      do {
        while try books.flush() {}
        while try books.merge() {}
        try books.prepareSpare()
      } catch { Log.write("flush failed: \(error)") }
    }
  }

  /// What routes and questions are answered under: what the books are kept under.
  var current: Configuration { books.configuration }

  /// Hands events to ingest; loop thread only.
  func take(_ body: [UInt8], _ content: EventsContent, for reply: HTTPReply) {
    ingest.take(body, content, for: reply)
  }

  /// Hands a command to the writer; loop thread only.
  func take(_ command: Command, for reply: HTTPReply) { ingest.take(command, for: reply) }

  /// Proves signed input, then hands it to the writer; loop thread only.
  func take(_ input: SignedInput, for reply: HTTPReply) {
    guard let verifier = lock.withLock({ verifier }) else {
      return reply.send(Problem.notConfigured.response)
    }
    signatures.take(input, by: verifier, for: reply)
  }

  /// Whether bodies of events may be read now; loop thread only.
  var takesEvents: Bool { !ingest.isPaused }

  /// Answers a question on a reading thread; too many waiting ones are told to come again.
  func ask(_ question: Question, for reply: HTTPReply) {
    read(isWhole: question.isAnsweredWhole, isShort: question.isShort, for: reply) {
      $0.answer(question)
    }
  }

  /// Answers with the page for people, on the slow lane; loop thread only.
  func showPage(for reply: HTTPReply) {
    let metrics = metrics()
    read(isWhole: false, isShort: false, for: reply) { [self] answers in
      shelf.page(at: SystemClock.monotonic()) { answers.page(metrics) }
    }
  }

  private func read(
    isWhole: Bool, isShort: Bool, for reply: HTTPReply,
    _ body: @escaping @Sendable (Answers) -> HTTPResponse
  ) {
    questions.ask(isShort: isShort, for: reply) { [self] view, time in
      let configuration = current
      let answer = { (snapshot: BooksSnapshot) in
        body(Answers(reading: snapshot, configuration: configuration, now: SystemClock.now()))
      }
      return isWhole
        ? try books.ask(view, pace: time.check, answer)
        : try books.askLoosely(view, pace: time.check, answer)
    }
  }

  /// Answers a question for refund cases when there is something to tell.
  func wait(_ question: CasesQuestion, for reply: HTTPReply) { waiters.ask(question, for: reply) }

  /// Whether the store takes writes. Where the last commit failed, the writer is asked to look
  /// again: who waits for this to change may be the only one who would send anything.
  var isReady: Bool {
    if writer.takesWrites { return true }
    if !isLookingAgain.exchange(true, ordering: .relaxed) {
      mailbox.post { [self] in
        writer.lookAgain()
        isLookingAgain.store(false, ordering: .relaxed)
      }
    }
    return false
  }

  /// The figures of this moment; loop thread only.
  func metrics() -> MetricsSnapshot {
    var snapshot = MetricsSnapshot(
      books.totals, books.rollupReport, configuration: current, version: Release.version)
    let durations = writer.durations()
    snapshot.commitDuration = durations.commit
    snapshot.acknowledgeDuration = durations.acknowledge
    snapshot.storeBytes = Int64((try? books.usedBytes()) ?? 0)
    snapshot.storeFreeBytes = Int64(clamping: (try? books.freeBytes()) ?? 0)
    snapshot.isStoreReady = isReady
    snapshot.logLinesLost = Log.lines.lost
    snapshot.ledgerDamages = books.damagesMet
    snapshot.droppedTails = books.droppedTails
    snapshot.ingestQueueBytes = Int64(ingest.queuedBytes)
    snapshot.connections = loop.figures
    snapshot.isConfigurationCurrent = lock.withLock { isCurrent }
    return snapshot
  }
}

/// Numbers the passes over kept events: only the newest goes on.
private final class ReplayPasses: Sendable {
  private let newest = Atomic<Int>(0)

  func begin() -> Int { newest.add(1, ordering: .relaxed).newValue }

  func isCurrent(_ pass: Int) -> Bool { newest.load(ordering: .relaxed) == pass }
}
