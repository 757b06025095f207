/// An event loop's bounds; the defaults are the product's, tests give smaller ones.
package struct EventLoopOptions: Sendable {
  /// All request bodies that are being read or answered, bytes.
  package var bodyPoolBytes = Limits.bodyPoolBytes
  /// The part of it that only small bodies may take, bytes.
  package var bodyPoolReserveBytes = Limits.bodyPoolReserveBytes
  /// One body, bytes; the pool without its reserve must hold one.
  package var bodyBytes = Limits.bodyBytes
  /// Connections per Unix listener.
  package var connections = Limits.connections
  /// Connections per TCP listener.
  package var scrapeConnections = Limits.scrapeConnections
  /// Unsent output of all connections, bytes.
  package var outputPoolBytes = Limits.outputPoolBytes
  /// Requests of one connection that wait for their answers.
  package var requestsInFlight = Limits.requestsInFlight
  /// Unsent output at which a connection is no longer read, bytes.
  package var outputBytes = Limits.outputBytes
  /// How long a connection may take for what.
  package var timeouts = ConnectionTimeouts()

  /// The product's bounds.
  package init() {}
}
