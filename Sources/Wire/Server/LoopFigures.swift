/// What the loop did to connections against their will, and the most that it ever held.
package struct LoopFigures: Equatable, Sendable {
  /// Why a connection ended before its peer wanted.
  package enum Reason: String, CaseIterable, Sendable {
    /// It gave its place to a newcomer.
    case gaveWay = "gave_way"
    /// It came when all places were in use.
    case refused
    /// It didn't take its answers while others needed the room.
    case unread
    /// It kept us waiting for too long.
    case timeout
  }

  /// Connections ended, by reason.
  package var ended: [Reason: UInt64] = [:]
  /// Connections open now.
  package var connections = 0
  /// Bytes of output that wait for their peers now, and at most so far.
  package var unreadBytes = 0
  package var mostUnreadBytes = 0
  /// Bytes of bodies that are being read or answered now, and at most so far.
  package var bodyBytes = 0
  package var mostBodyBytes = 0
  /// Bytes of streams' lines that wait for their turn, at most so far.
  package var mostHeldBytes = 0

  /// Nothing has happened.
  package init() {}

  mutating func count(_ reason: Reason) { ended[reason, default: 0] += 1 }
}
