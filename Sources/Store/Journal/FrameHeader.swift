import Metering

/// The fixed head of a frame, 80 bytes, little-endian, at a multiple of eight.
///
/// Two sums guard it. `chain` ties header and body to all frames before. `check` covers the header
/// alone, under a seed of store and segment: a search can tell a header from other bytes behind
/// damage, and neither an older use of the file nor bytes inside a body pass for one.
struct FrameHeader: Equatable {
  static let bytes = 80
  static let alignment = 8
  /// "OUTF".
  static let magic: UInt32 = 0x4654_554F
  static let lastOfCommit: UInt16 = 1

  var bodyCount: UInt32 = 0
  var kind: UInt16 = 0
  var flags: UInt16 = 0
  var sequence: UInt64 = 0
  var receivedAt: Int64 = 0
  var floor: Int64 = 0
  var counts = FrameCounts()
  /// Number of the frame in its commit: tells a torn commit from rot before a later one.
  var indexInCommit: UInt32 = 0
  /// Of the body alone, so that one frame can be read without those before it.
  var bodyCheck: UInt32 = 0
  var chain = Hash128(high: 0, low: 0)

  static func padded(_ count: Int) -> Int { (count + alignment - 1) & ~(alignment - 1) }

  /// Bytes of a frame on disk.
  static func frameBytes(body: Int) -> Int { padded(bytes + body) }

  var frameBytes: Int { Self.frameBytes(body: Int(bodyCount)) }

  var isLastOfCommit: Bool { flags & Self.lastOfCommit != 0 }

  /// Sequence number of the commit's first frame.
  var commit: UInt64 { sequence &- UInt64(indexInCommit) }

  @inline(__always)
  private func forEachWord(_ body: (UInt64) -> Void) {
    body(UInt64(bodyCount) | UInt64(kind) << 32 | UInt64(flags) << 48)
    body(sequence)
    body(UInt64(bitPattern: receivedAt))
    body(UInt64(bitPattern: floor))
    body(UInt64(counts.accepted) | UInt64(counts.duplicates) << 32)
    body(UInt64(counts.conflicts) | UInt64(counts.rejected) << 32)
    body(UInt64(indexInCommit) | UInt64(bodyCheck) << 32)
  }

  /// The chain behind this frame.
  func chained(to previous: Hash128, bodyHash: Hash128) -> Hash128 {
    var hash = ChainHash(seed: previous)
    forEachWord { hash.add($0) }
    hash.add(bodyHash.high)
    hash.add(bodyHash.low)
    return hash.finish()
  }

  static func bodyCheck(_ hash: Hash128) -> UInt32 { UInt32(truncatingIfNeeded: hash.low) }

  private func check(seed: Hash128) -> UInt32 {
    var hash = ChainHash(seed: seed)
    forEachWord { hash.add($0) }
    hash.add(chain.high)
    hash.add(chain.low)
    return UInt32(truncatingIfNeeded: hash.finish().high)
  }

  func store(to start: UnsafeMutableRawPointer, seed: Hash128) {
    start.storeBytes(of: Self.magic.littleEndian, as: UInt32.self)
    start.storeBytes(of: check(seed: seed).littleEndian, toByteOffset: 4, as: UInt32.self)
    var offset = 8
    func put(_ word: UInt64) {
      start.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
      offset += 8
    }
    forEachWord(put)
    put(chain.high)
    put(chain.low)
  }

  init() {}

  /// nil unless magic, check and size are a header's.
  init?(_ bytes: UnsafeRawBufferPointer, seed: Hash128) {
    func word(_ index: Int) -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
    }
    guard bytes.count >= Self.bytes else { return nil }
    let first = word(0)
    guard UInt32(truncatingIfNeeded: first) == Self.magic else { return nil }
    bodyCount = UInt32(truncatingIfNeeded: word(1))
    kind = UInt16(truncatingIfNeeded: word(1) >> 32)
    flags = UInt16(truncatingIfNeeded: word(1) >> 48)
    sequence = word(2)
    receivedAt = Int64(bitPattern: word(3))
    floor = Int64(bitPattern: word(4))
    counts.accepted = UInt32(truncatingIfNeeded: word(5))
    counts.duplicates = UInt32(truncatingIfNeeded: word(5) >> 32)
    counts.conflicts = UInt32(truncatingIfNeeded: word(6))
    counts.rejected = UInt32(truncatingIfNeeded: word(6) >> 32)
    indexInCommit = UInt32(truncatingIfNeeded: word(7))
    bodyCheck = UInt32(truncatingIfNeeded: word(7) >> 32)
    chain = Hash128(high: word(8), low: word(9))
    guard UInt32(truncatingIfNeeded: first >> 32) == check(seed: seed),
      Int(bodyCount) <= StoreLimits.frameBodyBytes
    else { return nil }
  }
}
