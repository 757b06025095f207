import Metering

extension Ledger {
  func flushFollowUps(_ table: Memtable) throws {
    let put = try connection.cached("INSERT OR REPLACE INTO follow_up VALUES (?, ?, ?, ?, ?)")
    let delete = try connection.cached("DELETE FROM follow_up WHERE kind = ? AND subject = ?")
    for (work, state) in table.followUps {
      let statement = state == nil ? delete : put
      statement.bind(1, Int64(work.kind.rawValue))
      statement.bind(2, work.subject)
      if let state {
        statement.bind(3, state.from.product)
        statement.bind(4, state.from.environment)
        statement.bind(5, Int64(bitPattern: state.done))
      }
      try statement.run()
    }
  }
}

extension LedgerView {
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
}
