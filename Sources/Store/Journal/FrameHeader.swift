import Metering

/// The fixed head of a frame, 96 bytes little-endian on disk.
struct FrameHeader: Equatable {
  static let bytes = 96
  /// "OUTF", so that a search can find frames behind damage.
  static let magic: UInt32 = 0x4654_554F
  static let lastOfCommit: UInt32 = 1

  var bodyCount: UInt32 = 0
  var flags: UInt32 = 0
  var sequence: UInt64 = 0
  /// Sequence number of the commit's first frame: tells a torn commit from rot.
  var commit: UInt64 = 0
  var receivedAt: Int64 = 0
  var floor: Int64 = 0
  var accepted: UInt32 = 0
  var duplicates: UInt32 = 0
  var conflicts: UInt32 = 0
  var rejected: UInt32 = 0
  var chain = Hash128(high: 0, low: 0)

  /// Frames begin at multiples of eight.
  static func padded(_ count: Int) -> Int { (count + 7) & ~7 }

  var totalCount: Int { Self.padded(Self.bytes + Int(bodyCount)) }

  private var words: [UInt64] {
    [
      UInt64(bodyCount) | UInt64(flags) << 32, sequence, commit, UInt64(bitPattern: receivedAt),
      UInt64(bitPattern: floor), UInt64(accepted) | UInt64(duplicates) << 32,
      UInt64(conflicts) | UInt64(rejected) << 32,
    ]
  }

  /// Hash of the previous chain, the head and the body.
  func chained(to previous: Hash128, body: UnsafeRawBufferPointer) -> Hash128 {
    var digest = Digest(previous)
    for word in words { digest.add(word) }
    digest.add(body)
    return digest.value
  }

  private var check: UInt32 {
    var digest = Digest(chain)
    for word in words { digest.add(word) }
    return UInt32(truncatingIfNeeded: digest.value.low)
  }

  func store(to start: UnsafeMutableRawPointer) {
    start.storeBytes(of: Self.magic.littleEndian, as: UInt32.self)
    start.storeBytes(of: check.littleEndian, toByteOffset: 4, as: UInt32.self)
    var offset = 8
    for word in words + [chain.high, chain.low, 0, 0] {
      start.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
      offset += 8
    }
  }

  /// nil unless magic and check agree.
  init?(_ bytes: UnsafeRawBufferPointer) {
    func word(_ index: Int) -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 + index * 8, as: UInt64.self))
    }
    guard bytes.count >= Self.bytes,
      UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)) == Self.magic
    else { return nil }
    bodyCount = UInt32(truncatingIfNeeded: word(0))
    flags = UInt32(truncatingIfNeeded: word(0) >> 32)
    sequence = word(1)
    commit = word(2)
    receivedAt = Int64(bitPattern: word(3))
    floor = Int64(bitPattern: word(4))
    accepted = UInt32(truncatingIfNeeded: word(5))
    duplicates = UInt32(truncatingIfNeeded: word(5) >> 32)
    conflicts = UInt32(truncatingIfNeeded: word(6))
    rejected = UInt32(truncatingIfNeeded: word(6) >> 32)
    chain = Hash128(high: word(7), low: word(8))
    let found = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    guard found == check else { return nil }
  }

  init() {}
}

/// A fast 128-bit digest against accidents: four lanes of multiply and rotate over words. It isn't
/// made to withstand an attacker, who could rewrite the file anyway.
struct Digest {
  private var one: UInt64
  private var two: UInt64
  private static let prime: UInt64 = 0x9E37_79B9_7F4A_7C15
  private static let other: UInt64 = 0xC2B2_AE3D_27D4_EB4F

  init(_ seed: Hash128) {
    one = seed.high ^ Self.prime
    two = seed.low ^ Self.other
  }

  @inline(__always)
  private static func mix(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    let value = (lane ^ word) &* prime
    return value ^ (value >> 29)
  }

  mutating func add(_ word: UInt64) {
    one = Self.mix(one, word)
    two = Self.mix(two &+ word, other(one))
  }

  private func other(_ word: UInt64) -> UInt64 { word &* Self.other }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var lanes = (one, two, one ^ Self.other, two ^ Self.prime)
    var offset = 0
    func word(_ at: Int) -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
    }
    while offset + 32 <= bytes.count {
      lanes.0 = Self.mix(lanes.0, word(offset))
      lanes.1 = Self.mix(lanes.1, word(offset + 8))
      lanes.2 = Self.mix(lanes.2, word(offset + 16))
      lanes.3 = Self.mix(lanes.3, word(offset + 24))
      offset += 32
    }
    add(lanes.0)
    add(lanes.1)
    add(lanes.2)
    add(lanes.3)
    while offset + 8 <= bytes.count {
      add(word(offset))
      offset += 8
    }
    var rest = UInt64(bytes.count)
    while offset < bytes.count {
      rest = rest << 8 | UInt64(bytes[offset])
      offset += 1
    }
    add(rest)
  }

  var value: Hash128 {
    var digest = self
    digest.add(0x5555)
    return Hash128(high: digest.one, low: digest.two)
  }
}
