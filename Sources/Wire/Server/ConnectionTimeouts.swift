/// How long a connection may keep the loop waiting.
package struct ConnectionTimeouts: Equatable, Sendable {
  /// Between requests, and for the first byte.
  package var idle: Duration = .seconds(75)
  /// From a head's first byte to its last.
  package var head: Duration = .seconds(10)
  /// For a body, beside one second for each `bodyBytesPerSecond`.
  package var body: Duration = .seconds(30)
  /// The slowest pace of a body.
  package var bodyBytesPerSecond = 256 * 1024
  /// Without the peer taking a byte of the output that waits for it.
  package var write: Duration = .seconds(60)
  /// For the peer to close after a last answer that its remaining input doesn't matter for.
  package var linger: Duration = .seconds(2)

  /// The product's timeouts.
  package init() {}
}
