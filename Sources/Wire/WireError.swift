/// What went wrong with a socket: the operation, the thing it was done to, and the reason.
package struct WireError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The operation, such as "bind".
  package var operation: String
  /// The path or address concerned; empty when there is none.
  package var subject: String
  /// The reason in words.
  package var reason: String
  /// The kernel's error number; 0 when Wire itself refused.
  package var code: Int32

  /// Makes an error; `code` is 0 when no system call failed.
  package init(operation: String, subject: String = "", reason: String, code: Int32 = 0) {
    self.operation = operation
    self.subject = subject
    self.reason = reason
    self.code = code
  }

  var isRefusal: Bool { code == System.refused }

  /// One line for people: "bind /run/outlay.sock: Permission denied".
  package var description: String {
    subject.isEmpty ? "\(operation): \(reason)" : "\(operation) \(subject): \(reason)"
  }
}
