/// One complete request.
package struct HTTPRequest: Equatable, Sendable {
  /// The line and headers.
  package var head: HTTPRequestHead
  /// The body without its framing.
  package var body: [UInt8]
  /// The connection it came on.
  package var connection: ConnectionID

  /// The method as sent, such as "GET".
  package var method: String { head.method }
  /// The path as sent, undecoded.
  package var path: String { head.path }
  /// The path's segments, percent-decoded: "/v1/a%2Fb" is ["v1", "a/b"], "/" is [].
  package var segments: [[UInt8]] { head.segments }
  /// The query's pairs in order, decoded as forms are ("+" is a space).
  package var query: [(name: String, value: [UInt8])] { head.query }
  /// True when the client wants the connection kept after the answer.
  package var keepAlive: Bool { head.keepAlive }

  /// The value of the first header with this name, compared without case; nil when absent.
  package func header(_ name: String) -> String? { head.header(name) }

  /// The values of all headers with this name, in order.
  package func headers(_ name: String) -> [String] { head.headers(name) }
}
