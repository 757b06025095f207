/// The ledger's tables. Ids are BLOBs: opaque bytes, compared as such.
enum Schema {
  /// Raised when a table or the form of the file changes; a ledger of another format is refused.
  /// Also the file's `user_version`.
  static let format: Int64 = 7
  /// "OUTL", the file's `application_id`.
  static let application: Int64 = 0x4F55_544C

  /// Refuses a ledger of another format before anything in it is read or changed. Throws
  /// ``StoreFault/foreign(_:)``.
  static func check(_ connection: Connection) throws {
    let version = try connection.prepare("PRAGMA user_version").onlyInteger()
    guard version == 0 || version == format else { throw foreign(version) }
    let application = try connection.prepare("PRAGMA application_id").onlyInteger()
    guard application == 0 || application == Self.application else {
      throw StoreFault.foreign("ledger.db isn't a ledger of outlay")
    }
    let tables = "SELECT count(*) FROM sqlite_schema WHERE name = 'meta'"
    guard try connection.prepare(tables).onlyInteger() > 0,
      let known = try Meta(connection).integer("format")
    else { return }
    guard known == format else { throw foreign(known) }
  }

  static func foreign(_ found: Int64) -> StoreFault {
    .foreign(
      found > format
        ? "ledger.db has format \(found), of a newer outlay; this one knows \(format)"
        : "ledger.db has format \(found); this outlay needs \(format)")
  }

  static let statements = [
    "CREATE TABLE IF NOT EXISTS meta(k TEXT PRIMARY KEY, v BLOB) STRICT, WITHOUT ROWID",
    """
    CREATE TABLE IF NOT EXISTS purchase(
      id BLOB PRIMARY KEY, original BLOB NOT NULL, customer BLOB, bought INTEGER, body BLOB NOT NULL
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX IF NOT EXISTS purchase_original ON purchase(original, bought)",
    """
    CREATE INDEX IF NOT EXISTS purchase_customer ON purchase(customer, bought)
      WHERE customer IS NOT NULL
    """,
    "CREATE TABLE IF NOT EXISTS chain(original BLOB PRIMARY KEY, customer BLOB NOT NULL, "
      + "key BLOB NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS chain_key ON chain(key)",
    // One row for each refund case, whose body is in its purchase's record.
    """
    CREATE TABLE IF NOT EXISTS refund(
      purchase BLOB, n INTEGER, respond_by INTEGER NOT NULL, ended INTEGER NOT NULL,
      PRIMARY KEY(purchase, n)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX IF NOT EXISTS refund_all ON refund(respond_by, purchase, n)",
    "CREATE INDEX IF NOT EXISTS refund_pending ON refund(respond_by, purchase, n) WHERE ended = 0",
    "CREATE INDEX IF NOT EXISTS refund_ended ON refund(respond_by, purchase, n) WHERE ended = 1",
    // Server notifications that were taken in, with their receipt.
    "CREATE TABLE IF NOT EXISTS seen(notification BLOB PRIMARY KEY, at INTEGER NOT NULL) "
      + "STRICT, WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS seen_at ON seen(at)",
    "CREATE TABLE IF NOT EXISTS mark(source BLOB PRIMARY KEY, through INTEGER) "
      + "STRICT, WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS series(id INTEGER PRIMARY KEY, canonical BLOB UNIQUE NOT NULL) "
      + "STRICT",
    // Own costs count in 10^-15 of a currency; with `parts`, not empty, in as many parts of one.
    """
    CREATE TABLE IF NOT EXISTS sumkey(
      id INTEGER PRIMARY KEY, series INTEGER NOT NULL, epoch INTEGER NOT NULL, own INTEGER NOT NULL,
      parts BLOB NOT NULL, UNIQUE(series, epoch, own, parts)
    ) STRICT
    """,
    """
    CREATE TABLE IF NOT EXISTS point(
      subject BLOB, series INTEGER, time INTEGER, tie INTEGER, value BLOB NOT NULL,
      PRIMARY KEY(subject, series, time, tie)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS quarter_hour(
      slot INTEGER, product BLOB, env BLOB, series INTEGER, epoch INTEGER, own INTEGER,
      parts BLOB, q BLOB NOT NULL, amount BLOB NOT NULL, n INTEGER NOT NULL, first INTEGER NOT NULL,
      last INTEGER NOT NULL,
      PRIMARY KEY(slot, product, env, series, epoch, own, parts)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS unattributed(
      kind INTEGER, subject BLOB, time INTEGER, location INTEGER, number INTEGER,
      series INTEGER NOT NULL, q BLOB NOT NULL, own INTEGER NOT NULL, amount BLOB NOT NULL,
      PRIMARY KEY(kind, subject, time, location, number)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE TABLE IF NOT EXISTS consent(customer BLOB, at INTEGER, given INTEGER NOT NULL, "
      + "PRIMARY KEY(customer, at)) STRICT, WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS follow_up(kind INTEGER, subject BLOB, product BLOB NOT NULL, "
      + "env BLOB NOT NULL, done INTEGER NOT NULL, PRIMARY KEY(kind, subject)) "
      + "STRICT, WITHOUT ROWID",
    // What each purchase (kind 0), chain (1) or customer (2) with levels adds to the sums below.
    """
    CREATE TABLE IF NOT EXISTS rollup(
      kind INTEGER, subject BLOB, due INTEGER, respond_by INTEGER, rank INTEGER,
      body BLOB NOT NULL, PRIMARY KEY(kind, subject)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX IF NOT EXISTS rollup_due ON rollup(due) WHERE due IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS rollup_respond_by ON rollup(respond_by) "
      + "WHERE respond_by IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS rollup_rank ON rollup(rank, subject) WHERE rank IS NOT NULL",
    "CREATE TABLE IF NOT EXISTS rollup_total(key BLOB PRIMARY KEY, value BLOB NOT NULL) "
      + "STRICT, WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS quarantine(location INTEGER PRIMARY KEY, code INTEGER NOT NULL, "
      + "received INTEGER NOT NULL, raw BLOB NOT NULL) STRICT",
    """
    CREATE TABLE IF NOT EXISTS run(
      id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, level INTEGER NOT NULL, n INTEGER NOT NULL,
      seqMin INTEGER NOT NULL, seqMax INTEGER NOT NULL, locMin INTEGER NOT NULL,
      locMax INTEGER NOT NULL, live INTEGER NOT NULL
    ) STRICT
    """,
    "CREATE TABLE IF NOT EXISTS block(id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT",
    "CREATE TABLE IF NOT EXISTS filter(id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT",
  ]
}
