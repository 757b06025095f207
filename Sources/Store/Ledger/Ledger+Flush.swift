import Metering

extension Ledger {
  /// Adds the table's sums to the ledger's, in order of id so that pages are met in order.
  func flushUsage(_ table: Memtable, series numbers: [Int64]) throws {
    let order = table.subjects.indices.sorted { table.precedes($0, $1) }
    let upsert = try SumUpsert(
      connection, table: "usage", keys: ["purchase", "series", "epoch", "own"])
    for subject in order {
      let id = table.id(of: subject)
      try table.forEachUsage(subject: subject) { key, sums in
        try upsert.add(sums) { statement in
          statement.bind(1, id)
          statement.bind(2, numbers[Int(key.series)])
          statement.bind(3, key.epoch)
          statement.bind(4, Int64(key.own))
        }
      }
    }
  }

  func flushTally(_ table: Memtable, series numbers: [Int64]) throws {
    // What moved in this table was early in older ones; its own early sums are gone already.
    let delete = try connection.prepare("DELETE FROM tally WHERE early = ? AND early <> x''")
    for id in table.moved {
      delete.bind(1, id)
      try delete.run()
    }
    let upsert = try SumUpsert(
      connection, table: "tally",
      keys: ["slot", "product", "env", "early", "series", "epoch", "own"])
    let sorted = table.tally.sorted { ($0.key.slot, $0.key.sum) < ($1.key.slot, $1.key.sum) }
    for (key, sums) in sorted {
      let label = key.label < 0 ? Label.early : table.labels[Int(key.label)]
      let sum = table.sumKeys[Int(key.sum)]
      try upsert.add(sums) { statement in
        statement.bind(1, key.slot)
        statement.bind(2, label.product)
        statement.bind(3, label.environment)
        statement.bind(4, key.early < 0 ? "" : table.id(of: Int(key.early)))
        statement.bind(5, numbers[Int(sum.series)])
        statement.bind(6, sum.epoch)
        statement.bind(7, Int64(sum.own))
      }
    }
  }

  func flushPoints(_ table: Memtable, series numbers: [Int64]) throws {
    let put = try connection.prepare(
      "INSERT OR REPLACE INTO point(subject, series, time, tie, value) VALUES (?, ?, ?, ?, ?)")
    let delete = try connection.prepare(
      "DELETE FROM point WHERE subject = ? AND series = ? AND time = ? AND tie = ?")
    for point in table.points {
      let statement = point.isRemoved ? delete : put
      statement.bind(1, table.id(of: Int(point.subject)))
      statement.bind(2, numbers[Int(point.series)])
      statement.bind(3, point.time)
      statement.bind(4, Int64(bitPattern: point.tie))
      if !point.isRemoved { statement.bind(5, WideBlob.bytes(point.value)) }
      try statement.run()
    }
  }

  func flushWaiting(_ table: Memtable) throws {
    let put = try connection.prepare(
      "INSERT OR REPLACE INTO unattributed VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    let delete = try connection.prepare(
      """
      DELETE FROM unattributed
      WHERE kind = ? AND subject = ? AND time = ? AND location = ? AND number = ?
      """)
    for (key, reading) in table.waiting {
      let statement = reading == nil ? delete : put
      statement.bind(1, Int64(key.kind))
      statement.bind(2, key.subject)
      statement.bind(3, key.time)
      statement.bind(4, Int64(bitPattern: key.location))
      statement.bind(5, Int64(key.number))
      if let reading {
        statement.bind(6, try number(ofSeries: reading.series))
        statement.bind(7, WideBlob.bytes(reading.quantity))
        statement.bind(8, Int64(reading.own))
        statement.bind(9, WideBlob.bytes(reading.amount))
        statement.bind(10, reading.isLevel ? 1 : 0)
      }
      try statement.run()
    }
  }

  func flushRecords(_ table: Memtable) throws {
    let put = try connection.prepare(
      "INSERT OR REPLACE INTO purchase(id, original, customer, bought, body) "
        + "VALUES (?, ?, ?, ?, ?)")
    for (id, body) in table.records.sorted(by: { $0.key < $1.key }) {
      guard let record = PurchaseRecord(encoded: body) else {
        throw StoreFault.damaged("a record in the journal has an unknown version")
      }
      put.bind(1, id)
      put.bind(2, record.purchase?.chain ?? id)
      if let token = record.purchase?.accountToken { put.bind(3, token) } else { put.bindNull(3) }
      if let bought = record.purchase?.purchaseDate {
        put.bind(4, bought.microseconds)
      } else {
        put.bindNull(4)
      }
      put.bind(5, body)
      try put.run()
    }
  }

  func flushFacts(_ table: Memtable) throws {
    let link = try connection.prepare("INSERT OR REPLACE INTO chain VALUES (?, ?)")
    for (chain, customer) in table.links {
      link.bind(1, chain)
      link.bind(2, customer)
      try link.run()
    }
    let consent = try connection.prepare("INSERT OR REPLACE INTO consent VALUES (?, ?, ?)")
    for (key, given) in table.consents {
      consent.bind(1, key.customer)
      consent.bind(2, key.at)
      consent.bind(3, given ? 1 : 0)
      try consent.run()
    }
    let mark = try connection.prepare("INSERT OR REPLACE INTO mark VALUES (?, ?)")
    for (source, through) in table.marks {
      mark.bind(1, source)
      if through == .min { mark.bindNull(2) } else { mark.bind(2, through) }
      try mark.run()
    }
    let keep = try connection.prepare("INSERT OR REPLACE INTO quarantine VALUES (?, ?, ?, ?)")
    let release = try connection.prepare("DELETE FROM quarantine WHERE location = ?")
    for (location, event) in table.quarantine {
      let statement = event == nil ? release : keep
      statement.bind(1, Int64(bitPattern: location))
      if let event {
        statement.bind(2, Int64(event.code))
        statement.bind(3, event.receivedAt)
        statement.bind(4, event.raw)
      }
      try statement.run()
    }
  }

  func flushKeys(_ table: Memtable) throws -> Run? {
    guard !table.keys.entries.isEmpty else { return nil }
    let sorted = table.keys.entries.sorted { ($0.key.high, $0.key.low) < ($1.key.high, $1.key.low) }
    var writer = try RunWriter(
      connection, level: 0, expected: sorted.count, firstSequence: table.firstSequence,
      lastSequence: table.lastSequence)
    for entry in sorted { try writer.add(entry) }
    return try writer.finish(live: true)
  }
}

/// Adds deltas to rows of exact sums: SQLite adds 64 bits only, so a row is read and replaced.
struct SumUpsert {
  private let select: Statement
  private let put: Statement
  private let first: Int32

  init(_ connection: Connection, table: String, keys: [String]) throws {
    let condition = keys.map { "\($0) = ?" }.joined(separator: " AND ")
    let columns = keys.joined(separator: ", ")
    let places = Array(repeating: "?", count: keys.count + 5).joined(separator: ", ")
    select = try connection.prepare(
      "SELECT q, amount, n, first, last FROM \(table) WHERE \(condition)")
    put = try connection.prepare(
      "INSERT OR REPLACE INTO \(table)(\(columns), q, amount, n, first, last) VALUES (\(places))")
    first = Int32(keys.count) + 1
  }

  func add(_ delta: Sums, bindKeys: (Statement) -> Void) throws {
    var sums = delta
    bindKeys(select)
    if try select.step() { sums.add(Sums(row: select, from: 0)) }
    select.reset()
    bindKeys(put)
    put.bind(first, WideBlob.bytes(sums.quantity))
    put.bind(first + 1, WideBlob.bytes(sums.amount))
    put.bind(first + 2, sums.count)
    put.bind(first + 3, sums.first)
    put.bind(first + 4, sums.last)
    _ = try put.step()
    put.reset()
  }
}

extension Sums {
  /// Sums of a row whose columns q, amount, n, first, last begin at `column`.
  init(row: Statement, from column: Int32) {
    self.init()
    quantity = WideBlob.value(row.blob(column))
    amount = WideBlob.value(row.blob(column + 1))
    count = row.integer(column + 2)
    first = row.integer(column + 3)
    last = row.integer(column + 4)
  }
}
