package import Metering

extension BooksSnapshot {

  package func cases(_ range: CaseRange, limit: Int) throws -> [ListedCase] {
    let fresh = freshRecords()
    var found: [ListedCase] = []
    for body in fresh.values {
      let record = try decode(body)
      for refundCase in record.cases {
        let listed = ListedCase(record: record, refundCase: refundCase)
        if range.contains(listed.place, hasEnd: refundCase.end != nil) { found.append(listed) }
      }
    }
    var stored = 0
    try view.cases(range) { number, body in
      let record = try decode(body)
      guard fresh[record.transactionId] == nil,
        let refundCase = record.cases.first(where: { $0.number == number })
      else { return true }
      found.append(ListedCase(record: record, refundCase: refundCase))
      stored += 1
      return stored < limit
    }
    return Array(found.sorted { $0.place < $1.place }.prefix(limit))
  }

  /// The tables' records with cases, which stand instead of the ledger's.
  private func freshRecords() -> [ByteString: [UInt8]] {
    looks.look(.asked) { tables in
      var bodies: [ByteString: [UInt8]] = [:]
      for table in tables {
        for id in table.askedRecords { bodies[id] = table.records[id] }
      }
      return bodies
    }
  }
}
