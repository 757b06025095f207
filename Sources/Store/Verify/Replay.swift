import Metering

/// A ledger made anew from the journal in a folder of its own, and the rows in which the store's
/// differs from it: every table but those that only say how rows are numbered.
struct Replay {
  private let folder: String
  private let made: OpenedLedger
  private let hashKey: HashKey

  /// Makes it in a new folder below `parent`, up to an entry of the journal.
  init(below parent: String, _ journal: Journal, through last: UInt64) throws {
    let name = try System.random(8).map { String($0, radix: 16) }.joined()
    folder = parent + "/outlay-verify-" + name
    guard try System.makeNewDirectory(folder) else {
      throw StoreFault.locked("\(folder) is there already")
    }
    hashKey = journal.identity.hashKey
    do {
      let ledger = try Ledger(path: folder + "/ledger.db", storeID: journal.identity.id)
      var made = try OpenedLedger(
        ledger, journal, events: Limits.memtableEvents, through: last)
      try made.flush()
      self.made = made
    } catch {
      Self.remove(folder)
      throw error
    }
  }

  /// Removes its files; open connections keep them until they are closed.
  func remove() { Self.remove(folder) }

  private static func remove(_ folder: String) {
    for name in (try? System.list(folder, name: folder)) ?? [] {
      try? System.remove(folder + "/" + name, name: name)
    }
    _ = try? System.removeEmptyDirectory(folder)
  }

  private var connection: Connection { made.ledger.connection }

  // MARK: Rows

  /// Tables whose rows are the same whenever the journal is: what they are called, and the columns
  /// to compare, the first of which are unique and in order. Rows that number others are told by
  /// what they stand for.
  private static let tables: [(name: String, unique: Int, sql: String)] = [
    (
      "purchase record", 1,
      "SELECT id, original, customer, bought, body FROM purchase ORDER BY id"
    ),
    ("link", 1, "SELECT original, customer, key FROM chain ORDER BY original"),
    ("case", 2, "SELECT purchase, n, respond_by, ended FROM refund ORDER BY purchase, n"),
    ("mark", 1, "SELECT source, through FROM mark ORDER BY source"),
    ("consent", 2, "SELECT customer, at, given FROM consent ORDER BY customer, at"),
    ("kept event", 1, "SELECT location, code, received, raw FROM quarantine ORDER BY location"),
    (
      "work", 2,
      "SELECT kind, subject, product, env, done FROM follow_up ORDER BY kind, subject"
    ),
    (
      "level", 4,
      """
      SELECT subject, canonical, time, tie, value FROM point JOIN series ON series.id = series
      ORDER BY subject, canonical, time, tie
      """
    ),
    (
      "waiting reading", 5,
      """
      SELECT kind, subject, time, location, number, canonical, q, own, amount
      FROM unattributed JOIN series ON series.id = series
      ORDER BY kind, subject, time, location, number
      """
    ),
    (
      "quarter-hour", 7,
      """
      SELECT slot, product, env, canonical, epoch, own, parts, q, amount, n FROM quarter_hour
      JOIN series ON series.id = series ORDER BY slot, product, env, canonical, epoch, own, parts
      """
    ),
  ]

  /// Compares rows, telling each that differs.
  func compare(with view: LedgerView, _ note: (String) -> Void) throws {
    for table in Self.tables {
      try Self.compare(
        Rows(view.connection, table.sql, unique: table.unique),
        Rows(connection, table.sql, unique: table.unique)
      ) { note("the \(table.name) \($0)") }
    }
    try compareNotifications(with: view, note)
    try compareTotals(with: view, note)
    try compareKeys(with: view, note)
  }

  /// Walks two tables in one order.
  private static func compare(
    _ stored: Rows, _ expected: Rows, _ note: (String) -> Void
  ) throws {
    var mine = try stored.next()
    var theirs = try expected.next()
    while mine != nil || theirs != nil {
      switch (mine, theirs) {
      case (let left?, let right?) where left.key == right.key:
        if left.values != right.values { note("\(left.name) differs from the journal's") }
        mine = try stored.next()
        theirs = try expected.next()
      case (let left?, let right) where right.map { left.precedes($0) } ?? true:
        note("\(left.name) isn't in the journal")
        mine = try stored.next()
      case (_, let right?):
        note("\(right.name) is missing")
        theirs = try expected.next()
      default: return
      }
    }
  }

  /// Old ones are forgotten, some with each flush: so only what is remembered can be wrong, and
  /// what is newer than the last of them that may go can be missing.
  private func compareNotifications(with view: LedgerView, _ note: (String) -> Void) throws {
    let newest = made.totals.lastNotification
    let horizon = newest == .min ? newest : newest - Limits.notificationMicroseconds
    let sql = "SELECT notification, at FROM seen WHERE at >= \(horizon) ORDER BY notification"
    try Self.compare(Rows(view.connection, sql, unique: 1), Rows(connection, sql, unique: 1)) {
      note("the notification \($0)")
    }
  }

  // MARK: Totals

  private func compareTotals(with view: LedgerView, _ note: (String) -> Void) throws {
    guard let bytes = try Meta(view.connection).value("totals"),
      let stored = Totals(encoded: bytes)
    else { return note("the totals can't be read") }
    let expected = made.totals
    for (name, isSame) in [
      ("rejections by code", stored.rejections == expected.rejections),
      ("notifications by type", stored.notifications == expected.notifications),
      ("overflow guards", stored.guards == expected.guards),
      ("overflow guards of costs", stored.amountGuards == expected.amountGuards),
      ("latest event", stored.lastEvent == expected.lastEvent),
      ("dedupe floor", stored.floor == expected.floor),
      ("waiting readings", stored.waitingReadings == expected.waitingReadings),
      (
        "kept events",
        stored.quarantinedEvents == expected.quarantinedEvents
          && stored.quarantineBytes == expected.quarantineBytes
          && stored.quarantineDropped == expected.quarantineDropped
      ),
    ] where !isSame { note("the total of \(name) differs from the journal's") }
    compareStanding(stored, expected, note)
  }

  private static let nothing: [Int128] = [0, 0, 0, 0, 0]

  /// What stands, over all rates: which rate counts is the configuration's.
  private func compareStanding(_ stored: Totals, _ expected: Totals, _ note: (String) -> Void) {
    func sums(_ totals: Totals) -> [ByteString: [Int128]] {
      let sums = totals.byKey.reduce(into: [ByteString: [Int128]]()) { sums, entry in
        let (key, total) = entry
        var sum = sums[key.meter] ?? Self.nothing
        sum[0] += total.gross
        sum[1] += total.voided
        sum[2] += total.standing
        sum[3] += total.standingAmount
        sum[4] += total.standingRest
        sums[key.meter] = sum
      }
      return sums.mapValues { $0.dropLast() + [Total.told($0[4])] }
    }
    let (mine, theirs) = (sums(stored), sums(expected))
    for meter in Set(mine.keys).union(theirs.keys)
    where mine[meter] ?? Self.nothing != theirs[meter] ?? Self.nothing {
      note("the totals of \(meter) differ from what was booked")
    }
  }

  // MARK: Keys

  /// The newest record of every key, and whether each run's filter lets it be found.
  private func compareKeys(with view: LedgerView, _ note: (String) -> Void) throws {
    let runs = try Ledger.runs(in: view.connection).keys
    for run in runs {
      let blocks = try RunBlocks(view.connection, run)
      var lost = 0
      while try blocks.advance() {
        var reader = KeyBlock.Reader(blocks.bytes, id: blocks.id)
        while let entry = reader.next() {
          if run.filter?.probe.mayContain(entry.key) != true { lost += 1 }
        }
      }
      if lost > 0 { note("filter \(run.id) hides \(lost) events") }
    }
    var stored = try NewestKeys(view.connection, runs)
    var expected = try NewestKeys(connection, made.runs.keys)
    var different = 0
    var mine = try stored.next()
    var theirs = try expected.next()
    while mine != nil || theirs != nil {
      if mine?.key == theirs?.key {
        if !NewestKeys.isSame(mine, theirs) { different += 1 }
        mine = try stored.next()
        theirs = try expected.next()
        continue
      }
      different += 1
      let isMineFirst = theirs.map { other in mine.map { $0.precedes(other) } ?? false }
      if isMineFirst ?? true { mine = try stored.next() } else { theirs = try expected.next() }
    }
    if different > 0 { note("\(different) events' keys differ from the journal's") }
  }
}
