/// What other threads ask of the loop.
enum LoopMessage: Sendable {
  case respond(ConnectionID, UInt64, HTTPResponse)
  case write(ConnectionID, [UInt8])
  case close(ConnectionID)
  case pauseReading(ConnectionID)
  case resumeReading(ConnectionID)
  case pauseIngest
  case resumeIngest
  case work(@Sendable () -> Void)
  case stop(deadline: Int64)
}
