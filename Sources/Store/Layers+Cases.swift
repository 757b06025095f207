package import Metering

extension Layers {
  package func marks() throws -> [FeedMark] {
    var through: [ByteString: Int64] = [:]
    for mark in try view.marks() { through[mark.source] = mark.through }
    for marks in looks.look(.marks, { $0.map(\.marks) }) {
      // The smallest number retires a source.
      for (source, mark) in marks { through[source] = mark == .min ? nil : mark }
    }
    return through.map { FeedMark(source: $0.key, through: Instant(microseconds: $0.value)) }
      .sorted { $0.source < $1.source }
  }

  package func atRisk(after place: RiskPlace?, limit: Int) throws -> [RiskPlace] {
    try view.atRisk(after: place, limit: limit)
  }

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
