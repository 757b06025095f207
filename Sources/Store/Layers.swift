package import Metering

/// The memtables and the ledger's snapshot as one: the newest layer wins for records, and sums of
/// all layers add up.
///
/// Which tables there are is taken down before the snapshot is opened, and one that the snapshot
/// covers already is left out. How they are looked into decides whether an answer stands at one
/// boundary: see ``TableLooks``.
package struct Layers: Reading {
  let view: LedgerView
  let looks: any TableLooks
  let hashKey: HashKey
  /// For reading single events back.
  let journal: Journal
  /// Single readings that were read already.
  var readBack = ReadBack()
  /// Called as the work goes on; throws when it has to end.
  var pace: () throws -> Void = {}

  private func newest<Value>(_ name: Look, _ find: @escaping (Memtable) -> Value?) -> Value? {
    looks.look(name) { tables in
      for table in tables.reversed() {
        if let found = find(table) { return found }
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
    try pace()
    if let body = newest(.record(id), { $0.records[id] }) { return try decode(body) }
    return try view.record(id).map { try decode($0) }
  }

  package func chain(_ original: ByteString) throws -> [PurchaseRecord] {
    try pace()
    let names = looks.look(.chain(original)) { tables in
      tables.reduce(into: Set()) { $0.formUnion($1.recordsByChain[original] ?? []) }
    }
    return try merged(
      view.records(where: "original = ?") { $0.bind(1, original) }, with: names
    ) { $0.purchase?.chain == original }
  }

  /// Records of the ledger and the tables' replacements of them or of those with other `names`;
  /// those that match, by purchase date.
  private func merged(
    _ bodies: [[UInt8]], with names: Set<ByteString>, matching: (PurchaseRecord) -> Bool
  ) throws -> [PurchaseRecord] {
    var found: [ByteString: PurchaseRecord] = [:]
    for body in bodies {
      let record = try decode(body)
      found[record.transactionId] = record
    }
    for (id, body) in freshRecords(names.union(found.keys)) { found[id] = try decode(body) }
    return found.values.filter(matching).sorted {
      ($0.purchase?.purchaseDate ?? .distantPast, $0.transactionId)
        < ($1.purchase?.purchaseDate ?? .distantPast, $1.transactionId)
    }
  }

  /// The tables' records of some transactions.
  private func freshRecords(_ ids: Set<ByteString>) -> [ByteString: [UInt8]] {
    looks.look(.records(ids)) { tables in
      var bodies: [ByteString: [UInt8]] = [:]
      for table in tables {
        for id in ids {
          if let body = table.records[id] { bodies[id] = body }
        }
      }
      return bodies
    }
  }

  package func linkedCustomer(ofChain original: ByteString) throws -> ByteString? {
    if let found = newest(.link(original), { $0.links[original] }) { return found }
    return try view.link(original)
  }

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
          deltas.append((UsageKey(series: series, epoch: key.epoch, own: key.own), delta))
        }
      }
      return deltas
    }
    for (key, delta) in deltas { sums[key, default: Sums()].add(delta) }
    return sums.filter { $0.value.count > 0 }.map { key, sums in
      UsageLine(series: key.series, epoch: key.epoch, own: key.own, sums: sums)
    }
  }

  package func levels(of id: ByteString) throws -> [LevelSeries] {
    var points: [Series: [PointKey: Int128]] = [:]
    for (series, time, tie, value) in try view.points(of: id) {
      points[series, default: [:]][PointKey(time: time, tie: tie)] = value
    }
    for (series, point) in freshPoints(of: hashKey.hash128(id)) {
      let key = PointKey(time: point.time, tie: point.tie)
      points[series, default: [:]][key] = point.isRemoved ? nil : point.value
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
    Set(try view.levelSubjects()).union(freshLevelSubjects()).sorted()
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
    let names = freshRecordIds(after: cursor ?? "").sorted().prefix(limit)
    let all = try merged(bodies, with: Set(names)) {
      $0.purchase != nil && $0.transactionId > cursor ?? ""
    }
    return Array(all.sorted { $0.transactionId < $1.transactionId }.prefix(limit))
  }

  package func tally(from: Instant, to: Instant) throws -> [TallyLine] {
    var lines: [TallyLine] = []
    try forEachTally(from: from, to: to) { lines.append($0) }
    return lines
  }

  /// Calls `body` with each line of the tally, one after another: all of time has more of them than
  /// memory should hold.
  func forEachTally(
    from: Instant, to: Instant, _ body: (TallyLine) throws -> Void
  ) throws {
    try view.tally(from: from.microseconds, to: to.microseconds) { try body($0.line) }
    let rows = looks.look(.tally(from: from.microseconds, to: to.microseconds)) { tables in
      var rows: [TallyRow] = []
      for table in tables {
        for (key, sums) in table.tally
        where key.slot >= from.microseconds && key.slot < to.microseconds {
          rows.append(table.row(key, sums))
        }
      }
      return rows
    }
    for row in rows { try body(row.line) }
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
