import Metering

/// Every bound of the store, each with its reason. What a frame and a commit hold follows from what
/// the core makes (see ``Limits``); ``boundFaults`` says where they would part.
package enum StoreLimits {
  /// A journal segment, bytes: large enough that rolling is rare, small enough to go soon. Also the
  /// most that an address of the journal can tell apart.
  package static let segmentBytes = 64 << 20
  /// Most facts in one frame, bytes: a look-up of one event reads no more than this. Frames are
  /// closed at 64 KiB; the facts of one large event may go beyond, never beyond this.
  package static let frameBodyBytes = Limits.frameCapacityBytes
  /// Most space of a commit in the journal, bytes, so that rolling wastes less than half a segment:
  /// more than the fullest entry takes.
  package static let commitBytes = 28 << 20

  /// Which bounds don't fit each other; empty in a program that may start.
  package static var boundFaults: [String] {
    var faults = Limits.boundFaults
    if Limits.entryBytesMax > commitBytes {
      faults.append("an entry of \(Limits.entryBytesMax) bytes doesn't fit a commit")
    }
    if commitBytes > segmentBytes / 2 { faults.append("a commit takes over half a segment") }
    if segmentBytes > 1 << JournalAddress.offsetBits {
      faults.append("an address can't tell a segment's bytes apart")
    }
    if FrameHeader.bytes + FrameHeader.alignment > Limits.frameHeadBytes {
      faults.append("a frame's head is longer than the core reckons with")
    }
    return faults
  }
  /// Zeroes written between two syncs when a segment is prepared, bytes: a commit that syncs
  /// meanwhile then never waits for more than this.
  static let fillBytes = 4 << 20
  /// Bytes read at once when the journal is scanned: enough to make system calls rare.
  static let scanBytes = 1 << 20
  /// Pages of the ledger copied between two looks at whether to go on: a few megabytes.
  static let copiedPages: Int32 = 1_024
  /// Free space below which events are refused, bytes, so that open, flush and reads still work.
  package static let freeFloorBytes: UInt64 = 64 << 20
  /// How long a connection waits for another's lock, milliseconds: a checkpoint's moment.
  static let busyMilliseconds: Int32 = 2_000
  /// Page cache of the connection that writes, KiB: a flush works on many pages.
  static let writerCacheKiB = 16_000
  /// Page cache of a connection that reads, KiB: there are several.
  static let readerCacheKiB = 4_000
  /// Series remembered between flushes, and keys of sums remembered by a reader: some megabytes.
  static let seriesNumbers = 50_000
  /// How long a checkpoint waits for readers, milliseconds: most questions are shorter, and a flush
  /// behind it waits no longer. What it couldn't copy, the next one does.
  static let checkpointMilliseconds: Int32 = 100
  /// Runs of one level that become one of the next: a key is copied once a level.
  static let runFanOut = 4
  /// A run's block, bytes: the longest row that fills a page of 4,096 bytes and no more, its sum
  /// included, so that nearly all of the file is used and a look-up reads one page.
  static let blockBytes = 4_049
  /// Blocks copied in one transaction of a merge, bytes: some milliseconds of work and one sync.
  static let mergeSliceBytes = 2 << 20
  /// Slices of a merge between two checkpoints: the log stays near the size that a flush gives it.
  static let mergeCheckpointSlices = 12
  /// Blocks removed in one transaction: some milliseconds.
  static let removedBlocks: Int64 = 1_024
  /// Times that a question is answered until all that it looked for stood at one boundary. The
  /// second time mostly does: more find only what came meanwhile.
  static let questionTries = 16
  /// Old notifications forgotten with one flush beyond as many as it brings: a few milliseconds,
  /// and the table shrinks to its bound in the long run.
  static let forgottenNotifications = 1_000
  /// Kept events that are decided again at once, and their bytes: some milliseconds.
  static let replayedEvents = 1_024
  static let replayedBytes = 1 << 20
  /// Changes that the rollup keeps in memory: some megabytes. When there are more, it sweeps.
  package static let rollupWaiting = 65_536
  /// Entries of a table that the rollup looks at under the lock at once: some tens of microseconds.
  static let rollupLooks = 2_048
  /// Such looks in one slice, so that a flood leaves time for what it changed.
  static let rollupLooksAtOnce = 64
  /// Changes, due figures or purchases that one slice of the rollup begins with: more than it can
  /// do in its time.
  static let rollupRows = 512
  /// Slices of the rollup between two checkpoints, so that the log stays small.
  static let rollupCheckpointSlices = 32
  /// Entries after which the rollup saves how far it is even where no figure changed, so that a
  /// start scans few.
  static let rollupUnsavedEntries: UInt64 = 1_024
  /// How far the clock may be set back before all figures are made anew, microseconds: gauges may
  /// lag as long, and within that time what hadn't happened yet has.
  static let rollupClockMicroseconds: Int64 = 15_000_000
  /// Most entries of the journal that a start looks through for what wasn't rolled up: a fraction
  /// of a second. When there are more, it sweeps.
  static let rollupScannedEntries: UInt64 = 4_096
}
