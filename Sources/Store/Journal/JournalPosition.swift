package import Metering

/// A place between two commits of the journal.
package struct JournalPosition: Equatable, Sendable {
  /// Sequence number of the last frame before it; 0 before the first.
  package var sequence: UInt64
  /// The chain's hash there.
  package var chain: Hash128
  /// Where the next frame goes, unless a new segment begins there.
  package var address: UInt64

  /// Names a place.
  package init(sequence: UInt64, chain: Hash128, address: UInt64) {
    self.sequence = sequence
    self.chain = chain
    self.address = address
  }
}

/// What opening the journal found.
package struct JournalRecovery: Equatable, Sendable {
  /// Whether the store was begun.
  package var isNew = false
  /// Frames of an unfinished commit that were left behind.
  package var droppedFrames = 0
  /// Whether a torn tail made a new segment necessary.
  package var startedSegment = false
  /// Where the torn tail begins: file and offset; nil where there was none.
  package var tornAt: TornPlace?

  /// Nothing to tell: the journal was there and whole.
  package init(
    isNew: Bool = false, droppedFrames: Int = 0, startedSegment: Bool = false,
    tornAt: TornPlace? = nil
  ) {
    self.isNew = isNew
    self.droppedFrames = droppedFrames
    self.startedSegment = startedSegment
    self.tornAt = tornAt
  }
}

/// A place in a file of the journal.
package struct TornPlace: Equatable, Sendable {
  package var file: String
  package var offset: Int
}

/// Addresses: the segment's ordinal above the offset in it.
enum JournalAddress {
  static let offsetBits = UInt64(26)

  static func of(ordinal: UInt64, offset: Int) -> UInt64 {
    ordinal << offsetBits + UInt64(offset)
  }

  static func ordinal(_ address: UInt64) -> UInt64 { address >> offsetBits }

  static func offset(_ address: UInt64) -> Int {
    Int(address & (1 << offsetBits - 1))
  }
}
