import Sidecar

@testable import Metering
@testable import Wire

/// The core without disk, socket and ledger: requests are routed, decided, written as frames,
/// applied from them, and asked about.
final class Desk: Knowledge, StoreQueries {
  static let now = Instant(microseconds: 1_796_000_000_000_000)
  static let configuration: Configuration = {
    let defaults = ConfigurationDefaults(socketPath: "/s", storeDirectory: "/d")
    let text = Array(text: FuzzTarget.configurationSamples[0])
    guard
      case .success(let loaded) = Configuration.load(
        text, defaults: defaults, timeZoneExists: { _ in true })
    else { preconditionFailure("the sample loads") }
    return loaded
  }()
  private static let hashKey = HashKey(high: 1, low: 2)

  private let decider: Decider
  private let router = Router(configuration: Desk.configuration)
  var table = Memtable(after: 0, capacity: 64)
  private(set) var totals = Totals()
  /// Bodies of the frames so far; a frame's address is its number.
  private(set) var frames: [[UInt8]] = []

  init() {
    decider = Decider(
      configuration: Self.configuration, hashKey: Self.hashKey, totals: Totals())
  }

  /// Forgets everything.
  func reset() {
    table = Memtable(after: 0, capacity: 64)
    totals = Totals()
    frames = []
    decider.abandon(totals: totals)
    decider.cache = PurchaseCache(entries: 64)
    decider.labels = [.early]
    decider.labelNumbers = [.early: 0]
    decider.followUps = []
    decider.progress = nil
    decider.amountGuards = [:]
    decider.quarantineBytes = 0
    decider.kept = []
    decider.markedSources = []
  }

  /// Takes lines of requests (see ``request(_:)``) and of events (`V`), each a commit of its own,
  /// or all in one. Returns what became of each.
  @discardableResult
  func take(_ text: [UInt8], inOneCommit: Bool = false) -> [String] {
    let batch = IngestBatch()
    var decoder = EventDecoder(key: Self.hashKey)
    var steps: [BatchStep] = []
    var outcomes: [String] = []
    func commit() {
      outcomes += self.commit(batch, steps)
      batch.removeAll()
      steps = []
    }
    for line in text.split(separator: 10).prefix(24) {
      // The figures frozen with a report are those of the entry before.
      if line.first == UInt8(ascii: "S") { commit() }
      if line.first == UInt8(ascii: "V") {
        Array(line.dropFirst()).withUnsafeBytes { decoder.decodeLine($0, into: batch) }
        steps.append(.events(1))
      } else if case .command(let command) = route(line) {
        steps.append(.command(command))
      }
      if !inOneCommit { commit() }
    }
    commit()
    return outcomes
  }

  /// Takes one command.
  func take(_ command: Command) -> [String] { commit(IngestBatch(), [.command(command)]) }

  private func commit(_ batch: IngestBatch, _ steps: [BatchStep]) -> [String] {
    let time = CommitTime(now: Self.now, elapsed: 0)
    var cursor = BatchCursor()
    var result = CommitResult()
    do {
      while cursor.step < steps.count {
        result = try decider.decide(batch, steps: steps, from: &cursor, at: time, knowing: self)
        apply()
        while decider.hasFollowUps {
          try decider.decideFollowUp(at: time, knowing: self)
          apply()
        }
      }
    } catch {
      preconditionFailure("nothing here fails to be read: \(error)")
    }
    return result.verdicts.map { "\($0)" } + result.outcomes.map { "\($0)" }
  }

  private func apply() {
    var applier = Applier(table: table, hashKey: Self.hashKey)
    for frame in decider.frames {
      frames.append(Array(frame.bytes))
      applier.apply(
        DurableFrame(
          body: frame.bytes, address: UInt64(frames.count), sequence: table.lastSequence + 1,
          chain: Hash128(high: 0, low: 0), receivedAt: Self.now.microseconds,
          floor: decider.floor, accepted: frame.accepted, duplicates: frame.duplicates,
          conflicts: frame.conflicts, rejected: frame.rejected), totals: &totals)
    }
    decider.confirm()
  }

  // MARK: Requests

  /// The letters of requests, each followed by one character that is the id, then by the body.
  private static let routes: [UInt8: (method: String, path: @Sendable (String) -> String)] = [
    UInt8(ascii: "T"): ("PUT", { "transactions/\($0)" }),
    UInt8(ascii: "D"): ("PUT", { "transactions/\($0)/delivery" }),
    UInt8(ascii: "C"): ("PUT", { "transactions/\($0)/customer" }),
    UInt8(ascii: "A"): ("PUT", { "transactions/\($0)/allowance" }),
    UInt8(ascii: "O"): ("PUT", { "transactions/\($0)/opening" }),
    UInt8(ascii: "N"): ("PUT", { "customers/\($0)/consent" }),
    UInt8(ascii: "R"): ("POST", { "transactions/\($0)/refund-request" }),
    UInt8(ascii: "L"): ("POST", { "refund-requests/\($0):1/claim" }),
    UInt8(ascii: "S"): ("POST", { "refund-requests/\($0):1/response" }),
    UInt8(ascii: "P"): ("POST", { _ in "transactions" }),
    UInt8(ascii: "M"): ("POST", { _ in "notifications" }),
  ]

  /// What a line asks for: a request by its letter; `Q` is a GET of the rest of the line.
  func route(_ line: ArraySlice<UInt8>) -> RoutedCall? {
    guard let letter = line.first else { return nil }
    if letter == UInt8(ascii: "Q") {
      return call("GET", Array(line.dropFirst()), body: [])
    }
    guard let route = Self.routes[letter], let name = line.dropFirst().first else { return nil }
    let id = PercentCoding.encode([name])
    return call(route.method, Array(text: route.path(id)), body: Array(line.dropFirst(2)))
  }

  private func call(_ method: String, _ path: [UInt8], body: [UInt8]) -> RoutedCall? {
    let head =
      Array(text: "\(method) /v1/") + path
      + Array(text: " HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.count)\r\n\r\n")
    var parser = HTTPRequestParser()
    return (head + body).withUnsafeBytes { bytes in
      var rest = bytes
      while true {
        let (action, consumed) = parser.consume(rest)
        rest = UnsafeRawBufferPointer(rebasing: rest[consumed...])
        switch action {
        case .head, .needsAllowance: continue
        case .needsMore, .refuse: return nil
        case .request(let head, let body):
          let request = HTTPRequest(
            head: head, body: body, connection: ConnectionID(slot: 0, generation: 0))
          return router.route(request, now: Self.now)
        }
      }
    }
  }

  // MARK: Answers

  /// Answers to everything that can be asked of what was taken, as of some instants.
  func answers() -> [HTTPResponse] {
    let chains = Set(table.recordsByChain.keys.filter { !$0.isEmpty })
    var questions: [Question] = [
      .transactions(TransactionsQuestion()), .cases(CasesQuestion(limit: 100)),
      .atRisk(AtRiskQuestion()), .customer("u"),
    ]
    for id in Set(table.records.keys).union(["1"]) {
      questions += [.transaction(id), .consumption(id)]
    }
    questions += chains.map { .subscription($0) }
    let day: Int64 = 86_400_000_000
    return [0, 40 * day, 400 * 365 * day].flatMap { later in
      let answers = Answers(
        reading: self, configuration: Self.configuration,
        now: Self.now.adding(microseconds: later))
      return questions.map { answers.answer($0) }
    }
  }

  /// What the rollup counts of a transaction.
  func figures(of id: ByteString) -> PurchaseFigures? {
    guard
      let account = try? PurchaseAccount(
        id, from: self, configuration: Self.configuration, now: Self.now),
      let answer = try? ConsumptionAnswer(account)
    else { return nil }
    return PurchaseFigures(account, answer, after: nil)
  }

  /// Every record.
  var records: [PurchaseRecord] {
    table.records.keys.sorted().compactMap { id in
      table.records[id].flatMap { PurchaseRecord(encoded: $0) }
    }
  }
}
