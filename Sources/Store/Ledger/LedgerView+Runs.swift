import Metering

extension LedgerView {
  /// Looks a key up in a run's block: exact.
  func entry(of key: Hash128, in run: Run) throws -> KeyEntry? {
    var found: KeyEntry?
    try withBlock(of: key, run: run.id) { found = try KeyBlock.find(key, in: $0, id: $1) }
    return found
  }

  /// Sums of a purchase in all runs of this snapshot, one or several for a key.
  ///
  /// The runs are the snapshot's own, so that a flush or merge meanwhile changes nothing.
  func usage(of hash: Hash128) throws -> [(UsageKey, Sums)] {
    var sums: [(UsageKey, Sums)] = []
    try forEachRecord(of: hash, withTrail: false) { record in
      for entry in record.sums { sums.append((try key(ofSum: entry.key), entry.sums)) }
    }
    return sums
  }

  /// Where the facts are that booked to a purchase, in order of commit, in this snapshot.
  func trail(of hash: Hash128) throws -> [Location] {
    var trail: [Location] = []
    try forEachRecord(of: hash, withTrail: true) { record in
      for location in record.trail { trail.append(Location(raw: location)) }
    }
    return trail
  }

  /// Whether any fact of this snapshot booked to a purchase.
  func hasTrail(of hash: Hash128) throws -> Bool {
    var isFound = false
    try forEachRecord(of: hash, withTrail: false) { _ in isFound = true }
    return isFound
  }

  /// Every record of usage in this snapshot, the runs one after another, oldest first; what its
  /// sums are of comes beside it.
  func forEachUsage(_ use: (UsageRecord, [UsageKey]) throws -> Void) throws {
    var record = UsageRecord()
    for run in try usageRuns() {
      let blocks = try RunBlocks(connection, run: run)
      while try blocks.advance() {
        var reader = UsageBlock.Reader(blocks.bytes, id: blocks.id)
        while try reader.next(&record) {
          try use(record, record.sums.map { try key(ofSum: $0.key) })
        }
      }
    }
  }

  /// Row ids of the runs of usage, oldest first.
  private func usageRuns() throws -> [Int64] {
    var runs: [Int64] = []
    try connection.cached("SELECT id FROM run WHERE kind = ? AND live = 1 ORDER BY seqMax")
      .forEach(binding: RunKind.usage.rawValue) { runs.append($0.integer(0)) }
    return runs
  }

  /// Oldest run first.
  private func forEachRecord(
    of hash: Hash128, withTrail: Bool, _ use: (UsageRecord) throws -> Void
  ) throws {
    var record = UsageRecord()
    for run in try usageRuns() {
      try withBlock(of: hash, run: run) { block, id in
        var reader = UsageBlock.Reader(block, id: id)
        while try reader.next(&record, withoutTrailOf: withTrail ? nil : hash),
          record.hash.high <= hash.high
        {
          if record.hash == hash { return try use(record) }
        }
      }
    }
  }

  /// Lends the block of a run that holds a hash, if any does, with its row id.
  private func withBlock(
    of hash: Hash128, run: Int64, _ use: (UnsafeRawBufferPointer, Int64) throws -> Void
  ) throws {
    let statement = try connection.cached(
      "SELECT id, body FROM block WHERE id >= ? AND id <= ? ORDER BY id DESC LIMIT 1")
    statement.bind(1, run << 32)
    statement.bind(2, Run.block(of: hash, run: run))
    try statement.forEach { try use($0.blob(1), $0.integer(0)) }
  }

  private func key(ofSum number: Int64) throws -> UsageKey {
    if let known = sumKeys[number] { return known }
    var found: UsageKey?
    try connection.cached(
      "SELECT canonical, epoch, own FROM sumkey JOIN series ON series.id = series WHERE sumkey.id = ?"
    ).forEach(binding: number) { row in
      found = UsageKey(
        series: Series(canonical: row.blob(0)), epoch: row.integer(1),
        own: UInt32(truncatingIfNeeded: row.integer(2)))
    }
    guard let found else { throw StoreFault.ledger("a sum in ledger.db is of nothing known") }
    if sumKeys.count >= StoreLimits.seriesNumbers { sumKeys.removeAll() }
    sumKeys[number] = found
    return found
  }
}
