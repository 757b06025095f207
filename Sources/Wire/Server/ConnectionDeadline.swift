/// Until when a connection may stay as it is. Time is an argument, in monotonic nanoseconds.
struct ConnectionDeadline: Equatable {
  /// What is waited for. Numbers tell one wait from the next of its kind, which starts anew.
  enum Waiting: Equatable {
    /// For ourselves: no deadline.
    case nothing
    /// For the next request, or the first byte.
    case request(number: UInt64)
    /// For the rest of a head.
    case head(number: UInt64)
    /// For a body of so many bytes.
    case body(number: UInt64, bytes: Int)
    /// For the peer to take output, of which so much was sent in all.
    case write(sent: UInt64)
    /// For the peer to close.
    case linger
  }

  private(set) var waiting = Waiting.nothing
  /// The instant it ends; `Int64.max` when there is none.
  private(set) var instant = Int64.max

  mutating func await(_ waiting: Waiting, now: Int64, _ timeouts: ConnectionTimeouts) {
    guard waiting != self.waiting else { return }
    self.waiting = waiting
    switch waiting {
    case .nothing: instant = .max
    case .request: instant = now + timeouts.idle.nanoseconds
    case .head: instant = now + timeouts.head.nanoseconds
    case .body(_, let bytes):
      let seconds = Int64(bytes / timeouts.bodyBytesPerSecond)
      instant = now + timeouts.body.nanoseconds + seconds * 1_000_000_000
    case .write: instant = now + timeouts.write.nanoseconds
    case .linger: instant = now + timeouts.linger.nanoseconds
    }
  }

  func isOver(_ now: Int64) -> Bool { now >= instant }
}
