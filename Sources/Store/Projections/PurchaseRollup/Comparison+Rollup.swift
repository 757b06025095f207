import Metering

extension Comparison {
  /// The rollup's sums are those of its rows, whose columns are what they hold.
  mutating func compareRollup() throws {
    var totals = RollupTotals()
    var different = 0
    try view.connection.prepare("SELECT body, due, respond_by, rank FROM rollup").forEach {
      row in
      guard let figures = PurchaseFigures(encoded: row.blob(0)) else {
        throw StoreFault.ledger("figures of the rollup in ledger.db have an unknown version")
      }
      totals.replace(nil, with: figures)
      let columns = [
        figures.due?.microseconds, figures.respondBy?.microseconds, figures.rank?.order,
      ]
      let stored = (1...3).map { row.isNull($0) ? nil : row.integer($0) }
      if stored != columns { different += 1 }
    }
    if different > 0 { found.note("\(different) rows of the rollup differ from their figures") }
    var stored: [RollupKey: Fraction] = [:]
    try view.connection.prepare("SELECT key, value FROM rollup_total").forEach { row in
      guard let key = RollupKey(encoded: row.blob(0)), let sum = Fraction(encoded: row.blob(1))
      else { throw StoreFault.ledger("a sum of the rollup in ledger.db is damaged") }
      stored[key] = sum
    }
    for key in Set(stored.keys).union(totals.sums.keys)
    where (stored[key] ?? .zero) != (totals.sums[key] ?? .zero) {
      found.note("a sum of the rollup isn't that of its rows: \(key)")
    }
  }
}

extension Comparison {
  /// What gauges tell, reckoned again under the configuration that the store is kept under: usage
  /// and its cost from the quarter-hour sums, and what purchases together come to from each of
  /// them. The latter needs a store at rest: figures tell of memory too, which isn't in the ledger
  /// yet. Levels, which move all the time, are left out.
  mutating func compareFigures(under configuration: Configuration) throws {
    let hash = Books.hash(of: configuration, journal.identity.hashKey)
    guard try Meta(view.connection).hash("configuration") == hash else { return }
    try compareGauges(under: configuration)
    guard let bytes = try Meta(view.connection).value("rollup"),
      let state = RollupState(encoded: bytes), state.configuration == hash, state.sweep == nil,
      state.settled >= applied, journal.sequence == applied
    else { return }
    var compared = 0
    let round = RollupRound(
      BooksSnapshot(
        view: view, looks: OwnLooks(tables: []), hashKey: journal.identity.hashKey,
        journal: journal),
      configuration: configuration, now: state.asOf
    ) { false }
    var cursor: ByteString = ""
    while true {
      let ids = try view.transactions(after: cursor, limit: StoreLimits.rollupRows)
      for id in ids {
        switch try round.isRight(id) {
        case nil: continue
        case false?: found.note("the rollup's figures of \(id) aren't what its books make")
        case true?: break
        }
        compared += 1
      }
      guard let last = ids.last else { break }
      cursor = last
    }
    found.figures = compared
  }

  private mutating func compareGauges(under configuration: Configuration) throws {
    guard let bytes = try Meta(view.connection).value("totals"),
      let totals = Totals(encoded: bytes)
    else { return }
    var standing = try StandingTotals(of: totals, under: configuration)
    try view.quarterHours(from: .min, to: .max) { standing.add($0.line) }
    for fault in try standing.faults(of: totals) { found.note("a gauge of \(fault)") }
  }
}
