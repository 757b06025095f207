/// Why a call over the network has no answer.
package struct NetworkFault: Error, Equatable, Sendable, CustomStringConvertible {
  /// Where it failed.
  package enum Kind: String, CaseIterable, Sendable {
    /// The host's name has no address.
    case resolve
    /// Nothing listens there, or no way leads there.
    case connect
    /// The peer couldn't prove who it is, or speaks no TLS that is safe.
    case tls
    /// No whole answer in time. The request may have been obeyed.
    case timeout
    /// The connection broke before the whole answer. The request may have been obeyed.
    case broken
    /// The answer is longer than allowed. The request was received.
    case tooLong
    /// The answer is no HTTP. The request may have been obeyed.
    case malformed
    /// The call couldn't be made at all: a malformed URL, no memory, an unreadable file.
    case unusable
  }

  /// Where it failed.
  package var kind: Kind
  /// One line for people, without the request's headers and body.
  package var detail: String
  /// The final status, where the answer broke off behind its status line: the request was obeyed or
  /// refused all the same. nil when not so much came.
  package var status: Int?

  /// Makes a fault.
  package init(_ kind: Kind, _ detail: String, status: Int? = nil) {
    self.kind = kind
    self.detail = detail
    self.status = status
  }

  /// "timeout: Operation timed out after 30001 milliseconds".
  package var description: String { "\(kind.rawValue): \(detail)" }
}
