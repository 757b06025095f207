/// A blocking NDJSON connection. For one thread at a time.
package final class UnixStreamConnection {
  private let socket: ClientSocket

  /// Connects to a Unix socket. Throws when nothing listens there.
  package init(path: String) throws(WireError) {
    socket = try ClientSocket(unix: path)
  }

  /// The socket, for polling many connections at once.
  package var descriptor: Int32 { socket.descriptor }

  /// True when the server has closed its side and `readLines` has nothing more to give.
  package var isEnded: Bool { socket.isEnded && !socket.received.contains(ASCII.lineFeed) }

  /// Writes everything, taking in what the server says meanwhile, so that neither side blocks.
  package func write(_ bytes: [UInt8]) throws(WireError) {
    try socket.write(bytes)
  }

  /// The complete lines that have come, without their newlines; waits up to the given time for the
  /// first (nil: until one comes or the server closes; 0: not at all).
  package func readLines(waitMilliseconds: Int32?) throws(WireError) -> [[UInt8]] {
    while true {
      let lines = takeLines()
      if !lines.isEmpty || socket.isEnded { return lines }
      guard try socket.waitForInput(milliseconds: waitMilliseconds) else { return [] }
    }
  }

  /// Half-closes: no more lines will be written.
  package func finishWriting() {
    socket.finishWriting()
  }

  private func takeLines() -> [[UInt8]] {
    guard let end = socket.received.lastIndex(of: ASCII.lineFeed) else { return [] }
    let lines = socket.received[..<end].split(
      separator: ASCII.lineFeed, omittingEmptySubsequences: false)
    let result = lines.map(Array.init)
    socket.received.removeFirst(end + 1)
    return result
  }
}
