package import Metering

extension Ledger {
  /// Writes the table's sums and trails as a run, nil without any.
  func flushUsage(_ table: Memtable, sums numbers: [Int64]) throws -> Run? {
    let trails = GroupedTrail(table)
    guard let locations = trails.locations else {
      precondition(table.usage.isEmpty, "usage without a trail")
      return nil
    }
    let subjects = table.subjects
    let usage = table.usage
    var writer = try UsageRunWriter(
      connection, Run(kind: .usage, flushing: table, locations: locations))
    var record = UsageRecord()
    try subjects.withUnsafeBufferPointer { subjects in
      try usage.withUnsafeBufferPointer { usage in
        let order = HashOrder.numbers(count: subjects.count) { subjects[$0].hash }
        var ahead = LookAhead()
        for (place, number) in order.enumerated() {
          if place % LookAhead.window == 0 {
            let next = order[place...].prefix(LookAhead.window)
            for number in next { ahead.note(subjects[Int(number)].hash.low) }
            for number in next {
              let first = Int(subjects[Int(number)].firstUsage)
              if first >= 0 { ahead.note(UInt64(bitPattern: usage[first].sums.count)) }
              ahead.note(trails.glance(Int(number)))
            }
          }
          let subject = Int(number)
          record.removeAll()
          record.hash = subjects[subject].hash
          var place = subjects[subject].firstUsage
          while place >= 0 {
            let entry = usage[Int(place)]
            record.sums.append(NumberedSums(key: numbers[Int(entry.key)], sums: entry.sums))
            place = entry.next
          }
          if record.sums.count > 1 { record.sums.sort { $0.key < $1.key } }
          trails.append(subject, to: &record.trail)
          if !record.sums.isEmpty || !record.trail.isEmpty { try writer.add(record) }
        }
      }
    }
    return try writer.finish(isLive: true)
  }
}

extension LedgerView {
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
  func usageRuns() throws -> [Int64] {
    var runs: [Int64] = []
    try connection.cached("SELECT id FROM run WHERE kind = ? AND live = 1 ORDER BY seqMax")
      .forEach(binding: RunKind.usage.rawValue) { runs.append($0.integer(0)) }
    return runs
  }

  /// Oldest run first.
  func forEachRecord(
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

  func key(ofSum number: Int64) throws -> UsageKey {
    if let known = sumKeys[number] { return known }
    var found: UsageKey?
    try connection.cached(
      """
      SELECT canonical, epoch, own, parts FROM sumkey JOIN series ON series.id = series
      WHERE sumkey.id = ?
      """
    ).forEach(binding: number) { row in
      found = UsageKey(
        series: try Series(stored: row.blob(0)), epoch: row.integer(1),
        own: UInt32(truncatingIfNeeded: row.integer(2)), parts: WideBlob.parts(row.blob(3)))
    }
    guard let found else { throw StoreFault.ledger("a sum in ledger.db is of nothing known") }
    if sumKeys.count >= StoreLimits.seriesNumbers { sumKeys.removeAll() }
    sumKeys[number] = found
    return found
  }
}

extension BooksSnapshot {
  package func usage(of id: ByteString) throws -> [UsageLine] {
    var sums: [UsageKey: Sums] = [:]
    let hash = hashKey.hash128(id)
    for (key, stored) in try view.usage(of: hash) { sums[key, default: Sums()].add(stored) }
    let deltas = looks.look(.usage(hash)) { tables in
      var deltas: [(key: UsageKey, sums: Sums)] = []
      for table in tables {
        let subject = table.subject(hash: hash)
        guard subject >= 0 else { continue }
        table.forEachUsage(subject: subject) { key, delta in
          let series = table.series[Int(key.series)]
          deltas.append(
            (UsageKey(series: series, epoch: key.epoch, own: key.own, parts: key.parts), delta))
        }
      }
      return deltas
    }
    for (key, delta) in deltas { sums[key, default: Sums()].add(delta) }
    return sums.filter { $0.value.count > 0 }.map { key, sums in
      UsageLine(
        series: key.series, epoch: key.epoch, own: key.own, parts: key.parts, sums: sums)
    }
  }
}

struct UsageKey: Hashable {
  var series: Series
  var epoch: Int64
  var own: UInt32
  /// Parts of 10^-15 that own costs count.
  var parts: Int128
}
