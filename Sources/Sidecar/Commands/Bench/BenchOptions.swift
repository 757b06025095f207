/// What `outlay bench` is to do.
package struct BenchOptions: Sendable {
  /// What is measured.
  package enum Mode: Sendable {
    /// Acknowledged events a second over many connections.
    case load
    /// Round trips of one event, beside single synced writes to the same disk.
    case single
    /// The decoder alone, without a server.
    case decoder
  }

  /// What is measured.
  package var mode = Mode.load
  /// Events to send or decode.
  package var events = 1_000_000
  /// Purchases registered first.
  package var purchases = 200_000
  /// Connections of the load.
  package var connections = 16
  /// Bytes in a chunk, at most.
  package var chunkBytes = 65_536
  /// Chunks of a connection that may wait for their acknowledgement.
  package var outstanding = 4
  /// Where the scratch folder is made; it has to be on the disk that is to be measured.
  package var directory = "/var/tmp"
  /// A server that runs already; nil starts one.
  package var socket: String?
  /// Whether the server is killed afterwards and the time to readiness measured.
  package var measuresRecovery = false
  /// Whether the report is JSON.
  package var printsJSON = false
  /// Whether the scratch folder stays.
  package var keepsFolder = false

  /// The defaults.
  package init() {}
}
