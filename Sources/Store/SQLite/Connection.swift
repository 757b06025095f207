import CSQLite

/// One connection to the ledger's file, used by one thread at a time: SQLite's multi-thread mode
/// then needs no mutex, https://www.sqlite.org/threadsafe.html.
package final class Connection: @unchecked Sendable {
  // Unchecked: each connection has one owner, who serialises its use.
  let handle: OpaquePointer
  private var statements: [String: Statement] = [:]

  /// Opens `path`, creating it unless read-only, and sets the pragmas that the store relies on.
  ///
  /// A lock that another connection holds fails at once by default: only one connection writes,
  /// and WAL readers wait for nobody. Throws a ``LedgerError``.
  package convenience init(
    path: String, readOnly: Bool = false, busyMilliseconds: Int32 = 0
  ) throws {
    let access = readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    try self.init(path, access, readOnly: readOnly, busyMilliseconds: busyMilliseconds)
  }

  /// Opens `path` for reading, also where nothing can be written: SQLite needs files beside one in
  /// WAL mode. Without a log to be read the file is whole, and is taken for one that nobody
  /// changes, https://www.sqlite.org/wal.html#readonly. Throws a ``LedgerError``, or
  /// ``StoreFault/foreign(_:)`` where there is such a log.
  package static func reading(_ path: String, busyMilliseconds: Int32) throws -> Connection {
    do {
      let connection = try Connection(
        path: path, readOnly: true, busyMilliseconds: busyMilliseconds)
      try connection.execute("SELECT count(*) FROM sqlite_schema")
      return connection
    } catch let error as LedgerError
      where [SQLITE_CANTOPEN, SQLITE_READONLY].contains(error.code & 0xFF)
    {
      guard System.identity(path) != nil else { throw error }
      guard try System.size(path + "-wal", name: "ledger.db-wal") == 0 else {
        throw StoreFault.foreign(
          "\(path)-wal holds changes that can't be read where nothing can be written; "
            + "copy the store to another place first")
      }
      return try Connection(
        "file:\(Self.escaped(path))?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
        readOnly: true, busyMilliseconds: busyMilliseconds)
    }
  }

  /// A path within a URI.
  private static func escaped(_ path: String) -> String {
    var escaped = ""
    for scalar in path.unicodeScalars {
      switch scalar {
      case "%": escaped += "%25"
      case "?": escaped += "%3f"
      case "#": escaped += "%23"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  private init(
    _ path: String, _ access: Int32, readOnly: Bool, busyMilliseconds: Int32
  ) throws {
    var opened: OpaquePointer?
    guard let files = CheckedFileSystem.name else {
      throw LedgerError(operation: "open \(path)", code: SQLITE_NOMEM, message: "no file system")
    }
    let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_NOMUTEX | access, files)
    guard code == SQLITE_OK, let opened else {
      let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(opened)
      throw LedgerError(operation: "open \(path)", code: code, message: message)
    }
    handle = opened
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, busyMilliseconds)
    try configure(readOnly: readOnly)
  }

  deinit { sqlite3_close_v2(handle) }

  private func configure(readOnly: Bool) throws {
    // Double-quoted strings hide misspelt columns; DEFENSIVE keeps SQL from breaking the file.
    for (option, value) in [
      (SQLITE_DBCONFIG_DQS_DML, Int32(0)), (SQLITE_DBCONFIG_DQS_DDL, 0),
      (SQLITE_DBCONFIG_DEFENSIVE, 1),
    ] {
      let code = csqlite_db_config(handle, option, value)
      guard code == SQLITE_OK else { throw failure("configure", code) }
    }
    if !readOnly {
      // Only a file that is new takes these in.
      try execute("PRAGMA page_size=\(PageSum.pageBytes)")
      var reserved = Int32(PageSum.reservedBytes)
      let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved)
      guard code == SQLITE_OK else { throw failure("reserve room for sums", code) }
      try execute("PRAGMA auto_vacuum=NONE")
      try execute("PRAGMA journal_mode=WAL")
    }
    try execute("PRAGMA synchronous=FULL")
    try execute("PRAGMA secure_delete=0")
    let cache = readOnly ? StoreLimits.readerCacheKiB : StoreLimits.writerCacheKiB
    try execute("PRAGMA cache_size=-\(cache)")
    try execute("PRAGMA temp_store=MEMORY")
    try execute("PRAGMA mmap_size=0")
    // Checkpoints are the background's, never a commit's.
    try execute("PRAGMA wal_autocheckpoint=0")
  }

  /// Runs SQL without parameters or rows of interest. Throws a ``LedgerError``.
  package func execute(_ sql: String) throws {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(sql, code) }
  }

  /// Compiles one statement, to be used many times. Throws a ``LedgerError``.
  package func prepare(_ sql: String) throws -> Statement {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw failure(sql, code) }
    return Statement(statement)
  }

  /// The statement that this connection keeps for the SQL, compiled when it is first asked for.
  /// Nobody else may be stepping through it. Throws a ``LedgerError``.
  func cached(_ sql: String) throws -> Statement {
    if let known = statements[sql] { return known }
    let statement = try prepare(sql)
    statements[sql] = statement
    return statement
  }

  /// How a transaction begins, https://www.sqlite.org/lang_transaction.html.
  package enum TransactionKind: Sendable {
    /// Locks when first needed: a read sees one snapshot from its first SELECT on.
    case deferred
    /// Takes the write lock at once.
    case immediate
  }

  /// Runs `body` in a transaction; commits when it returns and rolls back when it throws.
  package func transaction<Value>(
    _ kind: TransactionKind = .immediate, _ body: () throws -> Value
  ) throws -> Value {
    try cached(kind == .immediate ? "BEGIN IMMEDIATE" : "BEGIN").run()
    do {
      let value = try body()
      try cached("COMMIT").run()
      return value
    } catch {
      // After some errors (full disk, I/O) SQLite has rolled back by itself.
      if sqlite3_get_autocommit(handle) == 0 {
        _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
      }
      throw error
    }
  }

  /// Runs `body` in a transaction that takes the write lock at once; rolls back when it throws.
  package func write<Value>(_ body: () throws -> Value) throws -> Value {
    try transaction(.immediate, body)
  }

  /// Runs `body` against one snapshot.
  package func read<Value>(_ body: () throws -> Value) throws -> Value {
    try transaction(.deferred, body)
  }

  /// How far a checkpoint goes, https://www.sqlite.org/c3ref/wal_checkpoint_v2.html.
  package enum CheckpointMode: Sendable {
    /// Copies what no reader needs and waits for nobody.
    case passive
    /// Copies all and lets the next writer begin the WAL anew.
    case restart
    /// The same, and makes the WAL's file empty.
    case truncate

    fileprivate var code: Int32 {
      switch self {
      case .passive: SQLITE_CHECKPOINT_PASSIVE
      case .restart: SQLITE_CHECKPOINT_RESTART
      case .truncate: SQLITE_CHECKPOINT_TRUNCATE
      }
    }
  }

  /// Copies the WAL into the file; false when another connection kept it from finishing, which is
  /// only a delay. Throws a ``LedgerError``.
  @discardableResult
  package func checkpoint(_ mode: CheckpointMode = .truncate) throws -> Bool {
    var frames: Int32 = 0
    var copied: Int32 = 0
    let code = sqlite3_wal_checkpoint_v2(handle, nil, mode.code, &frames, &copied)
    if code & 0xFF == SQLITE_BUSY { return false }
    guard code == SQLITE_OK else { throw failure("checkpoint", code) }
    return frames == copied
  }

  /// Rows that the last INSERT, UPDATE or DELETE changed.
  package var changes: Int { Int(sqlite3_changes64(handle)) }

  /// Damage that was met since this was last asked.
  func takeDamage() -> StoreFault? {
    guard let file = CheckedFileSystem.file(of: handle), let damage = file.damage else {
      return nil
    }
    file.damage = nil
    return damage
  }

  func failure(_ operation: String, _ code: Int32) -> any Error {
    LedgerError.of(operation, code, handle)
  }
}
