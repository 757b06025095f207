/// A blocking NDJSON connection. For one thread at a time.
package final class UnixStreamConnection {
  /// Connects to a Unix socket. Throws when nothing listens there.
  package init(path: String) throws(WireError) {
    throw WireError(operation: "connect", subject: path, reason: "not built yet")
  }

  /// The socket, for polling many connections at once.
  package var descriptor: Int32 { -1 }

  /// True when the server has closed its side.
  package var isEnded: Bool { true }

  /// Writes everything, taking in what the server says meanwhile, so that neither side blocks.
  package func write(_ bytes: [UInt8]) throws(WireError) {}

  /// The complete lines that have come, without their newlines; waits up to the given time for the
  /// first (nil: until one comes or the server closes).
  package func readLines(waitMilliseconds: Int32?) throws(WireError) -> [[UInt8]] { [] }

  /// Half-closes: no more lines will be written.
  package func finishWriting() {}
}
