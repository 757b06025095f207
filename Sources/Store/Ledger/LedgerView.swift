import Metering

/// The ledger as a reader sees it: one connection, one snapshot for each question.
package final class LedgerView: @unchecked Sendable {
  // Unchecked: each view has one owning thread.
  let connection: Connection
  /// What numbers of sums stand for; they never change.
  var sumKeys: [Int64: UsageKey] = [:]

  /// Opens the ledger for reading.
  package init(path: String) throws {
    connection = try Connection(
      path: path, readOnly: true, busyMilliseconds: StoreLimits.busyMilliseconds)
  }

  /// Last sequence number that this snapshot covers.
  func applied() throws -> UInt64 {
    UInt64(bitPattern: try Meta(connection).integer("applied") ?? 0)
  }

  func record(_ id: ByteString) throws -> [UInt8]? {
    let statement = try connection.cached("SELECT body FROM purchase WHERE id = ?")
    statement.bind(1, id)
    var body: [UInt8]?
    try statement.forEach { body = Array($0.blob(0)) }
    return body
  }

  func records(where condition: String, _ bind: (Statement) -> Void) throws -> [[UInt8]] {
    let statement = try connection.cached("SELECT body FROM purchase WHERE \(condition)")
    bind(statement)
    var bodies: [[UInt8]] = []
    try statement.forEach { bodies.append(Array($0.blob(0))) }
    return bodies
  }

  func link(_ chain: ByteString) throws -> ByteString? {
    let statement = try connection.cached("SELECT customer FROM chain WHERE original = ?")
    statement.bind(1, chain)
    var customer: ByteString?
    try statement.forEach { customer = $0.bytes(0) }
    return customer
  }

  func chains(of customer: ByteString) throws -> [ByteString] {
    let statement = try connection.cached("SELECT original FROM chain WHERE customer = ?")
    statement.bind(1, customer)
    var chains: [ByteString] = []
    try statement.forEach { chains.append($0.bytes(0)) }
    return chains
  }

  func points(of id: ByteString) throws -> [(Series, Int64, UInt64, Int128)] {
    let statement = try connection.cached(
      """
      SELECT canonical, time, tie, value FROM point
      JOIN series ON series.id = point.series WHERE subject = ?
      """)
    statement.bind(1, id)
    var points: [(Series, Int64, UInt64, Int128)] = []
    try statement.forEach { row in
      points.append(
        (
          Series(canonical: row.blob(0)), row.integer(1), UInt64(bitPattern: row.integer(2)),
          WideBlob.value(row.blob(3))
        ))
    }
    return points
  }

  func levelSubjects() throws -> [ByteString] {
    var subjects: [ByteString] = []
    try connection.cached("SELECT DISTINCT subject FROM point").forEach {
      subjects.append($0.bytes(0))
    }
    return subjects
  }

  func tally(
    from: Int64, to: Int64, early: ByteString? = nil,
    _ row: (TallyRow) throws -> Void
  ) throws {
    let condition = early == nil ? "slot >= ? AND slot < ?" : "early = ? AND early <> x''"
    let statement = try connection.cached(
      """
      SELECT q, amount, n, first, last, slot, product, env, early, canonical, epoch, own FROM tally
      JOIN series ON series.id = tally.series WHERE \(condition)
      """)
    if let early {
      statement.bind(1, early)
    } else {
      statement.bind(1, from)
      statement.bind(2, to)
    }
    try statement.forEach { found in
      try row(
        TallyRow(
          slot: found.integer(5),
          label: Label(product: found.bytes(6), environment: found.bytes(7)),
          early: found.bytes(8), series: Series(canonical: found.blob(9)),
          epoch: found.integer(10), own: UInt32(truncatingIfNeeded: found.integer(11)),
          sums: Sums(row: found, from: 0)))
    }
  }

  func consent(of customer: ByteString) throws -> [(Int64, Bool)] {
    let statement = try connection.cached("SELECT at, given FROM consent WHERE customer = ?")
    statement.bind(1, customer)
    var answers: [(Int64, Bool)] = []
    try statement.forEach { answers.append(($0.integer(0), $0.integer(1) != 0)) }
    return answers
  }

  func waiting(
    kind: Int64, subject: ByteString
  ) throws -> [WaitingKey: (meter: ByteString, quantity: Int128)] {
    let statement = try connection.cached(
      """
      SELECT time, location, number, canonical, q FROM unattributed
      JOIN series ON series.id = unattributed.series WHERE kind = ? AND subject = ?
      """)
    statement.bind(1, kind)
    statement.bind(2, subject)
    var readings: [WaitingKey: (meter: ByteString, quantity: Int128)] = [:]
    try statement.forEach { row in
      let key = WaitingKey(
        kind: UInt8(kind), subject: subject, time: row.integer(0),
        location: UInt64(bitPattern: row.integer(1)), number: Int32(row.integer(2)))
      readings[key] = (Series(canonical: row.blob(3)).meter, WideBlob.value(row.blob(4)))
    }
    return readings
  }

  func quarantine() throws -> [(UInt64, QuarantinedEvent)] {
    var events: [(UInt64, QuarantinedEvent)] = []
    let statement = try connection.cached(
      "SELECT location, code, received, raw FROM quarantine ORDER BY location")
    try statement.forEach { row in
      events.append(
        (
          UInt64(bitPattern: row.integer(0)),
          QuarantinedEvent(
            code: UInt8(truncatingIfNeeded: row.integer(1)), receivedAt: row.integer(2),
            raw: Array(row.blob(3)))
        ))
    }
    return events
  }
}

/// A row of the tally.
struct TallyRow {
  var slot: Int64
  var label: Label
  /// The transaction of early usage, else empty.
  var early: ByteString
  var series: Series
  var epoch: Int64
  var own: UInt32
  var sums: Sums
}
