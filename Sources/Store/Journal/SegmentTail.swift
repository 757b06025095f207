import Metering

/// Where the last segment validly ends.
struct SegmentTail {
  private(set) var sequence: UInt64
  private(set) var chain: Hash128
  /// Offset behind the last whole commit.
  private(set) var end = SegmentHeader.bytes
  /// Offset of the last whole commit; equal to `end` when there is none.
  private(set) var lastCommit = SegmentHeader.bytes
  private(set) var droppedFrames = 0
  /// Whether nothing lies behind the end, so that appending there is safe.
  private(set) var isClean = true
  /// Offset of the first frame that isn't right.
  private(set) var bad = SegmentHeader.bytes

  /// Scans all of a segment. Each commit is synced before the next is written, so a bad frame
  /// with a later commit behind it was once whole: throws ``StoreFault/rot(file:offset:detail:)``.
  init(scanning segment: Segment) throws {
    sequence = segment.header.firstSequence - 1
    chain = segment.header.chain
    let scanner = FrameScanner(segment, end: segment.capacity)
    while let (header, _, _) = try scanner.next() {
      droppedFrames += 1
      guard header.isLastOfCommit else { continue }
      sequence = header.sequence
      chain = header.chain
      lastCommit = end
      end = scanner.offset
      droppedFrames = 0
    }
    isClean = try scanner.isZero(from: end)
    bad = scanner.offset
    guard !isClean else { return }
    if let later = try scanner.header(from: bad, ofCommitAtOrAfter: sequence + 2) {
      throw StoreFault.rot(
        file: segment.name, offset: bad,
        detail: "frame \(scanner.sequence + 1) is damaged, yet a later commit follows it at "
          + "offset \(later)")
    }
  }
}
