import Metering

extension Ledger {
  func flushWaiting(_ table: Memtable) throws {
    let put = try connection.cached(
      "INSERT OR REPLACE INTO unattributed VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
    let delete = try connection.cached(
      """
      DELETE FROM unattributed
      WHERE kind = ? AND subject = ? AND time = ? AND location = ? AND number = ?
      """)
    for (subject, readings) in table.waiting {
      for (key, reading) in readings {
        let statement = reading == nil ? delete : put
        statement.bind(1, Int64(subject.kind))
        statement.bind(2, subject.subject)
        statement.bind(3, key.time)
        statement.bind(4, Int64(bitPattern: key.location))
        statement.bind(5, Int64(key.number))
        if let reading {
          statement.bind(6, try number(ofSeries: reading.series))
          statement.bind(7, wide: reading.quantity)
          statement.bind(8, Int64(reading.own))
          statement.bind(9, wide: reading.amount)
        }
        try statement.run()
      }
    }
  }
}

extension LedgerView {
  func waiting(_ subject: WaitingSubject) throws -> [WaitingKey: WaitingReading] {
    let statement = try connection.cached(
      """
      SELECT time, location, number, canonical, q, own, amount FROM unattributed
      JOIN series ON series.id = unattributed.series WHERE kind = ? AND subject = ?
      """)
    statement.bind(1, Int64(subject.kind))
    statement.bind(2, subject.subject)
    var readings: [WaitingKey: WaitingReading] = [:]
    try statement.forEach { row in
      let key = WaitingKey(
        time: row.integer(0), location: UInt64(bitPattern: row.integer(1)),
        number: Int32(truncatingIfNeeded: row.integer(2)))
      readings[key] = WaitingReading(
        series: try Series(stored: row.blob(3)), quantity: WideBlob.value(row.blob(4)),
        own: UInt32(truncatingIfNeeded: row.integer(5)), amount: WideBlob.value(row.blob(6)))
    }
    return readings
  }

  /// Whether readings of the ledger wait for purchases of a chain or customer.
  func hasWaiting(_ subject: WaitingSubject) throws -> Bool {
    let statement = try connection.cached(
      "SELECT 1 FROM unattributed WHERE kind = ? AND subject = ? LIMIT 1")
    statement.bind(1, Int64(subject.kind))
    statement.bind(2, subject.subject)
    defer { statement.reset() }
    return try statement.step()
  }
}

extension BooksSnapshot {
  /// Readings that wait for purchases of a chain or customer.
  func waiting(_ subject: WaitingSubject) throws -> [WaitingKey: WaitingReading] {
    var readings = try view.waiting(subject)
    let fresh = looks.look(.waiting(subject)) { tables in tables.map { $0.waiting[subject] ?? [:] }
    }
    for table in fresh {
      for (key, reading) in table { readings[key] = reading }
    }
    return readings
  }
}

extension Comparison {
  mutating func compareWaiting(_ recomputed: Recomputed) throws {
    var expected = recomputed.waiting
    var different = 0
    var seen = 0
    try view.connection.prepare(
      "SELECT kind, subject, time, location, number, q FROM unattributed"
    ).forEach { row in
      let subject = WaitingSubject(
        kind: UInt8(truncatingIfNeeded: row.integer(0)), subject: row.bytes(1))
      guard recomputed.holds(recomputed.hashKey.hash128(subject.subject)) else { return }
      seen += 1
      let place = Recomputed.WaitingPlace(
        subject: subject,
        key: WaitingKey(
          time: row.integer(2), location: UInt64(bitPattern: row.integer(3)),
          number: Int32(truncatingIfNeeded: row.integer(4))))
      if expected.removeValue(forKey: place) != WideBlob.value(row.blob(5)) { different += 1 }
    }
    found.waiting += seen
    different += expected.count
    if different > 0 { found.note("\(different) waiting readings differ from the journal") }
  }
}
