import Metering

/// What the writer looks up before it appends: its own tables without the lock, and the ledger
/// through a view of its own.
final class WriterKnowledge: Knowledge {
  private let view: LedgerView
  private let journal: Journal
  private let hashKey: HashKey
  private var tables: [Memtable] = []
  private var runs: [Run] = []
  /// Of the runs' filters.
  private var filters: ContiguousArray<Filter.Probe> = []
  private var waitingReadings: Int64 = 0
  /// The frame read last: facts asked for one after another often share it.
  private var lastFrame: (address: UInt64, facts: [FrameWalk.Fact])?

  init(view: LedgerView, journal: Journal, hashKey: HashKey) {
    self.view = view
    self.journal = journal
    self.hashKey = hashKey
  }

  /// Looks into the ledger that counts now.
  func renew(_ generation: Int) throws { try view.renew(generation) }

  /// Tables oldest first, runs oldest first, and how many readings wait, as they stand when an
  /// entry begins.
  func set(tables: [Memtable], runs: [Run], waitingReadings: Int64) {
    self.tables = tables
    self.runs = runs
    filters = ContiguousArray(runs.map(Self.probe))
    self.waitingReadings = waitingReadings
  }

  private var snapshot: BooksSnapshot {
    BooksSnapshot(view: view, looks: OwnLooks(tables: tables), hashKey: hashKey, journal: journal)
  }

  func entry(of key: Hash128) throws -> KeyEntry? {
    for table in tables.reversed() {
      if let found = table.keys.entry(of: key) { return found }
    }
    for number in runs.indices.reversed() where filters[number].mayContain(key) {
      if let found = try view.entry(of: key, in: runs[number]) { return found }
    }
    return nil
  }

  private static func probe(of run: Run) -> Filter.Probe {
    guard let filter = run.filter else { preconditionFailure("a run of keys has a filter") }
    return filter.probe
  }

  func lookAhead(_ events: UnsafeBufferPointer<DecodedEvent>, _ ahead: inout LookAhead) {
    for table in tables { table.lookAhead(events, &ahead) }
    for filter in filters {
      for event in events { ahead.note(filter.glance(event.key)) }
    }
  }

  func record(_ id: ByteString) throws -> PurchaseRecord? { try snapshot.record(id) }

  func chain(_ original: ByteString) throws -> [PurchaseRecord] { try snapshot.chain(original) }

  func linkedCustomer(ofChain original: ByteString) throws -> ByteString? {
    try snapshot.linkedCustomer(ofChain: original)
  }

  func transactions(ofCustomer key: ByteString) throws -> [ByteString] {
    Array(try snapshot.transactions(ofCustomer: key))
  }

  func hasSeen(notification id: ByteString) throws -> Bool {
    if tables.contains(where: { $0.notifications[id] != nil }) { return true }
    return try view.hasSeen(notification: id)
  }

  // Sums add up over the snapshot, so the ledger's snapshot decides which tables count.

  func usage(of id: ByteString) throws -> [UsageLine] {
    try view.connection.read { try fresh().usage(of: id) }
  }

  func trail(of id: ByteString) throws -> [Location] {
    try view.connection.read { try fresh().trail(of: id) }
  }

  private func fresh() throws -> BooksSnapshot {
    let applied = try view.applied()
    return BooksSnapshot(
      view: view, looks: OwnLooks(tables: tables.filter { $0.firstSequence > applied }),
      hashKey: hashKey, journal: journal)
  }

  func ask<Answer>(_ question: (any StoreQueries) throws -> Answer) throws -> Answer {
    try view.connection.read { try question(fresh()) }
  }

  func hasTrail(_ id: ByteString) throws -> Bool {
    let hash = hashKey.hash128(id)
    if tables.contains(where: { $0.subject(hash: hash) >= 0 }) { return true }
    return try view.connection.read { try view.hasTrail(of: hash) }
  }

  func fact(at location: Location) throws -> FrameWalk.Fact {
    if lastFrame?.address != location.address {
      let frame = try journal.read(location.address)
      var facts: [FrameWalk.Fact] = []
      try frame.body.withUnsafeBytes {
        try FrameWalk.walk(
          $0, address: location.address, receivedAt: frame.receivedAt.microseconds
        ) { _, fact in
          facts.append(fact)
          return true
        }
      }
      lastFrame = (location.address, facts)
    }
    guard let facts = lastFrame?.facts, location.number < facts.count else {
      throw StoreFault.damaged("no event at journal address \(location.address)")
    }
    return facts[location.number]
  }

  func hasWaiting() throws -> Bool { waitingReadings > 0 }

  func hasWaiting(_ subject: WaitingSubject) throws -> Bool {
    guard waitingReadings > 0 else { return false }
    if tables.contains(where: { $0.waiting[subject]?.isEmpty == false }) { return true }
    return try view.hasWaiting(subject)
  }

  func waiting(_ subject: WaitingSubject) throws -> [Location] {
    let readings = try snapshot.waiting(subject).keys.sorted()
    var locations: [Location] = []
    for key in readings where locations.last?.raw != key.location {
      locations.append(Location(raw: key.location))
    }
    return locations
  }

  func followUps() throws -> [(work: FollowUp, state: FollowUpState)] {
    var left = try view.followUps().mapValues { Optional($0) }
    for table in tables { left.merge(table.followUps) { $1 } }
    // Relabelling comes first, whatever order the work was noted in: other work relies on it.
    return left.compactMap { work, state in state.map { (work: work, state: $0) } }
      .sorted {
        ($0.work.kind.rawValue, $0.work.subject) < ($1.work.kind.rawValue, $1.work.subject)
      }
  }

  func quarantined(after location: UInt64?, limit: Int) throws -> [KeptEvent] {
    let tables = tables
    var events: [UInt64: KeptEvent] = [:]
    let stored = try view.quarantined(after: location, limit: limit) { place in
      !tables.contains { $0.quarantine[place] != nil }
    }
    for event in stored { events[event.location] = event }
    for table in tables {
      for (place, event) in table.quarantine where location.map({ place > $0 }) ?? true {
        events[place] = event.map {
          KeptEvent(location: place, receivedAt: $0.receivedAt, raw: $0.raw)
        }
      }
    }
    return events.values.sorted { $0.location < $1.location }.prefix(limit).map { $0 }
  }

  /// Calls `body` with each line of the quarter-hour sums of all time.
  func forEachQuarterHour(_ body: (QuarterHourLine) throws -> Void) throws {
    try view.connection.read {
      try fresh().forEachQuarterHour(from: .distantPast, to: .distantFuture, body)
    }
  }

  /// Sources that send marks.
  func markedSources() throws -> Set<ByteString> { Set(try snapshot.marks().map(\.source)) }
}
