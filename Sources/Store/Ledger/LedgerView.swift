import Metering

/// The ledger as a reader sees it: one connection, one snapshot for each question.
package final class LedgerView: @unchecked Sendable {
  // Unchecked: each view has one owning thread.
  private(set) var connection: Connection
  private let path: String
  /// Which of the ledgers that had this name it looks into.
  private(set) var generation = 0
  /// What numbers of sums stand for; they never change.
  var sumKeys: [Int64: UsageKey] = [:]

  /// Opens the ledger for reading. Throws ``StoreFault/foreign(_:)`` for another format.
  package init(path: String) throws {
    self.path = path
    connection = try Self.open(path)
  }

  private static func open(_ path: String) throws -> Connection {
    try LedgerFile(path).checkFormat()
    let connection = try Connection.reading(
      path, busyMilliseconds: StoreLimits.busyMilliseconds)
    try Schema.check(connection)
    return connection
  }

  /// Looks into the ledger that has the name now, if it is another one than before. Its owner's.
  func renew(_ generation: Int) throws {
    guard generation != self.generation else { return }
    connection = try Self.open(path)
    sumKeys.removeAll()
    self.generation = generation
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

  /// Chains linked to the customer with this key.
  func chains(of customer: ByteString) throws -> [ByteString] {
    let statement = try connection.cached("SELECT original FROM chain WHERE key = ?")
    statement.bind(1, customer)
    var chains: [ByteString] = []
    try statement.forEach { chains.append($0.bytes(0)) }
    return chains
  }

  /// Transactions whose `appAccountToken` has this key.
  func transactions(withToken key: ByteString) throws -> [ByteString] {
    let statement = try connection.cached("SELECT id FROM purchase WHERE customer = ?")
    statement.bind(1, key)
    var ids: [ByteString] = []
    try statement.forEach { ids.append($0.bytes(0)) }
    return ids
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

  func tally(from: Int64, to: Int64, _ row: (TallyRow) throws -> Void) throws {
    let statement = try connection.cached(
      """
      SELECT q, amount, n, first, last, slot, product, env, canonical, epoch, own FROM tally
      JOIN series ON series.id = tally.series WHERE slot >= ? AND slot < ?
      """)
    statement.bind(1, from)
    statement.bind(2, to)
    try statement.forEach { found in
      try row(
        TallyRow(
          slot: found.integer(5),
          label: Label(product: found.bytes(6), environment: found.bytes(7)),
          series: Series(canonical: found.blob(8)),
          epoch: found.integer(9), own: UInt32(truncatingIfNeeded: found.integer(10)),
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
        number: Int32(row.integer(2)))
      readings[key] = WaitingReading(
        series: Series(canonical: row.blob(3)), quantity: WideBlob.value(row.blob(4)),
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

  /// Work that is left.
  func followUps() throws -> [FollowUp: FollowUpState] {
    var left: [FollowUp: FollowUpState] = [:]
    try connection.prepare("SELECT kind, subject, product, env, done FROM follow_up").forEach {
      row in
      guard let kind = FollowUp.Kind(rawValue: UInt8(truncatingIfNeeded: row.integer(0))) else {
        throw StoreFault.ledger("ledger.db names work of an unknown kind")
      }
      left[FollowUp(kind: kind, subject: row.bytes(1))] = FollowUpState(
        from: Label(product: row.bytes(2), environment: row.bytes(3)),
        done: UInt64(bitPattern: row.integer(4)))
    }
    return left
  }

  /// The first kept events behind a location, or of all, among those that `isKept`.
  func quarantined(
    after location: UInt64?, limit: Int, where isKept: (UInt64) -> Bool
  ) throws -> [KeptEvent] {
    let statement = try connection.cached(
      "SELECT location, received, raw FROM quarantine WHERE location > ? ORDER BY location")
    statement.bind(1, location.map { Int64(bitPattern: $0) } ?? .min)
    defer { statement.reset() }
    var events: [KeptEvent] = []
    while events.count < limit, try statement.step() {
      let place = UInt64(bitPattern: statement.integer(0))
      guard isKept(place) else { continue }
      events.append(
        KeptEvent(
          location: place, receivedAt: statement.integer(1), raw: Array(statement.blob(2))))
    }
    return events
  }
}

/// A row of the tally.
struct TallyRow {
  var slot: Int64
  var label: Label
  var series: Series
  var epoch: Int64
  var own: UInt32
  var sums: Sums
}
