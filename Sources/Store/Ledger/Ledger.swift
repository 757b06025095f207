package import Metering

/// The SQLite file as its one writer sees it: flushes and merges, off the ack path.
package final class Ledger {
  package let path: String
  let connection: Connection
  private var seriesNumbers: [Series: Int64] = [:]

  /// Opens or creates the ledger of a store. Throws a ``LedgerError``, or ``StoreFault`` when the
  /// file belongs to another store or format.
  package init(path: String, storeID: [UInt8]) throws {
    self.path = path
    try LedgerFile(path).check()
    connection = try Connection(path: path, busyMilliseconds: StoreLimits.checkpointMilliseconds)
    try Schema.check(connection)
    let meta = Meta(connection)
    if try connection.prepare("SELECT count(*) FROM sqlite_schema").onlyInteger() == 0 {
      // All or nothing: what has a table has an owner.
      try connection.write {
        try connection.execute("PRAGMA application_id=\(Schema.application)")
        try connection.execute("PRAGMA user_version=\(Schema.format)")
        for statement in Schema.statements { try connection.execute(statement) }
        try meta.set("store", storeID)
        try meta.set("format", integer: Schema.format)
      }
    } else {
      guard try meta.value("store") == storeID else {
        throw StoreFault.foreign("ledger.db is of another store")
      }
    }
    while try removeDeadSlice() {}
  }

  /// Last journal sequence number that the ledger covers, and the journal's chain there.
  package func applied() throws -> (sequence: UInt64, chain: Hash128) {
    let meta = Meta(connection)
    let sequence = UInt64(bitPattern: try meta.integer("applied") ?? 0)
    return (sequence, try meta.hash("appliedChain") ?? Hash128(high: 0, low: 0))
  }

  /// The totals at ``applied()``.
  package func totals() throws -> Totals {
    guard let bytes = try Meta(connection).value("totals") else { return Totals() }
    guard let totals = Totals(encoded: bytes) else {
      throw StoreFault.foreign("the totals have another format")
    }
    return totals
  }

  /// The live runs.
  package func runs() throws -> LiveRuns { try Self.runs(in: connection) }

  static func runs(in connection: Connection) throws -> LiveRuns {
    var runs = LiveRuns()
    let statement = try connection.cached(
      """
      SELECT run.id, kind, level, n, seqMin, seqMax, locMin, locMax, filter.body FROM run
      LEFT JOIN filter ON filter.id = run.id WHERE live = 1 ORDER BY seqMax
      """)
    try statement.forEach { row in
      guard let kind = RunKind(rawValue: row.integer(1)) else {
        throw StoreFault.ledger("a run in ledger.db is of an unknown kind")
      }
      let filter = Filter(bytes: row.blob(8))
      let least = UInt64(bitPattern: row.integer(6))
      let most = UInt64(bitPattern: row.integer(7))
      guard least <= most && (filter == nil) == (kind == .usage) else {
        throw StoreFault.ledger("a run in ledger.db is damaged")
      }
      runs.append(
        Run(
          id: row.integer(0), kind: kind, level: row.integer(2), count: row.integer(3),
          firstSequence: UInt64(bitPattern: row.integer(4)),
          lastSequence: UInt64(bitPattern: row.integer(5)), locations: least...most,
          filter: filter))
    }
    return runs
  }

  /// Hash of the configuration that ``totals()`` stand under; nil in a new ledger.
  package func configurationHash() throws -> Hash128? {
    try Meta(connection).hash("configuration")
  }

  /// Replaces the totals at ``applied()``, which must cover everything that they count.
  package func save(_ totals: Totals, under configuration: Hash128) throws {
    try connection.write { try store(totals, configuration) }
  }

  private func store(_ totals: Totals, _ configuration: Hash128) throws {
    let meta = Meta(connection)
    try meta.set("totals", totals.encode())
    try meta.set("configuration", configuration)
  }

  /// Writes a frozen memtable in one transaction; `totals` are those at its end and stand under
  /// the configuration with this hash.
  /// Returns the runs of its keys and usage. A ``checkpoint()`` is due after.
  package func flush(
    _ table: Memtable, totals: Totals, under configuration: Hash128
  ) throws -> [Run] {
    do {
      return try connection.write {
        let numbers = try table.series.map { try number(ofSeries: $0) }
        let sums = try table.sumKeys.map { try number(ofSum: $0, series: numbers) }
        try flushQuarterHours(table, series: numbers)
        try flushPoints(table, series: numbers)
        try flushWaiting(table)
        try flushRecords(table)
        try flushLinks(table)
        try flushConsents(table)
        try flushMarks(table)
        try flushQuarantine(table)
        try flushFollowUps(table)
        try flushNotifications(table, newest: totals.lastNotification)
        let runs = [try flushKeys(table), try flushUsage(table, sums: sums)]
        let meta = Meta(connection)
        try store(totals, configuration)
        try meta.set("applied", integer: Int64(bitPattern: table.lastSequence))
        try meta.set("appliedChain", table.lastChain)
        return runs.compactMap { $0 }
      }
    } catch {
      seriesNumbers.removeAll()
      throw error
    }
  }

  func number(ofSeries series: Series) throws -> Int64 {
    if let known = seriesNumbers[series] { return known }
    let canonical = series.canonical
    let insert = try connection.cached("INSERT OR IGNORE INTO series(canonical) VALUES (?)")
    insert.bind(1, canonical)
    try insert.run()
    let select = try connection.cached("SELECT id FROM series WHERE canonical = ?")
    select.bind(1, canonical)
    let number = try select.onlyInteger()
    if seriesNumbers.count >= StoreLimits.seriesNumbers { seriesNumbers.removeAll() }
    seriesNumbers[series] = number
    return number
  }

  private func number(ofSum key: SumKey, series numbers: [Int64]) throws -> Int64 {
    let insert = try connection.cached(
      "INSERT OR IGNORE INTO sumkey(series, epoch, own, parts) VALUES (?, ?, ?, ?)")
    let select = try connection.cached(
      "SELECT id FROM sumkey WHERE series = ? AND epoch = ? AND own = ? AND parts = ?")
    for statement in [insert, select] {
      statement.bind(1, numbers[Int(key.series)])
      statement.bind(2, key.epoch)
      statement.bind(3, Int64(key.own))
      statement.bind(4, parts: key.parts)
    }
    try insert.run()
    return try select.onlyInteger()
  }
}

/// The ledger's few single values.
struct Meta {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  func value(_ key: String) throws -> [UInt8]? {
    let statement = try connection.cached("SELECT v FROM meta WHERE k = ?")
    statement.bind(1, text: key)
    var value: [UInt8]?
    try statement.forEach { value = Array($0.blob(0)) }
    return value
  }

  func integer(_ key: String) throws -> Int64? {
    try value(key).map { bytes in
      guard bytes.count == 8 else {
        throw StoreFault.ledger("\(key) in ledger.db has another size")
      }
      return bytes.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(as: Int64.self)) }
    }
  }

  func hash(_ key: String) throws -> Hash128? {
    try value(key).map { bytes in
      guard bytes.count == 16 else {
        throw StoreFault.ledger("\(key) in ledger.db has another size")
      }
      return bytes.withUnsafeBytes {
        Hash128(
          high: UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)),
          low: UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
      }
    }
  }

  func set(_ key: String, _ bytes: [UInt8]) throws {
    let statement = try connection.cached("INSERT OR REPLACE INTO meta(k, v) VALUES (?, ?)")
    statement.bind(1, text: key)
    statement.bind(2, bytes)
    try statement.run()
  }

  func set(_ key: String, integer: Int64) throws {
    try set(key, withUnsafeBytes(of: integer.littleEndian) { Array($0) })
  }

  func set(_ key: String, _ hash: Hash128) throws {
    try set(
      key,
      withUnsafeBytes(of: hash.high.littleEndian) { Array($0) }
        + withUnsafeBytes(of: hash.low.littleEndian) { Array($0) })
  }
}
