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
