/// A blocking HTTP/1.1 client on one kept connection. For one thread at a time.
package final class UnixHTTPClient {
  /// Connects to a Unix socket. Throws when nothing listens there.
  package init(path: String) throws(WireError) {
    throw WireError(operation: "connect", subject: path, reason: "not built yet")
  }

  /// Sends one request and waits for its answer; connects anew if the server had closed.
  package func send(_ request: ClientRequest) throws(WireError) -> HTTPResponse {
    throw WireError(operation: "send", reason: "not built yet")
  }

  /// Sends all requests without waiting in between; answers come in the order of the requests.
  package func sendAll(_ requests: [ClientRequest]) throws(WireError) -> [HTTPResponse] {
    throw WireError(operation: "send", reason: "not built yet")
  }
}
