import CSQLite

/// What SQLite says about a failed operation; never bound values.
package struct LedgerError: Error, Equatable, CustomStringConvertible {
  /// What was tried: an operation's name, or the SQL with its placeholders.
  package var operation: String
  /// SQLite's extended result code, https://www.sqlite.org/rescode.html.
  package var code: Int32
  /// SQLite's own words.
  package var message: String

  /// Says what failed and how.
  package init(operation: String, code: Int32, message: String) {
    self.operation = operation
    self.code = code
    self.message = message
  }

  package var description: String { "\(operation): \(message) (\(code))" }
}

extension LedgerError {
  /// The error behind a code: ``StoreFault/ledger(_:)`` where the file isn't what was written.
  static func of(_ operation: String, _ code: Int32, _ connection: OpaquePointer?) -> any Error {
    let message = connection.map { String(cString: sqlite3_errmsg($0)) } ?? ""
    let file = connection.flatMap { CheckedFileSystem.file(of: $0) }
    if code == CheckedFileSystem.damaged, let damage = file?.damage { return damage }
    if [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF) {
      let damage = StoreFault.ledger("ledger.db: \(message)")
      file?.damage = damage
      return damage
    }
    return LedgerError(operation: operation, code: code, message: message)
  }
}
