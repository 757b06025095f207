/// Paths that depend on where the program runs, and what its environment overrides.
package struct ConfigurationDefaults: Sendable {
  /// The socket of a file that names none.
  package var socketPath: String
  /// The store of a file that names none.
  package var storeDirectory: String
  /// `OUTLAY_SOCKET`: stronger than the file.
  package var socketOverride: String?
  /// `OUTLAY_STORE`: stronger than the file.
  package var storeOverride: String?
  /// `OUTLAY_METRICS_LISTEN`: stronger than the file.
  package var metricsOverride: String?

  /// Paths for a file that names none; nothing is overridden.
  package init(socketPath: String, storeDirectory: String) {
    self.socketPath = socketPath
    self.storeDirectory = storeDirectory
  }
}
