package import Metering

extension Ledger {
  func flushRecords(_ table: Memtable) throws {
    let put = try connection.cached(
      "INSERT OR REPLACE INTO purchase(id, original, customer, bought, body) "
        + "VALUES (?, ?, ?, ?, ?)")
    // In order of id, so that pages are met in order.
    let records = Array(table.records)
    let order = records.indices.sorted { records[$0].key.precedes(records[$1].key) }
    for number in order {
      let (id, body) = records[number]
      guard let record = PurchaseRecord(encoded: body) else {
        throw StoreFault.damaged("a record in the journal has an unknown version")
      }
      // Taken once: a purchase is large to copy.
      let purchase = record.purchase
      put.bind(1, id)
      put.bind(2, purchase?.chain ?? id)
      if let token = purchase?.accountToken { put.bind(3, token) } else { put.bindNull(3) }
      if let bought = purchase?.purchaseDate {
        put.bind(4, bought.microseconds)
      } else {
        put.bindNull(4)
      }
      put.bind(5, body)
      try put.run()
      if !record.cases.isEmpty { try flushCases(of: record) }
    }
  }
}

extension LedgerView {
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

  /// Transactions whose `appAccountToken` has this key.
  func transactions(withToken key: ByteString) throws -> [ByteString] {
    let statement = try connection.cached("SELECT id FROM purchase WHERE customer = ?")
    statement.bind(1, key)
    var ids: [ByteString] = []
    try statement.forEach { ids.append($0.bytes(0)) }
    return ids
  }
}

extension BooksSnapshot {
  func decode(_ body: [UInt8]) throws -> PurchaseRecord {
    guard let record = PurchaseRecord(encoded: body) else {
      throw StoreFault.damaged("a purchase record has an unknown version")
    }
    return record
  }

  package func record(_ id: ByteString) throws -> PurchaseRecord? {
    try pace()
    if let body = newest(.record(id), { $0.records[id] }) { return try decode(body) }
    return try view.record(id).map { try decode($0) }
  }

  package func chain(_ original: ByteString) throws -> [PurchaseRecord] {
    try pace()
    let names = looks.look(.chain(original)) { tables in
      tables.reduce(into: Set()) { $0.formUnion($1.recordsByChain[original] ?? []) }
    }
    return try merged(
      view.records(where: "original = ?") { $0.bind(1, original) }, with: names
    ) { $0.purchase?.chain == original }
  }

  /// Records of the ledger and the tables' replacements of them or of those with other `names`;
  /// those that match, by purchase date.
  func merged(
    _ bodies: [[UInt8]], with names: Set<ByteString>, matching: (PurchaseRecord) -> Bool
  ) throws -> [PurchaseRecord] {
    var found: [ByteString: PurchaseRecord] = [:]
    for body in bodies {
      let record = try decode(body)
      found[record.transactionId] = record
    }
    for (id, body) in freshRecords(names.union(found.keys)) { found[id] = try decode(body) }
    return found.values.filter(matching).sorted {
      ($0.purchase?.purchaseDate ?? .distantPast, $0.transactionId)
        < ($1.purchase?.purchaseDate ?? .distantPast, $1.transactionId)
    }
  }

  /// The tables' records of some transactions.
  func freshRecords(_ ids: Set<ByteString>) -> [ByteString: [UInt8]] {
    looks.look(.records(ids)) { tables in
      var bodies: [ByteString: [UInt8]] = [:]
      for table in tables {
        for id in ids {
          if let body = table.records[id] { bodies[id] = body }
        }
      }
      return bodies
    }
  }

  package func records(
    customer: ByteString?, after cursor: ByteString?, limit: Int
  ) throws -> [PurchaseRecord] {
    guard let customer else { return try page(after: cursor, limit: limit) }
    let all = try self.customer(customer).transactions.sorted().filter { $0 > cursor ?? "" }
    return try all.prefix(limit).compactMap { try record($0) }
  }

  func page(after cursor: ByteString?, limit: Int) throws -> [PurchaseRecord] {
    let bodies = try view.records(where: "id > ? ORDER BY id LIMIT ?") {
      $0.bind(1, cursor ?? "")
      $0.bind(2, Int64(limit))
    }
    let names = freshRecordIds(after: cursor ?? "").sorted().prefix(limit)
    let all = try merged(bodies, with: Set(names)) {
      $0.purchase != nil && $0.transactionId > cursor ?? ""
    }
    return Array(all.sorted { $0.transactionId < $1.transactionId }.prefix(limit))
  }

  /// Ids behind a cursor of transactions that the tables know something of.
  func freshRecordIds(after cursor: ByteString) -> Set<ByteString> {
    var found: Set<ByteString> = []
    forEachPiece(looks.look(.names) { $0.map(\.notes.count) }) { table, piece in
      for note in table.notes[piece] where note.kind == .record && note.id > cursor {
        found.insert(note.id)
      }
    }
    return found
  }
}

extension ByteString {
  /// The order of `<`, a word at a time: tens of thousands are sorted in a flush.
  fileprivate func precedes(_ other: ByteString) -> Bool {
    bytes.withUnsafeBytes { left in
      other.bytes.withUnsafeBytes { right in
        let common = min(left.count, right.count)
        var offset = 0
        while offset + 8 <= common {
          let one = left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
          let two = right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
          if one != two { return one.bigEndian < two.bigEndian }
          offset += 8
        }
        while offset < common {
          if left[offset] != right[offset] { return left[offset] < right[offset] }
          offset += 1
        }
        return left.count < right.count
      }
    }
  }
}
