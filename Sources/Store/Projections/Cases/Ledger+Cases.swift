import Metering

extension Ledger {
  /// Lists the cases of a record; cases that it doesn't hold any more go.
  func flushCases(of record: PurchaseRecord) throws {
    let remove = try connection.prepare("DELETE FROM refund WHERE purchase = ? AND n < ?")
    remove.bind(1, record.transactionId)
    remove.bind(2, record.cases.first?.number ?? 0)
    try remove.run()
    let put = try connection.prepare(
      "INSERT OR REPLACE INTO refund(purchase, n, respond_by, ended) VALUES (?, ?, ?, ?)")
    for refundCase in record.cases {
      put.bind(1, record.transactionId)
      put.bind(2, refundCase.number)
      put.bind(3, refundCase.respondBy(in: record.environment).microseconds)
      put.bind(4, refundCase.end == nil ? 0 : 1)
      try put.run()
    }
  }
}

extension LedgerView {
  /// Calls `row` with each case of a range, in order of its place, with its purchase's record,
  /// until it returns false.
  func cases(
    _ range: CaseRange, _ row: (_ number: Int64, _ body: [UInt8]) throws -> Bool
  ) throws {
    // The constant lets SQLite take the partial index.
    let ended = range.hasEnd.map { "refund.ended = \($0 ? 1 : 0) AND " } ?? ""
    let statement = try connection.prepare(
      """
      SELECT n, body FROM refund JOIN purchase ON purchase.id = refund.purchase
      WHERE \(ended)respond_by >= ? AND (respond_by, refund.purchase, n) > (?, ?, ?)
      ORDER BY respond_by, refund.purchase, n
      """)
    statement.bind(1, range.from.microseconds)
    statement.bind(2, range.after?.respondBy.microseconds ?? .min)
    statement.bind(3, range.after?.id.transaction ?? "")
    statement.bind(4, range.after?.id.number ?? -1)
    defer { statement.reset() }
    while try statement.step() {
      guard try row(statement.integer(0), Array(statement.blob(1))) else { return }
    }
  }

  /// Sources with their `completeThrough`; nil for a retired one.
  func marks() throws -> [(source: ByteString, through: Int64?)] {
    var marks: [(source: ByteString, through: Int64?)] = []
    try connection.prepare("SELECT source, through FROM mark").forEach { row in
      marks.append((row.bytes(0), row.isNull(1) ? nil : row.integer(1)))
    }
    return marks
  }
}
