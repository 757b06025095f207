import CSQLite

extension Connection {
  /// Copies the database into a new file, page by page as they are,
  /// https://www.sqlite.org/c3ref/backup_finish.html. Within ``read(_:)`` and behind its first
  /// SELECT it is that snapshot that is copied, whatever others write meanwhile.
  ///
  /// `progress` gets the bytes done every now and then and may throw to stop. The file isn't
  /// synced, and after a throw it is worth nothing. Throws a ``LedgerError``, for a full disk
  /// ``StoreFault/full``.
  package func copy(to path: String, _ progress: (Int) throws -> Void) throws {
    var opened: OpaquePointer?
    defer { sqlite3_close_v2(opened) }
    let access = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let code = sqlite3_open_v2(path, &opened, access, CheckedFileSystem.name)
    guard code == SQLITE_OK, let opened else { throw Self.fault("create \(path)", code, opened) }
    // Neither synced nor undone while it grows: half a copy is thrown away.
    _ = sqlite3_exec(opened, "PRAGMA synchronous=OFF; PRAGMA journal_mode=OFF", nil, nil, nil)
    let pageBytes = Int(try prepare("PRAGMA page_size").onlyInteger())
    guard let copying = sqlite3_backup_init(opened, "main", handle, "main") else {
      throw Self.fault("copy to \(path)", sqlite3_errcode(opened), opened)
    }
    do {
      defer { sqlite3_backup_finish(copying) }
      var code = SQLITE_OK
      while code != SQLITE_DONE {
        code = sqlite3_backup_step(copying, StoreLimits.copiedPages)
        guard code == SQLITE_OK || code == SQLITE_DONE else {
          throw Self.fault("copy to \(path)", code, nil)
        }
        let left = sqlite3_backup_remaining(copying)
        try progress(Int(sqlite3_backup_pagecount(copying) - left) * pageBytes)
      }
    }
  }

  private static func fault(
    _ operation: String, _ code: Int32, _ handle: OpaquePointer?
  ) -> any Error {
    if code & 0xFF == SQLITE_FULL { return StoreFault.full }
    if let handle { return LedgerError.of(operation, code, handle) }
    return LedgerError(
      operation: operation, code: code, message: String(cString: sqlite3_errstr(code)))
  }
}
