import Metering

extension Ledger {
  /// Adds the table's quarter-hours to the ledger's.
  func flushTally(_ table: Memtable, series numbers: [Int64]) throws {
    let upsert = try TallyUpsert(connection)
    let labels = table.labels
    let sumKeys = table.sumKeys
    let sorted = table.tally.sorted { ($0.key.slot, $0.key.sum) < ($1.key.slot, $1.key.sum) }
    for (key, sums) in sorted {
      let sum = sumKeys[Int(key.sum)]
      try upsert.add(
        TallyUpsert.Key(
          slot: key.slot, label: labels[Int(key.label)],
          series: numbers[Int(sum.series)], epoch: sum.epoch, own: sum.own), sums)
    }
  }

  func flushPoints(_ table: Memtable, series numbers: [Int64]) throws {
    let put = try connection.cached(
      "INSERT OR REPLACE INTO point(subject, series, time, tie, value) VALUES (?, ?, ?, ?, ?)")
    let delete = try connection.cached(
      "DELETE FROM point WHERE subject = ? AND series = ? AND time = ? AND tie = ?")
    for point in table.points {
      let statement = point.isRemoved ? delete : put
      statement.bind(1, table.id(of: Int(point.subject)))
      statement.bind(2, numbers[Int(point.series)])
      statement.bind(3, point.time)
      statement.bind(4, Int64(bitPattern: point.tie))
      if !point.isRemoved { statement.bind(5, wide: point.value) }
      try statement.run()
    }
  }

  func flushWaiting(_ table: Memtable) throws {
    let put = try connection.cached(
      "INSERT OR REPLACE INTO unattributed VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
    let delete = try connection.cached(
      """
      DELETE FROM unattributed
      WHERE kind = ? AND subject = ? AND time = ? AND location = ? AND number = ?
      """)
    for (subject, readings) in table.waiting {
      for (key, reading) in readings {
        let statement = reading == nil ? delete : put
        statement.bind(1, Int64(subject.kind))
        statement.bind(2, subject.subject)
        statement.bind(3, key.time)
        statement.bind(4, Int64(bitPattern: key.location))
        statement.bind(5, Int64(key.number))
        if let reading {
          statement.bind(6, try number(ofSeries: reading.series))
          statement.bind(7, wide: reading.quantity)
          statement.bind(8, Int64(reading.own))
          statement.bind(9, wide: reading.amount)
        }
        try statement.run()
      }
    }
  }

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

  func flushFacts(_ table: Memtable) throws {
    let link = try connection.cached("INSERT OR REPLACE INTO chain VALUES (?, ?, ?)")
    for (chain, customer) in table.links {
      link.bind(1, chain)
      link.bind(2, customer)
      link.bind(3, customer.customerKey)
      try link.run()
    }
    let consent = try connection.cached("INSERT OR REPLACE INTO consent VALUES (?, ?, ?)")
    for (customer, answers) in table.consents {
      for (at, given) in answers {
        consent.bind(1, customer)
        consent.bind(2, at)
        consent.bind(3, given ? 1 : 0)
        try consent.run()
      }
    }
    let mark = try connection.cached("INSERT OR REPLACE INTO mark VALUES (?, ?)")
    let retire = try connection.cached("DELETE FROM mark WHERE source = ?")
    for (source, through) in table.marks {
      let statement = through == .min ? retire : mark
      statement.bind(1, source)
      if through != .min { statement.bind(2, through) }
      try statement.run()
    }
    let keep = try connection.cached("INSERT OR REPLACE INTO quarantine VALUES (?, ?, ?, ?)")
    let release = try connection.cached("DELETE FROM quarantine WHERE location = ?")
    for (location, event) in table.quarantine {
      let statement = event == nil ? release : keep
      statement.bind(1, Int64(bitPattern: location))
      if let event {
        statement.bind(2, Int64(event.code))
        statement.bind(3, event.receivedAt)
        statement.bind(4, event.raw)
      }
      try statement.run()
    }
  }
}

/// Adds deltas to rows of exact sums: SQLite adds 64 bits only, so a row is read and replaced.
struct TallyUpsert {
  /// What a row is kept for.
  struct Key {
    var slot: Int64
    var label: Label
    var series: Int64
    var epoch: Int64
    var own: UInt32

    fileprivate func bind(to statement: Statement) {
      statement.bind(1, slot)
      statement.bind(2, label.product)
      statement.bind(3, label.environment)
      statement.bind(4, series)
      statement.bind(5, epoch)
      statement.bind(6, Int64(own))
    }
  }

  private let select: Statement
  private let put: Statement

  init(_ connection: Connection) throws {
    select = try connection.cached(
      """
      SELECT q, amount, n, first, last FROM tally WHERE slot = ? AND product = ? AND env = ?
        AND series = ? AND epoch = ? AND own = ?
      """)
    put = try connection.cached(
      """
      INSERT OR REPLACE INTO tally(
        slot, product, env, series, epoch, own, q, amount, n, first, last
      ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
  }

  func add(_ key: Key, _ delta: Sums) throws {
    var sums = delta
    key.bind(to: select)
    if try select.step() { sums.add(Sums(row: select, from: 0)) }
    select.reset()
    key.bind(to: put)
    put.bind(7, wide: sums.quantity)
    put.bind(8, wide: sums.amount)
    put.bind(9, sums.count)
    put.bind(10, sums.first)
    put.bind(11, sums.last)
    try put.run()
  }
}

extension Sums {
  /// Sums of a row whose columns q, amount, n, first, last begin at `column`.
  init(row: Statement, from column: Int32) {
    self.init()
    quantity = WideBlob.value(row.blob(column))
    amount = WideBlob.value(row.blob(column + 1))
    count = row.integer(column + 2)
    first = row.integer(column + 3)
    last = row.integer(column + 4)
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
