import Metering

/// What the writer looks up before it appends: its own tables without the lock, and the ledger
/// through a view of its own.
final class WriterKnowledge: Knowledge {
  private let view: LedgerView
  private let journal: Journal
  private let hashKey: HashKey
  private var tables: [Memtable] = []
  private var runs: [Run] = []

  init(view: LedgerView, journal: Journal, hashKey: HashKey) {
    self.view = view
    self.journal = journal
    self.hashKey = hashKey
  }

  /// Tables oldest first, runs of keys oldest first, as they stand when a batch begins.
  func set(tables: [Memtable], runs: [Run]) {
    self.tables = tables
    self.runs = runs
  }

  private var layers: Layers {
    Layers(view: view, tables: tables, hashKey: hashKey, lock: nil)
  }

  func entry(of key: Hash128) throws -> KeyEntry? {
    for table in tables.reversed() {
      if let found = table.keys.entry(of: key) { return found }
    }
    for run in runs.reversed() where run.filter?.mayContain(key) != false {
      if let found = try view.entry(of: key, in: run) { return found }
    }
    return nil
  }

  func record(_ id: ByteString) throws -> PurchaseRecord? { try layers.record(id) }

  func chain(_ original: ByteString) throws -> [PurchaseRecord] { try layers.chain(original) }

  func linkedCustomer(ofChain original: ByteString) throws -> ByteString? {
    try layers.linkedCustomer(ofChain: original)
  }

  func earlyTally(of id: ByteString) throws -> [TallyLine] {
    let hash = hashKey.hash128(id)
    guard try hasUsage(hash, id) else { return [] }
    return try view.connection.read {
      let applied = try view.applied()
      let fresh = tables.filter { $0.firstSequence > applied }
      var lines: [TallyLine] = []
      if !fresh.contains(where: { $0.moved.contains(id) }) {
        try view.tally(from: 0, to: 0, early: id) { lines.append($0.line) }
      }
      for table in fresh {
        let subject = table.subject(hash: hash)
        guard subject >= 0 else { continue }
        for (key, sums) in table.tally where Int(key.early) == subject {
          lines.append(table.row(key, sums).line)
        }
      }
      return lines
    }
  }

  /// A cheap look before the tables are searched: most purchases come before their usage.
  private func hasUsage(_ hash: Hash128, _ id: ByteString) throws -> Bool {
    if tables.contains(where: { $0.subject(hash: hash) >= 0 }) { return true }
    var isFound = false
    try view.tally(from: 0, to: 0, early: id) { _ in isFound = true }
    return isFound
  }

  func event(at location: Location) throws -> BookedEvent {
    let frame = try journal.read(location.address)
    let found = frame.body.withUnsafeBytes {
      BookedEvent.find(number: location.number, in: $0, receivedAt: frame.receivedAt.microseconds)
    }
    guard let found else {
      throw StoreFault.damaged("no event at journal address \(location.address)")
    }
    return found
  }

  func quarantine() throws -> [(location: UInt64, event: QuarantinedEvent)] {
    var events: [UInt64: QuarantinedEvent] = [:]
    for (location, event) in try view.quarantine() { events[location] = event }
    for table in tables {
      for (location, event) in table.quarantine { events[location] = event }
    }
    return events.sorted { $0.key < $1.key }.map { (location: $0.key, event: $0.value) }
  }
}
