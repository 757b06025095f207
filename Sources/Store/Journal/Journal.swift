package import Metering

/// The append-only log of facts in segments. Appending is the writer's; reading is anybody's.
package final class Journal: @unchecked Sendable {
  // Unchecked: `segments` is guarded by `lock`; everything else is the writer's alone.

  /// How far a segment reaches; smaller in tests.
  package let segmentBytes: Int
  package let identity: StoreIdentity
  private let disk: any Disk
  private let lock = StoreLock()
  private var segments: [Segment]
  /// The last durable frame and the chain there.
  package private(set) var sequence: UInt64
  package private(set) var chain: Hash128
  private var end: Int
  private var isIndeterminate = false
  private var staging: UnsafeMutableRawBufferPointer

  init(
    disk: any Disk, identity: StoreIdentity, segments: [Segment], sequence: UInt64,
    chain: Hash128, end: Int, segmentBytes: Int
  ) {
    self.disk = disk
    self.identity = identity
    self.segments = segments
    self.sequence = sequence
    self.chain = chain
    self.end = end
    self.segmentBytes = segmentBytes
    staging = .allocate(byteCount: 1 << 20, alignment: 16)
  }

  deinit { staging.deallocate() }

  /// A frame read back.
  package struct Frame {
    package var address: UInt64
    package var sequence: UInt64
    package var chain: Hash128
    package var receivedAt: Int64
    package var floor: Int64
    package var counts: (UInt32, UInt32, UInt32, UInt32)
    package var body: [UInt8]

    /// Hands the frame to apply.
    package func withDurable<Value>(_ body: (DurableFrame) -> Value) -> Value {
      self.body.withUnsafeBytes {
        body(
          DurableFrame(
            body: $0, address: address, sequence: sequence, chain: chain, receivedAt: receivedAt,
            floor: floor, accepted: counts.0, duplicates: counts.1, conflicts: counts.2,
            rejected: counts.3))
      }
    }
  }

  /// Appends the frames of one commit with one write and one sync, and calls `applied` for each
  /// once all are durable. Throws ``StoreFault``: after a failed sync nothing more is appended
  /// until ``reopen()``.
  package func append(
    _ frames: [FrameBody], receivedAt: Int64, floor: Int64, applied: (DurableFrame) -> Void
  ) throws {
    guard !isIndeterminate else { throw StoreFault.indeterminate }
    precondition(!frames.isEmpty)
    let count = frames.reduce(0) { $0 + FrameHeader.padded(FrameHeader.bytes + $1.bytes.count) }
    precondition(count <= segmentBytes - SegmentHeader.bytes)
    if end + count > segmentBytes { try roll() }
    if staging.count < count {
      staging.deallocate()
      staging = .allocate(byteCount: count * 2, alignment: 16)
    }
    let headers = encode(frames, receivedAt: receivedAt, floor: floor)
    guard let current = segments.last, let start = staging.baseAddress else {
      preconditionFailure("a journal has a segment")
    }
    do {
      try current.file.write(UnsafeRawBufferPointer(start: start, count: count), at: end)
      try current.file.sync()
    } catch {
      isIndeterminate = true
      throw error
    }
    var offset = end
    for (header, frame) in zip(headers, frames) {
      applied(
        DurableFrame(
          body: frame.bytes, address: address(current, offset), sequence: header.sequence,
          chain: header.chain, receivedAt: receivedAt, floor: floor, accepted: header.accepted,
          duplicates: header.duplicates, conflicts: header.conflicts, rejected: header.rejected))
      offset += header.totalCount
      sequence = header.sequence
      chain = header.chain
    }
    end = offset
  }

  private func encode(_ frames: [FrameBody], receivedAt: Int64, floor: Int64) -> [FrameHeader] {
    guard let start = staging.baseAddress else { return [] }
    var offset = 0
    var previous = chain
    return frames.enumerated().map { number, frame in
      var header = FrameHeader()
      header.bodyCount = UInt32(frame.bytes.count)
      header.flags = number == frames.count - 1 ? FrameHeader.lastOfCommit : 0
      header.sequence = sequence + UInt64(number) + 1
      header.commit = sequence + 1
      header.receivedAt = receivedAt
      header.floor = floor
      header.accepted = frame.accepted
      header.duplicates = frame.duplicates
      header.conflicts = frame.conflicts
      header.rejected = frame.rejected
      header.chain = header.chained(to: previous, body: frame.bytes)
      previous = header.chain
      header.store(to: start + offset)
      let body = start + offset + FrameHeader.bytes
      if let source = frame.bytes.baseAddress {
        body.copyMemory(from: source, byteCount: frame.bytes.count)
      }
      let used = FrameHeader.bytes + frame.bytes.count
      (start + offset + used).initializeMemory(
        as: UInt8.self, repeating: 0, count: header.totalCount - used)
      offset += header.totalCount
      return header
    }
  }

  private func address(_ segment: Segment, _ offset: Int) -> UInt64 {
    segment.header.ordinal * UInt64(StoreLimits.segmentBytes) + UInt64(offset)
  }

  /// Begins the next segment behind the last durable frame.
  private func roll() throws {
    let header = SegmentHeader(
      identity: identity, ordinal: (segments.last?.header.ordinal ?? 0) + 1,
      firstSequence: sequence + 1, chain: chain, previousEnd: UInt64(end))
    let segment = try Self.create(header, on: disk, bytes: segmentBytes)
    lock.withLock { segments.append(segment) }
    end = SegmentHeader.bytes
  }

  /// After a failed sync: cuts the journal behind the last frame that was synced. The failed
  /// handle is never synced again.
  package func reopen() throws {
    try roll()
    isIndeterminate = false
  }

  /// Prepares the file that the next segment will use, off the commit path.
  package func prepareSpare() throws {
    guard try !disk.list("journal").contains("spare") else { return }
    try Self.fill(disk, name: "journal/spare.new", bytes: segmentBytes)
    try disk.rename("journal/spare.new", to: "journal/spare")
    try disk.syncDirectory("journal")
  }

  static func create(
    _ header: SegmentHeader, on disk: any Disk, bytes: Int
  ) throws -> Segment {
    if try !disk.list("journal").contains("spare") {
      try fill(disk, name: "journal/spare.new", bytes: bytes)
      try disk.rename("journal/spare.new", to: "journal/spare")
    }
    let file = try disk.open("journal/spare", create: false)
    try header.encode().withUnsafeBytes { try file.write($0, at: 0) }
    try file.sync()
    try disk.rename("journal/spare", to: header.name)
    try disk.syncDirectory("journal")
    return Segment(header: header, file: file)
  }

  /// Zeroes written ahead make each later sync write data only: half the cost of growing a file.
  private static func fill(_ disk: any Disk, name: String, bytes: Int) throws {
    try disk.remove(name)
    let file = try disk.open(name, create: true)
    let zeroes = [UInt8](repeating: 0, count: min(bytes, 1 << 20))
    var offset = 0
    while offset < bytes {
      let count = min(zeroes.count, bytes - offset)
      try zeroes.withUnsafeBytes {
        try file.write(UnsafeRawBufferPointer(rebasing: $0[0..<count]), at: offset)
      }
      offset += count
    }
    try file.sync()
  }

  /// Reads the frame at an address, from any thread. Its chain can't be checked alone, so its
  /// head's check and the body's place must do.
  package func read(_ address: UInt64) throws -> Frame {
    let ordinal = address / UInt64(StoreLimits.segmentBytes)
    let offset = Int(address % UInt64(StoreLimits.segmentBytes))
    let found = lock.withLock { segments.first { $0.header.ordinal == ordinal } }
    guard let found else { throw StoreFault.damaged("no segment holds address \(address)") }
    let head = try found.file.read(count: FrameHeader.bytes, at: offset)
    guard let header = head.withUnsafeBytes({ FrameHeader($0) }) else {
      throw StoreFault.damaged("\(found.header.name): no frame at offset \(offset)")
    }
    let body = try found.file.read(count: Int(header.bodyCount), at: offset + FrameHeader.bytes)
    return frame(header, body, address)
  }

  private func frame(_ header: FrameHeader, _ body: [UInt8], _ address: UInt64) -> Frame {
    Frame(
      address: address, sequence: header.sequence, chain: header.chain,
      receivedAt: header.receivedAt, floor: header.floor,
      counts: (header.accepted, header.duplicates, header.conflicts, header.rejected), body: body)
  }

  /// Calls `body` with every frame after `sequence`, checking chains. Throws
  /// ``StoreFault/damaged(_:)`` with file and offset where they don't fit.
  package func scan(after sequence: UInt64, _ body: (Frame) throws -> Void) throws {
    let all = lock.withLock { segments }
    let limit = self.sequence
    for (number, segment) in all.enumerated() {
      let isLast = number == all.count - 1
      let end = isLast ? self.end : Int(all[number + 1].header.previousEnd)
      if !isLast && all[number + 1].header.firstSequence <= sequence + 1 { continue }
      var scanner = FrameScanner(segment)
      while scanner.offset < end {
        guard let (header, bytes, offset) = try scanner.next() else {
          throw StoreFault.damaged(
            "\(segment.header.name): no valid frame at offset \(scanner.offset)")
        }
        if header.sequence > limit { return }
        if header.sequence > sequence {
          try body(frame(header, bytes, address(segment, offset)))
        }
      }
    }
  }

  /// Bytes of frames in all segments.
  package var usedBytes: Int {
    let all = lock.withLock { segments }
    guard all.count > 1 else { return end }
    return all.dropFirst().reduce(end) { $0 + Int($1.header.previousEnd) }
  }
}

/// Goes through a segment's frames, checking each head and the chain.
struct FrameScanner {
  let segment: Segment
  private(set) var offset = SegmentHeader.bytes
  private(set) var chain: Hash128
  private(set) var expected: UInt64

  init(_ segment: Segment) {
    self.segment = segment
    chain = segment.header.chain
    expected = segment.header.firstSequence
  }

  /// The next valid frame; nil where there is none.
  mutating func next() throws -> (FrameHeader, [UInt8], Int)? {
    let head = try segment.file.read(count: FrameHeader.bytes, at: offset)
    guard let header = head.withUnsafeBytes({ FrameHeader($0) }), header.sequence == expected
    else { return nil }
    let body = try segment.file.read(
      count: Int(header.bodyCount), at: offset + FrameHeader.bytes)
    guard body.count == Int(header.bodyCount),
      header.chain == body.withUnsafeBytes({ header.chained(to: chain, body: $0) })
    else { return nil }
    let found = (header, body, offset)
    offset += header.totalCount
    chain = header.chain
    expected += 1
    return found
  }
}
