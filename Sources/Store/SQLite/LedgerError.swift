import CSQLite

/// What SQLite says about a failed operation; never bound values.
package struct LedgerError: Error, Equatable, CustomStringConvertible {
  /// What was tried.
  package var operation: String
  /// SQLite's extended result code, https://www.sqlite.org/rescode.html.
  package var code: Int32
  package var message: String

  package var description: String { "\(operation): \(message) (\(code))" }
}
