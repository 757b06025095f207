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
