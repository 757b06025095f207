package import Metering

/// The memtables and the ledger's snapshot as one: the newest layer wins for records, and sums of
/// all layers add up.
///
/// Memtables are looked at under the books' lock, the snapshot is opened after, and a table that
/// the snapshot covers already is left out: so each answer stands at one boundary.
package struct Layers: Reading {
  let view: LedgerView
  /// Oldest first.
  let tables: [Memtable]
  let hashKey: HashKey
  let lock: StoreLock?
  /// For reading single events back.
  let journal: Journal

  func withTables<Value>(_ body: () throws -> Value) rethrows -> Value {
    if let lock { return try lock.withLock(body) }
    return try body()
  }

  private func newest<Value>(_ look: (Memtable) -> Value?) -> Value? {
    withTables {
      for table in tables.reversed() {
        if let found = look(table) { return found }
      }
      return nil
    }
  }

  func decode(_ body: [UInt8]) throws -> PurchaseRecord {
    guard let record = PurchaseRecord(encoded: body) else {
      throw StoreFault.damaged("a purchase record has an unknown version")
    }
    return record
  }

  package func record(_ id: ByteString) throws -> PurchaseRecord? {
    if let body = newest({ $0.records[id] }) { return try decode(body) }
    return try view.record(id).map { try decode($0) }
  }

  package func chain(_ original: ByteString) throws -> [PurchaseRecord] {
    try merged(
      view.records(where: "original = ?") { $0.bind(1, original) },
      with: { $0.recordsByChain[original] ?? [] }
    ) { $0.purchase?.chain == original }
  }

  /// Records of the ledger and the tables' replacements of them or of what `names` gives; those
  /// that match, by purchase date.
  private func merged(
    _ bodies: [[UInt8]], with names: (Memtable) -> Set<ByteString>,
    matching: (PurchaseRecord) -> Bool
  ) throws -> [PurchaseRecord] {
    var found: [ByteString: PurchaseRecord] = [:]
    for body in bodies {
      let record = try decode(body)
      found[record.transactionId] = record
    }
    var replaced: [ByteString: [UInt8]] = [:]
    withTables {
      for table in tables {
        for id in names(table).union(found.keys) {
          if let body = table.records[id] { replaced[id] = body }
        }
      }
    }
    for (id, body) in replaced { found[id] = try decode(body) }
    return found.values.filter(matching).sorted {
      ($0.purchase?.purchaseDate ?? .distantPast, $0.transactionId)
        < ($1.purchase?.purchaseDate ?? .distantPast, $1.transactionId)
    }
  }

  package func linkedCustomer(ofChain original: ByteString) throws -> ByteString? {
    if let found = newest({ $0.links[original] }) { return found }
    return try view.link(original)
  }

  package func usage(of id: ByteString) throws -> [UsageLine] {
    var sums: [UsageKey: Sums] = [:]
    let hash = hashKey.hash128(id)
    for (key, stored) in try view.usage(of: hash) { sums[key, default: Sums()].add(stored) }
    withTables {
      for table in tables {
        let subject = table.subject(hash: hash)
        guard subject >= 0 else { continue }
        table.forEachUsage(subject: subject) { key, delta in
          let series = table.series[Int(key.series)]
          sums[UsageKey(series: series, epoch: key.epoch, own: key.own), default: Sums()].add(delta)
        }
      }
    }
    return sums.filter { $0.value.count > 0 }.map { key, sums in
      UsageLine(series: key.series, epoch: key.epoch, own: key.own, sums: sums)
    }
  }

  package func levels(of id: ByteString) throws -> [LevelSeries] {
    var points: [Series: [PointKey: Int128]] = [:]
    for (series, time, tie, value) in try view.points(of: id) {
      points[series, default: [:]][PointKey(time: time, tie: tie)] = value
    }
    let hash = hashKey.hash128(id)
    withTables {
      for table in tables {
        let subject = table.subject(hash: hash)
        guard subject >= 0 else { continue }
        for point in table.points where Int(point.subject) == subject {
          let series = table.series[Int(point.series)]
          let key = PointKey(time: point.time, tie: point.tie)
          points[series, default: [:]][key] = point.isRemoved ? nil : point.value
        }
      }
    }
    return points.filter { !$0.value.isEmpty }.map { series, values in
      levelSeries(series, values)
    }
  }

  /// One point for each instant: the later commit's.
  private func levelSeries(_ series: Series, _ values: [PointKey: Int128]) -> LevelSeries {
    var points: [LevelPoint] = []
    for (key, value) in values.sorted(by: { ($0.key.time, $0.key.tie) < ($1.key.time, $1.key.tie) })
    {
      let point = LevelPoint(
        time: Instant(microseconds: key.time), value: value, commit: key.tie)
      if points.last?.time == point.time { points.removeLast() }
      points.append(point)
    }
    return LevelSeries(
      meter: series.meter, attributes: series.attributes.map { (key: $0.key, value: $0.value) },
      points: points)
  }

  package func levelSubjects() throws -> [ByteString] {
    var subjects = Set(try view.levelSubjects())
    withTables {
      for table in tables {
        for point in table.points { subjects.insert(table.id(of: Int(point.subject))) }
      }
    }
    return subjects.sorted()
  }

  package func records(
    customer: ByteString?, after cursor: ByteString?, limit: Int
  ) throws -> [PurchaseRecord] {
    guard let customer else { return try page(after: cursor, limit: limit) }
    let all = try self.customer(customer).transactions.sorted().filter { $0 > cursor ?? "" }
    return try all.prefix(limit).compactMap { try record($0) }
  }

  private func page(after cursor: ByteString?, limit: Int) throws -> [PurchaseRecord] {
    let bodies = try view.records(where: "id > ? ORDER BY id LIMIT ?") {
      $0.bind(1, cursor ?? "")
      $0.bind(2, Int64(limit))
    }
    let all = try merged(bodies, with: { Self.names($0, after: cursor ?? "", limit: limit) }) {
      $0.purchase != nil && $0.transactionId > cursor ?? ""
    }
    return Array(all.sorted { $0.transactionId < $1.transactionId }.prefix(limit))
  }

  /// The first ids behind a cursor among a table's records.
  private static func names(
    _ table: Memtable, after cursor: ByteString, limit: Int
  ) -> Set<ByteString> {
    Set(table.records.keys.filter { $0 > cursor }.sorted().prefix(limit))
  }

  package func tally(from: Instant, to: Instant) throws -> [TallyLine] {
    var lines: [TallyLine] = []
    try view.tally(from: from.microseconds, to: to.microseconds) { lines.append($0.line) }
    withTables {
      for table in tables {
        for (key, sums) in table.tally
        where key.slot >= from.microseconds && key.slot < to.microseconds {
          lines.append(table.row(key, sums).line)
        }
      }
    }
    return lines
  }
}

struct UsageKey: Hashable {
  var series: Series
  var epoch: Int64
  var own: UInt32
}

struct PointKey: Hashable {
  var time: Int64
  var tie: UInt64
}

extension TallyRow {
  var line: TallyLine {
    TallyLine(
      slot: Instant(microseconds: slot), product: label.product, environment: label.environment,
      line: UsageLine(series: series, epoch: epoch, own: own, sums: sums))
  }
}

extension Memtable {
  func row(_ key: TallyKey, _ sums: Sums) -> TallyRow {
    let sum = sumKeys[Int(key.sum)]
    return TallyRow(
      slot: key.slot, label: labels[Int(key.label)], series: series[Int(sum.series)],
      epoch: sum.epoch, own: sum.own, sums: sums)
  }
}
