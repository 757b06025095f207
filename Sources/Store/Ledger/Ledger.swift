package import Metering

/// The SQLite file as its one writer sees it: flushes and merges, off the ack path.
package final class Ledger {
  package let path: String
  let connection: Connection
  private var seriesNumbers: [ByteString: Int64] = [:]

  /// Opens or creates the ledger of a store. Throws a ``LedgerError``, or ``StoreFault`` when the
  /// file belongs to another store or format.
  package init(path: String, storeID: [UInt8]) throws {
    self.path = path
    connection = try Connection(path: path, busyMilliseconds: StoreLimits.busyMilliseconds)
    for statement in Schema.statements { try connection.execute(statement) }
    let meta = Meta(connection)
    if let known = try meta.value("store") {
      guard known == storeID else { throw StoreFault.foreign("ledger.db is of another store") }
      guard try meta.integer("format") == Schema.format else {
        throw StoreFault.foreign("ledger.db has another format")
      }
    } else {
      try connection.write {
        try meta.set("store", storeID)
        try meta.set("format", integer: Schema.format)
      }
    }
    try connection.write {
      try connection.execute(
        "DELETE FROM block WHERE id >> 32 IN (SELECT id FROM run WHERE live = 0)")
      try connection.execute("DELETE FROM filter WHERE id IN (SELECT id FROM run WHERE live = 0)")
      try connection.execute("DELETE FROM run WHERE live = 0")
    }
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

  /// The live runs, oldest first.
  package func runs() throws -> [Run] {
    var runs: [Run] = []
    let statement = try connection.prepare(
      """
      SELECT run.id, level, n, seqMin, seqMax, bits, filter.body FROM run
      JOIN filter ON filter.id = run.id WHERE live = 1 ORDER BY seqMax
      """)
    try statement.forEach { row in
      guard let filter = Filter(bytes: row.blob(6)) else {
        throw StoreFault.damaged("a filter in ledger.db has a wrong size")
      }
      runs.append(
        Run(
          id: row.integer(0), level: row.integer(1), count: row.integer(2),
          firstSequence: UInt64(bitPattern: row.integer(3)),
          lastSequence: UInt64(bitPattern: row.integer(4)), bits: row.integer(5), filter: filter))
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
  /// Returns the run of its keys, nil when it has none.
  package func flush(
    _ table: Memtable, totals: Totals, under configuration: Hash128
  ) throws -> Run? {
    var run: Run?
    do {
      try connection.write {
        let numbers = try table.series.map { try number(ofSeries: $0) }
        try flushUsage(table, series: numbers)
        try flushTally(table, series: numbers)
        try flushPoints(table, series: numbers)
        try flushWaiting(table)
        try flushRecords(table)
        try flushFacts(table)
        run = try flushKeys(table)
        let meta = Meta(connection)
        try store(totals, configuration)
        try meta.set("applied", integer: Int64(bitPattern: table.lastSequence))
        try meta.set("appliedChain", table.lastChain)
      }
    } catch {
      seriesNumbers.removeAll()
      throw error
    }
    try connection.checkpoint()
    return run
  }

  func number(ofSeries series: Series) throws -> Int64 {
    let canonical = ByteString(series.canonical)
    if let known = seriesNumbers[canonical] { return known }
    let insert = try connection.prepare("INSERT OR IGNORE INTO series(canonical) VALUES (?)")
    insert.bind(1, canonical)
    try insert.run()
    let select = try connection.prepare("SELECT id FROM series WHERE canonical = ?")
    select.bind(1, canonical)
    var number: Int64 = 0
    try select.forEach { number = $0.integer(0) }
    if seriesNumbers.count >= StoreLimits.seriesNumbers { seriesNumbers.removeAll() }
    seriesNumbers[canonical] = number
    return number
  }
}

/// The ledger's few single values.
struct Meta {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  func value(_ key: String) throws -> [UInt8]? {
    let statement = try connection.prepare("SELECT v FROM meta WHERE k = ?")
    statement.bind(1, text: key)
    var value: [UInt8]?
    try statement.forEach { value = Array($0.blob(0)) }
    return value
  }

  func integer(_ key: String) throws -> Int64? {
    try value(key).map { bytes in
      bytes.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(as: Int64.self)) }
    }
  }

  func hash(_ key: String) throws -> Hash128? {
    try value(key).map { bytes in
      bytes.withUnsafeBytes {
        Hash128(
          high: UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)),
          low: UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
      }
    }
  }

  func set(_ key: String, _ bytes: [UInt8]) throws {
    let statement = try connection.prepare("INSERT OR REPLACE INTO meta(k, v) VALUES (?, ?)")
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
