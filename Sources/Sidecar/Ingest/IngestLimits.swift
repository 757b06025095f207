import Metering
import Wire

/// Bounds of what the loop does for ingest in a turn, each with its reason.
enum IngestLimits {
  /// Bodies up to this size are taken at once: 30 ms of careful decoding at worst.
  static let wholeBodyBytes = RouteLimits.smallBodyBytes
  /// Bytes of a body decoded in one piece, as many as are read from a stream at once.
  static let pieceBytes = Wire.Limits.readBytes
  /// Bytes of a body checked in one piece: the check takes a fraction of the time of decoding.
  static let checkedBytes = 1 << 20
  /// What careful decoding may cost in a turn, see `Limits.carefulEventCost`: some milliseconds,
  /// 2,000 short lines that are no events, or four of the longest.
  static let carefulTurnCost = 256 << 10
  /// The most events that a turn's careful decoding comes to.
  static let mostCarefulEvents = carefulTurnCost / Metering.Limits.carefulEventCost
  /// Text of a batch, bytes: two of them in flight stay below the budget of eight MiB.
  static let batchTextBytes = 4 << 20
}
