/// What other threads ask of the loop.
enum LoopMessage: Sendable {
  case respond(ReplyTicket, HTTPResponse)
  case write(ConnectionID, [UInt8])
  case close(ConnectionID)
  case pauseReading(ConnectionID)
  case resumeReading(ConnectionID)
  case pauseIngest
  case resumeIngest
  case work(@Sendable () -> Void)
  case stop(deadline: Int64)
}

/// Which request an answer is for, and the body bytes that it gives back to the pool.
struct ReplyTicket: Sendable {
  var connection: ConnectionID
  var sequence: UInt64
  var reserved: Int
}
