import CSQLite
package import Metering

/// A compiled statement: bind, step, read, reset. Parameters count from 1, columns from 0.
///
/// A value that can't be bound (memory, size) makes the next ``step()`` throw, so that binding
/// needs no `try`.
package final class Statement {
  private let handle: OpaquePointer
  private var refused = SQLITE_OK

  /// Owns the handle. The connection's handle stays open as long as it has statements.
  init(_ handle: OpaquePointer) {
    self.handle = handle
  }

  deinit { sqlite3_finalize(handle) }

  @inline(__always) private func note(_ code: Int32) {
    if code != SQLITE_OK { refuse(code) }
  }

  private func refuse(_ code: Int32) {
    precondition(
      code != SQLITE_RANGE && code != SQLITE_MISUSE, "no such parameter, or not reset before")
    refused = code
  }

  /// Binds an integer.
  package func bind(_ index: Int32, _ value: Int64) {
    note(sqlite3_bind_int64(handle, index, value))
  }

  /// Binds bytes, which SQLite copies. Empty is an empty BLOB, never NULL.
  package func bind(_ index: Int32, _ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress, !bytes.isEmpty else {
      note(sqlite3_bind_zeroblob(handle, index, 0))
      return
    }
    guard let count = Int32(exactly: bytes.count) else { return refuse(SQLITE_TOOBIG) }
    note(csqlite_bind_blob(handle, index, start, count))
  }

  /// Binds bytes, which SQLite copies. Empty is an empty BLOB, never NULL.
  package func bind(_ index: Int32, _ bytes: [UInt8]) {
    bytes.withUnsafeBytes { bind(index, $0) }
  }

  /// Binds bytes, which SQLite copies. Empty is an empty BLOB, never NULL.
  package func bind(_ index: Int32, _ value: ByteString) {
    value.bytes.withUnsafeBytes { bind(index, $0) }
  }

  /// Binds an exact sum as a BLOB of the fewest bytes, see ``WideBlob``.
  func bind(_ index: Int32, wide value: Int128) {
    withUnsafeBytes(of: value.littleEndian) {
      bind(index, UnsafeRawBufferPointer(rebasing: $0[..<WideBlob.count(value)]))
    }
  }

  /// Binds the parts of a unit that a sum counts, nothing for the whole one.
  func bind(_ index: Int32, parts: Int128) {
    if parts == 1 { bind(index, []) } else { bind(index, wide: parts) }
  }

  /// Binds the hash as a BLOB of sixteen bytes, upper half first, so that BLOBs sort as hashes do.
  package func bind(_ index: Int32, _ value: Hash128) {
    let words = (value.high.bigEndian, value.low.bigEndian)
    withUnsafeBytes(of: words) { bind(index, $0) }
  }

  /// Binds text.
  package func bind(_ index: Int32, text: String) {
    var text = text
    text.withUTF8 { bytes in
      guard let count = Int32(exactly: bytes.count) else { return refuse(SQLITE_TOOBIG) }
      bytes.withMemoryRebound(to: CChar.self) { characters in
        // A nil pointer would bind NULL.
        note(
          characters.baseAddress.map { csqlite_bind_text(handle, index, $0, count) }
            ?? csqlite_bind_text(handle, index, "", 0))
      }
    }
  }

  /// Binds NULL.
  package func bindNull(_ index: Int32) { note(sqlite3_bind_null(handle, index)) }

  /// Moves to the next row; false at the end. Throws a ``LedgerError``, or
  /// ``StoreFault/ledger(_:)`` for damage, and resets then.
  package func step() throws -> Bool {
    if refused != SQLITE_OK { throw refusal() }
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    let error = LedgerError.of(sql, code, sqlite3_db_handle(handle))
    sqlite3_reset(handle)
    throw error
  }

  private var sql: String { sqlite3_sql(handle).map { String(cString: $0) } ?? "" }

  private func refusal() -> LedgerError {
    defer { refused = SQLITE_OK }
    return LedgerError(
      operation: sql, code: refused, message: String(cString: sqlite3_errstr(refused)))
  }

  /// Steps to the end and resets: for statements without rows of interest.
  package func run() throws {
    defer { reset() }
    while try step() {}
  }

  /// Makes the statement ready to run again, keeping what is bound.
  package func reset() { sqlite3_reset(handle) }

  /// Runs the statement, calling `row` for each row, and resets it.
  package func forEach(_ row: (Statement) throws -> Void) throws {
    defer { reset() }
    while try step() { try row(self) }
  }

  /// The same with one parameter.
  func forEach(binding value: Int64, _ row: (Statement) throws -> Void) throws {
    bind(1, value)
    try forEach(row)
  }

  /// Runs a statement whose one row has one integer, and gives it back.
  func onlyInteger() throws -> Int64 {
    defer { reset() }
    guard try step() else { throw StoreFault.ledger("ledger.db lacks a row: \(sql)") }
    return integer(0)
  }

  /// How many columns a row has.
  var columns: Int32 { sqlite3_column_count(handle) }

  /// A column as it is stored.
  func value(_ index: Int32) -> Rows.Value {
    switch sqlite3_column_type(handle, index) {
    case SQLITE_NULL: .null
    case SQLITE_INTEGER: .integer(integer(index))
    default: .bytes(bytes(index))
    }
  }

  /// A column as an integer.
  package func integer(_ index: Int32) -> Int64 { sqlite3_column_int64(handle, index) }

  /// Whether a column is NULL.
  package func isNull(_ index: Int32) -> Bool {
    sqlite3_column_type(handle, index) == SQLITE_NULL
  }

  /// A column's bytes where SQLite has them, valid until the next step or reset.
  package func blob(_ index: Int32) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(handle, index)
    return UnsafeRawBufferPointer(
      start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, index)))
  }

  /// A column's bytes, copied.
  package func bytes(_ index: Int32) -> ByteString { ByteString(blob(index)) }

  /// A column's text, copied.
  package func text(_ index: Int32) -> String { String(decoding: blob(index), as: UTF8.self) }

  /// A column bound as a hash; nil for other sizes.
  package func hash(_ index: Int32) -> Hash128? {
    let bytes = blob(index)
    guard bytes.count == 16 else { return nil }
    return Hash128(
      high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
      low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }
}
