/// One NDJSON connection, as the service sees it. All calls are allowed from any thread, and do
/// nothing once the connection is gone.
package final class StreamHandle: @unchecked Sendable {
  // Unchecked: `context` is the only mutable part and belongs to the loop thread.
  private let loop: EventLoop
  /// The connection's name.
  package let connection: ConnectionID
  /// Whatever the service wants to keep with the stream. Loop thread only.
  package var context: AnyObject?

  init(loop: EventLoop, connection: ConnectionID) {
    self.loop = loop
    self.connection = connection
  }

  /// Sends bytes, after those of earlier calls.
  package func write(_ bytes: [UInt8]) {
    loop.deliver([.write(connection, bytes)])
  }

  /// Sends to many streams with one wake-up of their loop, which must be the same for all.
  package static func write(_ outputs: [(stream: StreamHandle, bytes: [UInt8])]) {
    guard let loop = outputs.first?.stream.loop else { return }
    loop.deliver(outputs.map { .write($0.stream.connection, $0.bytes) })
  }

  /// Closes the connection once everything written is sent. No callback follows.
  package func close() {
    loop.deliver([.close(connection)])
  }

  /// Stops reading; what was read in this turn is still delivered.
  package func pauseReading() {
    loop.deliver([.pauseReading(connection)])
  }

  /// Reads again.
  package func resumeReading() {
    loop.deliver([.resumeReading(connection)])
  }
}
