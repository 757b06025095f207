import Metering

@testable import Store

/// A file in memory that is only read.
private final class MemoryFile: DiskFile {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
    guard offset < bytes.count else { return 0 }
    let count = min(buffer.count, bytes.count - offset)
    buffer.copyBytes(from: bytes[offset..<offset + count])
    return count
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws { throw StoreFault.full }
  func sync() throws {}
  func size() throws -> Int { bytes.count }
}

extension FuzzTarget {
  /// A journal's segment of frames with any bodies and right sums, and perhaps one flipped bit:
  /// exactly the frames before it are read, as they were written, and what lies in them is gone
  /// through.
  static let journal = FuzzTarget(
    name: "journal", goal: "facts",
    seeds: {
      [[0]]
        + Desk.sampleBodies().flatMap { body in
          let frame = [UInt8(body.count & 255), UInt8(body.count >> 8), 1] + body
          return [[0, 0, 0, 0] + frame, [1, 90, 16, 3] + frame + frame + [2, 0, 0, 1, 2]]
        }
    }
  ) { input, run in
    var steering = Pieces(input)
    let isFlipped = steering.byte() & 1 != 0
    let place = Int(steering.word()) | Int(steering.byte()) << 16
    var segment = FrameFile()
    while !steering.rest.isEmpty && segment.frames.count < 64 {
      let count = Int(steering.word())
      let flags = steering.byte()
      segment.append(steering.bytes(count), flags: UInt16(flags & 1))
    }
    var expected = segment.frames.count
    if isFlipped, !segment.frames.isEmpty {
      let size = segment.bytes.count - SegmentHeader.bytes
      let offset = SegmentHeader.bytes + place % (size * 8) / 8
      segment.bytes[offset] ^= 1 << UInt8(place % 8)
      // What fills a frame up to its alignment belongs to none.
      let hit = segment.frames.firstIndex {
        offset >= $0.start && offset < $0.start + FrameHeader.bytes + $0.body.count
      }
      expected = hit ?? expected
    }
    if run.takesTwin { expected += 1 }
    let found = segment.scanned()
    run.agree(found, segment.frames.prefix(expected).map(\.body), "frames read and written")
    _ = try? SegmentTail(scanning: segment.opened)
    for body in found { walk(body, &run) }
    apply(found, &run)
  }

  /// Frames as recovery takes them: each is refused before anything of it is applied, or applied.
  private static func apply(_ bodies: [[UInt8]], _ run: inout FuzzRun) {
    let table = Memtable(after: 0, capacity: 0)
    var totals = Totals()
    var check = FrameCheck(after: totals)
    var applier = Applier(table: table, hashKey: HashKey(high: 1, low: 2))
    for (number, body) in bodies.enumerated() {
      let isApplied = body.withUnsafeBytes { bytes in
        let frame = DurableFrame(
          body: bytes, address: 4_096 + UInt64(number), sequence: UInt64(number) + 1,
          chain: Hash128(high: 0, low: 0), receivedAt: 1_796_000_000_000_000, floor: 0,
          accepted: 0, duplicates: 0, conflicts: 0, rejected: 0)
        guard (try? check.check(frame, isLastOfCommit: false)) != nil else { return false }
        applier.apply(frame, totals: &totals)
        return true
      }
      guard isApplied else { return }
      run.reach("applied")
    }
  }

  private static func walk(_ body: [UInt8], _ run: inout FuzzRun) {
    var facts = 0
    body.withUnsafeBytes { bytes in
      try? FrameWalk.walk(bytes, address: 4_096, receivedAt: 0, earlier: [1, 2]) { number, fact in
        fact.forEachChange { event, _ in facts += event.readings.count }
        return number < 4_096
      }
    }
    if facts > 0 { run.reach("facts") }
  }

  /// A block of a run, whatever it holds: it is read to its end or named as damaged, and a key that
  /// was read is found.
  static let runBlocks = FuzzTarget(
    name: "run-blocks", goal: "keys", seeds: { keyBlocks + usageBlocks }
  ) { input, run in
    var steering = Pieces(input)
    let block = { (pieces: Pieces) in pieces.rest }
    if steering.byte() & 1 == 0 {
      readKeys(block(steering), &run)
    } else {
      readUsage(block(steering), &run)
    }
  }

  private static let blockID: Int64 = 1 << 32

  private static func readKeys(_ block: UnsafeRawBufferPointer, _ run: inout FuzzRun) {
    var reader = KeyBlock.Reader(block, id: blockID)
    var keys: [Hash128] = []
    while let entry = reader.next() { keys.append(entry.key) }
    guard !reader.isDamaged, let last = keys.last else { return }
    run.reach("keys")
    // A search ends where keys grow beyond the wanted one: in order, as they are written.
    guard zip(keys, keys.dropFirst()).allSatisfy({ $0.high <= $1.high }) else { return }
    let wanted = run.takesTwin ? Hash128(high: last.high, low: ~last.low) : last
    let found = try? KeyBlock.find(wanted, in: block, id: blockID)
    run.agree(found?.key, last, "a key found and read")
  }

  private static func readUsage(_ block: UnsafeRawBufferPointer, _ run: inout FuzzRun) {
    var reader = UsageBlock.Reader(block, id: blockID)
    var record = UsageRecord()
    var records = 0
    do {
      while try reader.next(&record) { records += 1 }
    } catch {
      return
    }
    if records > 0 { run.reach("usage") }
  }

  private static var keyBlocks: [[UInt8]] {
    let entries = (0..<5).map { number in
      KeyEntry(
        key: Hash128(high: UInt64(number) << 40, low: UInt64(number) &* 0x9E37_79B9_7F4A_7C15),
        fingerprint: UInt64(number), location: Location(raw: 1 << 40 + UInt64(number)),
        isVoided: number == 3, isVoid: number == 4)
    }
    var block = BlockBytes()
    KeyBlock.write(
      ContiguousArray(entries), above: 0, keyBytes: 6, locationBytes: 2,
      leastLocation: 1 << 40, to: &block)
    return [[0] + Array(block.bytes)]
  }

  private static var usageBlocks: [[UInt8]] {
    var record = UsageRecord()
    record.hash = Hash128(high: 5, low: 7)
    var sums = Sums()
    for (key, quantity) in [(1, 5_000_000_000), (2, -1), (9, Int128.max), (12, 7)] {
      sums.quantity = quantity
      sums.amount = quantity & 1
      sums.count += 1
      sums.first = 1_796_000_000_000_000
      sums.last = 1_796_000_000_000_000 + Int64(key) * 1000
      record.sums.append(NumberedSums(key: Int64(key), sums: sums))
    }
    record.trail = ContiguousArray((0..<9).map { 1_000 + $0 * 300 })
    let base = UsageBlock.Base(startingWith: record, locations: 1_000...5_000)
    var block = BlockBytes()
    base.write(to: &block)
    UsageBlock.write(record, after: 0, base: base, to: &block)
    return [[1] + Array(block.bytes)]
  }
}

/// A segment's file under construction, with right sums.
private struct FrameFile {
  private(set) var header: SegmentHeader
  var bytes: [UInt8]
  private(set) var frames: [(start: Int, body: [UInt8])] = []
  private var chain: Hash128
  private var indexInCommit: UInt32 = 0

  init() {
    let identity = StoreIdentity(id: Array(repeating: 7, count: 16), key: Array(0..<16))
    chain = SegmentHeader.genesisChain(identity)
    header = SegmentHeader(
      identity: identity, capacity: 1 << 22, ordinal: 1, firstSequence: 1, chain: chain,
      previousEnd: 0)
    bytes = header.encode()
  }

  mutating func append(_ body: [UInt8], flags: UInt16) {
    var frame = FrameHeader()
    frame.bodyCount = UInt32(body.count)
    frame.flags = flags
    frame.sequence = UInt64(frames.count + 1)
    frame.receivedAt = 1_796_000_000_000_000
    frame.indexInCommit = indexInCommit
    let hash = body.withUnsafeBytes { ChainHash.of($0) }
    frame.bodyCheck = FrameHeader.bodyCheck(hash)
    frame.chain = frame.chained(to: chain, bodyHash: hash)
    chain = frame.chain
    indexInCommit = frame.isLastOfCommit ? 0 : indexInCommit + 1
    let start = bytes.count
    bytes += [UInt8](repeating: 0, count: FrameHeader.bytes) + body
    bytes += [UInt8](repeating: 0, count: FrameHeader.padded(bytes.count) - bytes.count)
    let seed = header.frameSeed
    bytes.withUnsafeMutableBytes { file in
      if let base = file.baseAddress { frame.store(to: base + start, seed: seed) }
    }
    frames.append((start, body))
  }

  var opened: Segment { Segment(header: header, file: MemoryFile(bytes)) }

  func scanned() -> [[UInt8]] {
    let scanner = FrameScanner(opened, end: bytes.count)
    var bodies: [[UInt8]] = []
    while let frame = try? scanner.next() { bodies.append(Array(frame.body)) }
    return bodies
  }
}
