/// A request to send. Host and Content-Length are added.
package struct ClientRequest: Sendable {
  /// The method, such as "GET".
  package var method: String
  /// Path and query, percent-encoded.
  package var target: String
  /// Further headers in order.
  package var headers: [(name: String, value: String)]
  /// The body; empty sends none.
  package var body: [UInt8]

  /// Makes a request.
  package init(
    _ method: String, _ target: String, headers: [(String, String)] = [], body: [UInt8] = []
  ) {
    self.method = method
    self.target = target
    self.headers = headers.map { (name: $0.0, value: $0.1) }
    self.body = body
  }
}
