/// What became of the events of a frame.
package struct FrameCounts: Equatable, Sendable {
  /// Events counted.
  package var accepted: UInt32
  /// Events counted before.
  package var duplicates: UInt32
  /// Events with the id of another.
  package var conflicts: UInt32
  /// Events refused.
  package var rejected: UInt32

  /// Says how many of each.
  package init(
    accepted: UInt32 = 0, duplicates: UInt32 = 0, conflicts: UInt32 = 0, rejected: UInt32 = 0
  ) {
    self.accepted = accepted
    self.duplicates = duplicates
    self.conflicts = conflicts
    self.rejected = rejected
  }
}
