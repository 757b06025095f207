import Foundation
import Metering
import Sidecar
import Store
import Wire

/// `outlay serve` without sockets and threads: a store on a simulated machine, asked and told in
/// one thread, that starts, reloads and ends as the program does.
final class SimulatedServer {
  let machine: SimulatedMachine
  var clock: SimulatedClock
  private var open: (books: Books, view: LedgerView)?
  private(set) var configuration: Configuration
  /// Events in a memtable; another after each start.
  private var memtableEvents: Int
  /// When the last commit began, by a clock that never goes back; nil after a start.
  private var lastCommit: Int64?
  private let defect: SimulationDefect?
  /// Claims of a broken twin, which forgets them.
  private var heldClaims: [CaseID: CaseClaim] = [:]

  init(
    _ configuration: Configuration, clock: SimulatedClock, memtableEvents: Int,
    machine: SimulatedMachine, defect: SimulationDefect? = nil
  ) throws {
    self.configuration = configuration
    self.clock = clock
    self.memtableEvents = memtableEvents
    self.machine = machine
    self.defect = defect
    machine.journal.isLying = defect == .acknowledgesBeforeSync
    try start(memtableEvents: memtableEvents)
  }

  var now: Instant { Instant(microseconds: clock.now) }

  func start(memtableEvents: Int) throws {
    self.memtableEvents = memtableEvents
    lastCommit = nil
    heldClaims = [:]
    let books = try Books(
      directory: machine.directory, disk: machine.disk, configuration: configuration,
      options: Books.Options(memtableEvents: memtableEvents, segmentBytes: 1 << 18),
      knowing: { [defect] knowledge in
        guard let defect else { return knowledge }
        return BrokenKnowledge(knowledge, defect)
      },
      // A fixed identity makes hashes replay.
      newIdentity: {
        StoreIdentity(id: Array(repeating: 7, count: 16), key: Array(0..<16))
      })
    open = (books, try books.makeView())
    try books.finishFollowUps(at: time())
    try replayKept()
  }

  /// The process is gone; with `isOrderly` it ends as after SIGTERM.
  func stop(isOrderly: Bool) throws {
    defer { open = nil }
    if isOrderly { try opened().books.close() } else { machine.stop() }
  }

  /// The process died somehow.
  func vanish() {
    machine.stop()
    open = nil
  }

  private func opened() throws -> (books: Books, view: LedgerView) {
    guard let open else { throw SubjectFault(description: "the store is closed") }
    return open
  }

  /// Lends the store.
  func withBooks<Value>(_ body: (Books) throws -> Value) throws -> Value {
    try body(opened().books)
  }

  /// The instants of a commit that begins now, as the writer makes them.
  private func time() -> CommitTime {
    let elapsed = lastCommit.map { clock.truth - $0 } ?? Calendar.day
    lastCommit = clock.truth
    return CommitTime(now: now, elapsed: elapsed)
  }
}

// MARK: Telling

extension SimulatedServer {
  private func commit(_ batch: IngestBatch, _ steps: [BatchStep]) throws -> CommitResult {
    try opened().books.commit(batch, steps: steps, at: time())
  }

  func send(_ lines: [String]) throws -> BatchAnswer {
    let batch = IngestBatch()
    var decoder = EventDecoder(key: try opened().books.hashKey)
    for line in lines {
      Array(line.utf8).withUnsafeBytes { decoder.decodeLine($0, into: batch) }
    }
    return BatchAnswer(try commit(batch, [.events(lines.count)]).verdicts)
  }

  func run(_ command: Command) throws -> CommandOutcome? {
    if defect == .keepsClaimsInMemory, case .claimCase(let id, let responder, let seconds) = command
    {
      return try claimInMemory(id, responder, seconds)
    }
    return try commit(IngestBatch(), [.command(command)]).outcomes.first
  }

  private func claimInMemory(
    _ id: CaseID, _ responder: ByteString, _ seconds: Int64
  ) throws -> CommandOutcome? {
    let standing = try ask { try $0.record(id.transaction)?.latestCase(at: self.now) }
    guard let standing, standing.refundCase.response == nil else {
      return .refundCase(standing == nil ? .unknown : .alreadyAnswered)
    }
    if let claim = heldClaims[id], claim.until > now, claim.responder != responder {
      return .refundCase(.held(claim))
    }
    heldClaims[id] = CaseClaim(
      responder: responder, until: now.adding(microseconds: seconds * 1_000_000))
    return .refundCase(.claimed(standing))
  }

  func tell(_ change: Change) throws -> CommandOutcome? {
    try run(try BooksSubject.command(for: change))
  }

  func tell(_ change: LifeChange) throws -> CommandOutcome? {
    try run(try BooksSubject.command(for: change, now: clock.now))
  }

  func flush() throws {
    try opened().books.freeze()
    _ = try opened().books.flush()
  }

  func merge() throws {
    while try opened().books.merge() {}
  }

  /// Rolls up until there is nothing more to do.
  func rollUp() throws {
    let books = try opened().books
    for _ in 0..<10_000 {
      switch try books.rollUp(at: now, isOver: { false }) {
      case .idle: return
      case .more: continue
      case .needsFlush: try flush()
      }
    }
    throw SubjectFault(description: "the rollup doesn't come to an end")
  }

  /// One short slice of the rollup, as the background does them.
  func rollUpOnce() throws { _ = try opened().books.rollUp(at: now, isOver: { true }) }

  func reload(_ configuration: Configuration) throws {
    try opened().books.reload(configuration)
    if defect != .reloadsHalf { self.configuration = configuration }
    try replayKept()
  }

  private func replayKept() throws {
    let books = try opened().books
    try books.replayQuarantine(at: time())
  }

  /// The configuration that the next start finds.
  func edit(_ configuration: Configuration) { self.configuration = configuration }
}

// MARK: Asking

extension SimulatedServer {
  func ask<Answer>(_ question: (any StoreQueries) throws -> Answer) throws -> Answer {
    let (books, view) = try opened()
    return try books.ask(view, question)
  }

  /// One answer as its JSON; nil for something unknown.
  func answer(_ question: Question) throws -> String? {
    let response = try ask {
      Answers(reading: $0, configuration: configuration, now: now).answer(question)
    }
    guard response.status == 200 || response.status == 404 else {
      throw SubjectFault(description: "\(question) answered \(response.status)")
    }
    return response.status == 200 ? String(decoding: response.body, as: UTF8.self) : nil
  }

  func consumption(_ id: String) throws -> String? {
    try answer(.consumption(ByteString(id)))
  }

  /// Rows of `/v1/costs` over all time.
  func costs() throws -> [CostRow] {
    let question = CostsQuestion(
      from: .date(year: 2025, month: 1, day: 1), to: .date(year: 2030, month: 1, day: 1),
      window: .month, environments: ["Production", "Sandbox", "unknown"])
    let windows = try CostWindows(
      from: question.from, to: question.to, window: question.window,
      timeZone: TimeZone(secondsFromGMT: 0) ?? .current)
    return try ask { reading in
      var table = CostsTable(
        configuration: configuration, windows: windows, question: question, now: now)
      try table.add(reading)
      return table.rows
    }
  }

  /// What a scrape tells.
  func metrics() throws -> MetricsSnapshot {
    let books = try opened().books
    var totals = books.totals
    if defect == .leavesGauges {
      totals.byKey = totals.byKey.mapValues { total in
        var total = total
        total.standing = total.gross
        return total
      }
    }
    return MetricsSnapshot(
      totals, books.rollupReport, configuration: configuration, version: "simulated")
  }
}
