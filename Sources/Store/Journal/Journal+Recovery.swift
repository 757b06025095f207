import Metering

extension Journal {
  /// Opens the journal of a store or begins one with `identity`.
  ///
  /// The tail of the last segment is scanned: an unfinished commit at the end is a torn write and
  /// is left behind by a new segment; damage with a later commit behind it is rot and refuses,
  /// naming file and offset.
  package static func open(
    disk: any Disk, newIdentity: () throws -> StoreIdentity,
    segmentBytes: Int = StoreLimits.segmentBytes
  ) throws -> Journal {
    precondition(segmentBytes <= StoreLimits.segmentBytes)
    try disk.makeDirectory("journal")
    try disk.syncDirectory("")
    let segments = try load(disk)
    guard let last = segments.last else {
      let identity = try newIdentity()
      let header = SegmentHeader(
        identity: identity, ordinal: 0, firstSequence: 1, chain: Hash128(high: 0, low: 0),
        previousEnd: 0)
      let first = try create(header, on: disk, bytes: segmentBytes)
      return Journal(
        disk: disk, identity: identity, segments: [first], sequence: 0,
        chain: header.chain, end: SegmentHeader.bytes, segmentBytes: segmentBytes)
    }
    let tail = try Tail(scanning: last)
    let journal = Journal(
      disk: disk, identity: last.header.identity, segments: segments, sequence: tail.sequence,
      chain: tail.chain, end: tail.end, segmentBytes: segmentBytes)
    if !tail.isClean { try journal.reopen() }
    return journal
  }

  private static func load(_ disk: any Disk) throws -> [Segment] {
    let names = try disk.list("journal").filter { $0.hasSuffix(".seg") }
    var segments: [Segment] = []
    for name in names {
      let file = try disk.open("journal/" + name, create: false)
      guard let header = SegmentHeader(try file.read(count: SegmentHeader.bytes, at: 0)),
        header.name == "journal/" + name
      else { throw StoreFault.damaged("journal/\(name): the head is damaged at offset 0") }
      segments.append(Segment(header: header, file: file))
    }
    segments.sort { $0.header.ordinal < $1.header.ordinal }
    for (older, newer) in zip(segments, segments.dropFirst()) {
      guard newer.header.ordinal == older.header.ordinal + 1,
        newer.header.identity == older.header.identity
      else {
        throw StoreFault.damaged("\(newer.header.name): the segment before it is missing")
      }
    }
    return segments
  }
}

/// Where the last segment validly ends.
private struct Tail {
  var sequence: UInt64
  var chain: Hash128
  var end = SegmentHeader.bytes
  /// Whether nothing lies behind the end, so that appending there is safe.
  var isClean = true

  init(scanning segment: Segment) throws {
    sequence = segment.header.firstSequence - 1
    chain = segment.header.chain
    var scanner = FrameScanner(segment)
    while let (header, _, _) = try scanner.next() {
      if header.flags & FrameHeader.lastOfCommit != 0 {
        sequence = header.sequence
        chain = header.chain
        end = scanner.offset
      }
    }
    let rest = try segment.file.read(count: try segment.file.size() - end, at: end)
    isClean = Self.isZero(rest)
    guard !isClean else { return }
    let behind = scanner.offset - end
    for offset in stride(from: behind, to: rest.count - FrameHeader.bytes + 1, by: 8) {
      let header = rest.withUnsafeBytes {
        FrameHeader(UnsafeRawBufferPointer(rebasing: $0[offset...]))
      }
      if let header, header.commit > sequence + 1 {
        throw StoreFault.damaged(
          "\(segment.header.name): the frame at offset \(scanner.offset) is damaged, yet commit "
            + "\(header.commit) follows it at offset \(end + offset)")
      }
    }
  }

  /// A word at a time: the rest of a segment is up to 64 MiB.
  private static func isZero(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { raw in
      let words = raw.count / 8
      for word in 0..<words
      where raw.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self) != 0 {
        return false
      }
      return raw[(words * 8)...].allSatisfy { $0 == 0 }
    }
  }
}
