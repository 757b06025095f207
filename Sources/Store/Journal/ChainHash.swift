import Metering

/// A fast 128-bit hash for finding errors: four lanes of xor, multiply and shift over words.
///
/// Each step is a bijection of its lane, so that a change of one word always changes a lane. It
/// isn't made to withstand an attacker: whoever writes the file could write a new chain anyway.
struct ChainHash {
  private var one: UInt64
  private var two: UInt64
  private var three: UInt64
  private var four: UInt64

  init(seed: Hash128) {
    one = seed.high ^ 0x9E37_79B9_7F4A_7C15
    two = seed.low ^ 0xC2B2_AE3D_27D4_EB4F
    three = seed.high &+ 0x1656_67B1_9E37_79F9
    four = seed.low &+ 0x27D4_EB2F_1656_67C5
  }

  @inline(__always)
  private static func mix(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    let product = (lane ^ word) &* 0x9FB2_1C65_1E98_DF25
    return product ^ (product >> 32)
  }

  /// Adds one word; the lanes take turns.
  @inline(__always)
  mutating func add(_ word: UInt64) {
    let mixed = Self.mix(one, word)
    one = two
    two = three
    three = four
    four = mixed
  }

  /// Adds bytes and how many they are.
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return add(0) }
    @inline(__always) func word(_ offset: Int) -> UInt64 {
      UInt64(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    var lanes = (one, two, three, four)
    var offset = 0
    let blocksEnd = bytes.count & ~31
    while offset < blocksEnd {
      lanes.0 = Self.mix(lanes.0, word(offset))
      lanes.1 = Self.mix(lanes.1, word(offset &+ 8))
      lanes.2 = Self.mix(lanes.2, word(offset &+ 16))
      lanes.3 = Self.mix(lanes.3, word(offset &+ 24))
      offset &+= 32
    }
    (one, two, three, four) = lanes
    while offset + 8 <= bytes.count {
      add(word(offset))
      offset += 8
    }
    var rest: UInt64 = 0
    while offset < bytes.count {
      rest = rest << 8 | UInt64(bytes[offset])
      offset += 1
    }
    add(rest)
    add(UInt64(bytes.count))
  }

  /// The hash of what was added.
  func finish() -> Hash128 {
    var lanes = self
    // Twice round, so that each lane reaches both halves.
    for _ in 0..<2 {
      let sum = lanes.one ^ lanes.two &+ lanes.three ^ lanes.four
      for step: UInt64 in 1...4 { lanes.add(sum &* (step &* 2 &+ 1)) }
    }
    return Hash128(
      high: Self.mix(lanes.one ^ lanes.three, lanes.two &* 0x9E37_79B9_7F4A_7C15),
      low: Self.mix(lanes.two ^ lanes.four, lanes.three &* 0xC2B2_AE3D_27D4_EB4F))
  }

  /// The hash of bytes alone.
  static func of(_ bytes: UnsafeRawBufferPointer) -> Hash128 {
    var hash = ChainHash(seed: Hash128(high: 0, low: 0))
    hash.add(bytes)
    return hash.finish()
  }
}
