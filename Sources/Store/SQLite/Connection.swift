import CSQLite

/// One connection to the ledger's file, used by one thread at a time: SQLite's multi-thread mode
/// then needs no mutex, https://www.sqlite.org/threadsafe.html.
package final class Connection: @unchecked Sendable {
  // Unchecked: each connection has one owner, who serialises its use.
  let handle: OpaquePointer

  /// Opens or creates `path` and sets the pragmas that the store relies on.
  package init(path: String, readOnly: Bool = false) throws {
    var opened: OpaquePointer?
    let flags =
      SQLITE_OPEN_NOMUTEX
      | (readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(opened)
      throw LedgerError(operation: "open ledger", code: code, message: message)
    }
    handle = opened
    sqlite3_extended_result_codes(handle, 1)
    // Double-quoted strings hide misspelt columns; DEFENSIVE keeps our own SQL from breaking files.
    _ = csqlite_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0)
    _ = csqlite_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, 0)
    _ = csqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    if !readOnly {
      try execute("PRAGMA auto_vacuum=NONE")
      try execute("PRAGMA journal_mode=WAL")
    }
    try execute("PRAGMA synchronous=FULL")
    try execute("PRAGMA secure_delete=0")
    try execute("PRAGMA cache_size=\(readOnly ? -4000 : -16000)")
    try execute("PRAGMA temp_store=MEMORY")
    try execute("PRAGMA mmap_size=0")
    try execute("PRAGMA wal_autocheckpoint=0")
    sqlite3_busy_timeout(handle, StoreLimits.busyMilliseconds)
  }

  deinit { sqlite3_close_v2(handle) }

  /// Runs one statement without parameters or rows of interest.
  package func execute(_ sql: String) throws {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(sql, code) }
  }

  /// Compiles a statement once.
  package func prepare(_ sql: String) throws -> Statement {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw failure(sql, code) }
    return Statement(statement, of: self)
  }

  /// Runs `body` in a transaction that takes the write lock at once; rolls back when it throws.
  package func write(_ body: () throws -> Void) throws {
    try execute("BEGIN IMMEDIATE")
    do {
      try body()
      try execute("COMMIT")
    } catch {
      _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
      throw error
    }
  }

  /// Runs `body` against one snapshot.
  package func read<Value>(_ body: () throws -> Value) throws -> Value {
    try execute("BEGIN")
    defer { _ = sqlite3_exec(handle, "COMMIT", nil, nil, nil) }
    return try body()
  }

  /// Copies the WAL into the file and empties it when no reader is in the way,
  /// https://www.sqlite.org/c3ref/wal_checkpoint_v2.html; a busy reader only delays that.
  package func checkpoint() throws {
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    guard code == SQLITE_OK || code & 0xFF == SQLITE_BUSY else { throw failure("checkpoint", code) }
  }

  func failure(_ operation: String, _ code: Int32) -> LedgerError {
    LedgerError(
      operation: operation, code: code, message: String(cString: sqlite3_errmsg(handle)))
  }
}
