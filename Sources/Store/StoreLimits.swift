/// Every bound of the store, each with its reason.
package enum StoreLimits {
  /// A journal segment, bytes: large enough that rolling is rare, small enough to go soon.
  package static let segmentBytes = 64 << 20
  /// Most space of a commit in the journal, bytes; a batch is bounded far below.
  package static let commitBytes = 24 << 20
  /// Free space below which events are refused, bytes, so that open, flush and reads still work.
  package static let freeFloorBytes: UInt64 = 64 << 20
  /// How long a connection waits for another's lock, milliseconds: a checkpoint's moment.
  static let busyMilliseconds: Int32 = 2_000
  /// Series numbers remembered between flushes.
  static let seriesNumbers = 50_000
  /// Runs of one level that become one of the next: a key is copied once a level.
  static let runFanOut = 4
  /// Keys copied in one transaction of a merge: some milliseconds.
  static let mergeSliceKeys = 4_096
  /// Sums of the reserve file, bytes, freed to let a full disk drain.
  package static let reserveBytes = 32 << 20
}
