import Metering

extension Journal {
  /// Opens the journal of a store, or begins one with `newIdentity`.
  ///
  /// The last segment is scanned whole. An unfinished commit at its end is a torn write: it is
  /// dropped, and a new segment begins, whose header says where the old one validly ends, so that
  /// its leftover is never taken for a frame. Damage with a later commit behind it, or in what
  /// ``seal()`` noted as synced, is rot: throws
  /// ``StoreFault/rot(file:offset:detail:)``. ``recovery`` tells what was found.
  ///
  /// The last whole commit may have been seen in the page cache only, even after a failed sync of
  /// the process before. It is therefore written again, where it is (the ledger may hold its
  /// address), and synced before anything is built on it.
  package static func open(
    disk: any Disk, newIdentity: () throws -> StoreIdentity,
    segmentBytes: Int = StoreLimits.segmentBytes
  ) throws -> Journal {
    precondition(segmentBytes <= StoreLimits.segmentBytes && segmentBytes > SegmentHeader.bytes)
    let files = try SegmentFiles(disk: disk, segmentBytes: segmentBytes)
    let segments = try files.load()
    guard let last = segments.last else {
      return try begin(files, identity: try newIdentity())
    }
    let seal = try JournalSeal.load(disk, of: last.header.identity)
    let tail = try SegmentTail(scanning: last)
    try seal?.check(segments, tail)
    try makeDurable(tail, in: last)
    let journal = Journal(
      identity: last.header.identity,
      recovery: JournalRecovery(
        isNew: false, droppedFrames: tail.droppedFrames, startedSegment: !tail.isClean,
        tornAt: tail.isClean ? nil : TornPlace(file: last.name, offset: tail.end)),
      files: files,
      state: State(
        segments: segments, sequence: tail.sequence, chain: tail.chain, end: tail.end))
    if !tail.isClean { try journal.leaveTail() }
    return journal
  }

  /// Opens the journal for scanning beside the process that appends: what has been synced when this
  /// is called. Changes nothing. Throws ``StoreFault``.
  ///
  /// The files change while they are read: a commit that was seen half written, with the next one
  /// behind it, looks like rot. What really is wrong looks the same a second time.
  package static func openForReading(disk: any Disk) throws -> Journal {
    var seen: StoreFault?
    while true {
      do {
        return try readOnce(disk)
      } catch let fault as StoreFault where fault != seen {
        seen = fault
      }
    }
  }

  private static func readOnce(_ disk: any Disk) throws -> Journal {
    let files = SegmentFiles(reading: disk)
    let segments = try files.load()
    guard let last = segments.last else { throw StoreFault.damaged("there is no journal") }
    // Before the tail, which grows meanwhile.
    let seal = try JournalSeal.load(disk, of: last.header.identity)
    let tail = try SegmentTail(scanning: last)
    try seal?.check(segments, tail)
    return Journal(
      identity: last.header.identity, recovery: JournalRecovery(isNew: false), files: files,
      state: State(
        segments: segments, sequence: tail.sequence, chain: tail.chain, end: tail.end))
  }

  private static func begin(_ files: SegmentFiles, identity: StoreIdentity) throws -> Journal {
    let header = SegmentHeader(
      identity: identity, capacity: files.segmentBytes, ordinal: 0, firstSequence: 1,
      chain: SegmentHeader.genesisChain(identity), previousEnd: 0)
    let first = try files.create(header)
    return Journal(
      identity: identity, recovery: JournalRecovery(isNew: true), files: files,
      state: State(
        segments: [first], sequence: 0, chain: header.chain, end: SegmentHeader.bytes))
  }

  private static func makeDurable(_ tail: SegmentTail, in segment: Segment) throws {
    guard tail.lastCommit < tail.end else { return }
    let bytes = try segment.file.read(count: tail.end - tail.lastCommit, at: tail.lastCommit)
    try bytes.withUnsafeBytes { try segment.file.write($0, at: tail.lastCommit) }
    try segment.file.sync()
  }
}
