import Metering

/// Figures that a slice of the rollup made anew.
struct ReplacedFigures {
  /// Whose they are: a purchase, a chain's levels or a customer's.
  var row: Change
  /// What was counted until now; nil for nothing.
  var old: PurchaseFigures?
  /// What is counted from now on; nil for nothing.
  var new: PurchaseFigures?
}

extension Ledger {
  /// How far the rollup was; nil when there was none.
  func rollupState() throws -> RollupState? {
    guard let bytes = try Meta(connection).value("rollup") else { return nil }
    guard let state = RollupState(encoded: bytes) else {
      throw StoreFault.foreign("the rollup has another format")
    }
    return state
  }

  /// The sums of all figures.
  func rollupSums() throws -> [RollupKey: Fraction] {
    var sums: [RollupKey: Fraction] = [:]
    try connection.cached("SELECT key, value FROM rollup_total").forEach { row in
      guard let key = RollupKey(encoded: row.blob(0)), let sum = Fraction(encoded: row.blob(1))
      else { throw StoreFault.ledger("a sum of the rollup in ledger.db is damaged") }
      sums[key] = sum
    }
    return sums
  }

  /// The soonest end of the time to answer a case among all figures; nil without one.
  func rolledUpRespondBy() throws -> Instant? {
    var soonest: Instant?
    try connection.cached(
      "SELECT respond_by FROM rollup WHERE respond_by IS NOT NULL ORDER BY respond_by LIMIT 1"
    ).forEach { soonest = Instant(microseconds: $0.integer(0)) }
    return soonest
  }

  /// Saves a slice in one transaction: figures, the sums that changed with them, and the state.
  func save(
    _ figures: [ReplacedFigures], _ totals: RollupTotals, _ state: RollupState
  ) throws {
    try connection.write {
      let put = try connection.cached(
        "INSERT OR REPLACE INTO rollup(kind, subject, due, respond_by, rank, body) "
          + "VALUES (?, ?, ?, ?, ?, ?)")
      let delete = try connection.cached(
        "DELETE FROM rollup WHERE kind = ? AND subject = ?")
      for one in figures where one.old != one.new {
        let statement = one.new == nil ? delete : put
        statement.bind(1, Int64(one.row.kind.rawValue))
        statement.bind(2, one.row.id)
        if let new = one.new {
          statement.bind(3, new.due?.microseconds)
          statement.bind(4, new.respondBy?.microseconds)
          statement.bind(5, new.rank?.order)
          statement.bind(6, new.encode())
        }
        try statement.run()
      }
      let sum = try connection.cached(
        "INSERT OR REPLACE INTO rollup_total(key, value) VALUES (?, ?)")
      for key in totals.changed {
        sum.bind(1, key.encode())
        sum.bind(2, (totals.sums[key] ?? .zero).encode())
        try sum.run()
      }
      try Meta(connection).set("rollup", state.encoded)
    }
  }
}

extension Statement {
  fileprivate func bind(_ index: Int32, _ value: Int64?) {
    if let value { bind(index, value) } else { bindNull(index) }
  }
}

extension LedgerView {
  /// The figures that are counted of a purchase or an owner of levels; nil for none.
  func figures(of row: Change) throws -> PurchaseFigures? {
    let statement = try connection.cached(
      "SELECT body FROM rollup WHERE kind = ? AND subject = ?")
    statement.bind(1, Int64(row.kind.rawValue))
    statement.bind(2, row.id)
    var found: PurchaseFigures?
    try statement.forEach { row in
      guard let figures = PurchaseFigures(encoded: row.blob(0)) else {
        throw StoreFault.ledger("figures of the rollup in ledger.db have an unknown version")
      }
      found = figures
    }
    return found
  }

  /// Whose figures change by time alone up to an instant, the longest due first.
  func dueRows(at now: Instant, limit: Int) throws -> [Change] {
    let statement = try connection.cached(
      "SELECT kind, subject FROM rollup WHERE due <= ? ORDER BY due LIMIT ?")
    statement.bind(1, now.microseconds)
    statement.bind(2, Int64(limit))
    var rows: [Change] = []
    try statement.forEach { row in
      guard let kind = Change.Kind(rawValue: UInt8(truncatingIfNeeded: row.integer(0))) else {
        throw StoreFault.ledger("the rollup in ledger.db has figures of nothing known")
      }
      rows.append(Change(kind, row.bytes(1)))
    }
    return rows
  }

  /// Purchases with a refund case that was open when it was rolled up.
  func openRows() throws -> [Change] {
    var rows: [Change] = []
    try connection.cached(
      "SELECT subject FROM rollup WHERE respond_by IS NOT NULL AND kind = 0"
    )
    .forEach { rows.append(Change(.purchase, $0.bytes(0))) }
    return rows
  }

  /// Purchases at risk behind a place, the dearest first.
  func atRisk(after place: RiskPlace?, limit: Int) throws -> [RiskPlace] {
    let statement = try connection.cached(
      """
      SELECT rank, subject FROM rollup WHERE rank IS NOT NULL AND (rank, subject) < (?, ?)
      ORDER BY rank DESC, subject DESC LIMIT ?
      """)
    statement.bind(1, place?.rank.order ?? .max)
    statement.bind(2, place?.transactionId ?? "")
    statement.bind(3, Int64(limit))
    var places: [RiskPlace] = []
    try statement.forEach {
      places.append(
        RiskPlace(rank: RiskRank(order: $0.integer(0)), transactionId: $0.bytes(1)))
    }
    return places
  }

  /// Ids of transactions behind a cursor.
  func transactions(after cursor: ByteString, limit: Int) throws -> [ByteString] {
    try ids("SELECT id FROM purchase WHERE id > ? ORDER BY id LIMIT ?", cursor, limit)
  }

  /// The next id behind a cursor that levels stand under.
  func levelSubject(after cursor: ByteString) throws -> ByteString? {
    try ids("SELECT subject FROM point WHERE subject > ? ORDER BY subject LIMIT ?", cursor, 1).first
  }

  private func ids(_ sql: String, _ cursor: ByteString, _ limit: Int) throws -> [ByteString] {
    let statement = try connection.cached(sql)
    statement.bind(1, cursor)
    statement.bind(2, Int64(limit))
    var ids: [ByteString] = []
    try statement.forEach { ids.append($0.bytes(0)) }
    return ids
  }
}
