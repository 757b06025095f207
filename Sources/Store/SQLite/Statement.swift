import CSQLite
package import Metering

/// A compiled statement; bind, step, read, reset.
package final class Statement {
  private let handle: OpaquePointer
  private unowned let connection: Connection

  init(_ handle: OpaquePointer, of connection: Connection) {
    self.handle = handle
    self.connection = connection
  }

  deinit { sqlite3_finalize(handle) }

  /// Binds parameter `index`, counted from 1.
  package func bind(_ index: Int32, _ value: Int64) {
    sqlite3_bind_int64(handle, index, value)
  }

  /// Binds bytes, which SQLite copies.
  package func bind(_ index: Int32, _ value: ByteString) {
    value.bytes.withUnsafeBytes { bind(index, $0) }
  }

  /// Binds bytes, which SQLite copies. An empty BLOB is not NULL.
  package func bind(_ index: Int32, _ bytes: [UInt8]) {
    bytes.withUnsafeBytes { bind(index, $0) }
  }

  /// Binds bytes, which SQLite copies.
  package func bind(_ index: Int32, _ bytes: UnsafeRawBufferPointer) {
    if bytes.isEmpty {
      sqlite3_bind_zeroblob(handle, index, 0)
    } else {
      _ = csqlite_bind_blob(handle, index, bytes.baseAddress, Int32(bytes.count))
    }
  }

  /// Binds text.
  package func bind(_ index: Int32, text: String) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        _ = csqlite_bind_text(handle, index, characters.baseAddress, Int32(characters.count))
      }
    }
  }

  /// Binds NULL.
  package func bindNull(_ index: Int32) { sqlite3_bind_null(handle, index) }

  /// Moves to the next row; false at the end. Throws a ``LedgerError``.
  package func step() throws -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    let failure = connection.failure(String(cString: sqlite3_sql(handle)), code)
    sqlite3_reset(handle)
    throw failure
  }

  /// Steps to the end and resets: for statements without rows.
  package func run() throws {
    while try step() {}
    reset()
  }

  /// Makes the statement ready to run again, keeping the bindings.
  package func reset() { sqlite3_reset(handle) }

  /// Column `index`, counted from 0, as an integer.
  package func integer(_ index: Int32) -> Int64 { sqlite3_column_int64(handle, index) }

  /// Whether a column is NULL.
  package func isNull(_ index: Int32) -> Bool {
    sqlite3_column_type(handle, index) == SQLITE_NULL
  }

  /// A column's bytes, valid until the next step or reset.
  package func blob(_ index: Int32) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(handle, index)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index)))
  }

  /// A column's bytes, copied.
  package func bytes(_ index: Int32) -> ByteString { ByteString(blob(index)) }

  /// Runs the statement, calling `row` for each row, and resets it.
  package func forEach(_ row: (Statement) throws -> Void) throws {
    defer { reset() }
    while try step() { try row(self) }
  }
}
