/// 128 bits that stand for bytes.
package struct Hash128: Hashable, Sendable {
  /// The upper 64 bits: SipHash's second output word.
  package var high: UInt64
  /// The lower 64 bits: SipHash's first output word.
  package var low: UInt64

  @inlinable package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

/// The secret of a store under which ids are hashed, so that nobody outside can make two of them
/// collide.
package struct HashKey: Hashable, Sendable {
  /// SipHash's second key word.
  package let high: UInt64
  /// SipHash's first key word.
  package let low: UInt64

  @inlinable package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// SipHash-1-3 of the bytes with 128 bits of output.
  package func hash128(_ bytes: UnsafeRawBufferPointer) -> Hash128 {
    var state = SipState(self)
    guard var place = bytes.baseAddress else { return state.finish(lastWord: 0) }
    var left = bytes.count
    while left >= 8 {
      state.compress(UInt64(littleEndian: place.loadUnaligned(as: UInt64.self)))
      place += 8
      left &-= 8
    }
    let tail = left == 0 ? 0 : KeyedHasher.partialWord(place, left)
    return state.finish(lastWord: tail | UInt64(truncatingIfNeeded: bytes.count) &<< 56)
  }

  /// The same for bytes behind which 8 more may be read.
  @inline(__always) func hash128(readablePast start: UnsafeRawPointer, count: Int) -> Hash128 {
    var state = SipState(self)
    var place = start
    var left = UInt64(truncatingIfNeeded: count)
    while left >= 8 {
      state.compress(UInt64(littleEndian: place.loadUnaligned(as: UInt64.self)))
      place += 8
      left &-= 8
    }
    let last = UInt64(littleEndian: place.loadUnaligned(as: UInt64.self))
    let tail = last & ~(~0 &<< (left &* 8))
    return state.finish(lastWord: tail | UInt64(truncatingIfNeeded: count) &<< 56)
  }

  /// The same for bytes that are kept.
  package func hash128(_ text: ByteString) -> Hash128 {
    text.bytes.withUnsafeBytes { hash128($0) }
  }

  /// The identity of an event: the hash of the source's length (8 bytes, little-endian), the
  /// source and the id.
  package func eventKey(source: ByteString, id: ByteString) -> Hash128 {
    var hasher = KeyedHasher(self)
    hasher.absorb(word: UInt64(source.count))
    source.bytes.withUnsafeBytes { hasher.absorb($0) }
    id.bytes.withUnsafeBytes { hasher.absorb($0) }
    return hasher.finish()
  }
}

/// SipHash's four words between two input words. Kept apart from the tail of a stream so that
/// short inputs are hashed in registers.
struct SipState: Sendable {
  var v0: UInt64
  var v1: UInt64
  var v2: UInt64
  var v3: UInt64

  @inline(__always) init(_ key: HashKey) {
    v0 = 0x736f_6d65_7073_6575 ^ key.low
    v1 = 0x646f_7261_6e64_6f6d ^ key.high ^ 0xee
    v2 = 0x6c79_6765_6e65_7261 ^ key.low
    v3 = 0x7465_6462_7974_6573 ^ key.high
  }

  @inline(__always) private mutating func round() {
    v0 &+= v1
    v1 = v1 &<< 13 | v1 &>> 51
    v1 ^= v0
    v0 = v0 &<< 32 | v0 &>> 32
    v2 &+= v3
    v3 = v3 &<< 16 | v3 &>> 48
    v3 ^= v2
    v0 &+= v3
    v3 = v3 &<< 21 | v3 &>> 43
    v3 ^= v0
    v2 &+= v1
    v1 = v1 &<< 17 | v1 &>> 47
    v1 ^= v2
    v2 = v2 &<< 32 | v2 &>> 32
  }

  @inline(__always) mutating func compress(_ word: UInt64) {
    v3 ^= word
    round()
    v0 ^= word
  }

  /// The last word holds the bytes that fill none and, on top, the length's lowest byte.
  @inline(__always) mutating func finish(lastWord: UInt64) -> Hash128 {
    let low = finish64(lastWord: lastWord)
    v1 ^= 0xdd
    round()
    round()
    round()
    return Hash128(high: v0 ^ v1 ^ v2 ^ v3, low: low)
  }

  /// The lower half alone, which takes half the rounds.
  @inline(__always) mutating func finish64(lastWord: UInt64) -> UInt64 {
    compress(lastWord)
    v2 ^= 0xee
    round()
    round()
    round()
    return v0 ^ v1 ^ v2 ^ v3
  }
}

/// SipHash-1-3-128 fed piece by piece; the pieces' borders don't change the result.
package struct KeyedHasher: Sendable {
  private var state: SipState
  /// Bytes that don't fill a word yet, from the lowest up.
  private var tail: UInt64 = 0
  private var count = 0

  package init(_ key: HashKey) {
    state = SipState(key)
  }

  /// The same as the 8 bytes of the word, lowest first.
  package mutating func absorb(word: UInt64) {
    let shift = UInt64(truncatingIfNeeded: count & 7) &* 8
    count &+= 8
    if shift == 0 {
      state.compress(word)
    } else {
      state.compress(tail | word &<< shift)
      tail = word &>> (64 &- shift)
    }
  }

  /// Takes the next bytes.
  package mutating func absorb(_ bytes: UnsafeRawBufferPointer) {
    guard var place = bytes.baseAddress else { return }
    var left = bytes.count
    while left >= 8 {
      absorb(word: UInt64(littleEndian: place.loadUnaligned(as: UInt64.self)))
      place += 8
      left &-= 8
    }
    if left == 0 { return }
    let word = Self.partialWord(place, left)
    let held = count & 7
    let shift = UInt64(truncatingIfNeeded: held) &* 8
    count &+= left
    let joined = held == 0 ? word : tail | word &<< shift
    if held &+ left >= 8 {
      state.compress(joined)
      tail = held &+ left == 8 ? 0 : word &>> (64 &- shift)
    } else {
      tail = joined
    }
  }

  /// 1 to 7 bytes as the low end of a word, without reading beyond them.
  @inline(__always)
  static func partialWord(_ place: UnsafeRawPointer, _ count: Int) -> UInt64 {
    if count >= 4 {
      let low = UInt64(UInt32(littleEndian: place.loadUnaligned(as: UInt32.self)))
      let last = place + (count &- 4)
      let high = UInt64(UInt32(littleEndian: last.loadUnaligned(as: UInt32.self)))
      return low | high &<< (UInt64(truncatingIfNeeded: count &- 4) &* 8)
    }
    let first = UInt64(place.load(as: UInt8.self))
    let middle = UInt64(place.load(fromByteOffset: count &>> 1, as: UInt8.self))
    let last = UInt64(place.load(fromByteOffset: count &- 1, as: UInt8.self))
    return first | middle &<< (UInt64(truncatingIfNeeded: count &>> 1) &* 8)
      | last &<< (UInt64(truncatingIfNeeded: count &- 1) &* 8)
  }

  /// The hash of everything taken; the hasher is used up.
  package mutating func finish() -> Hash128 {
    state.finish(lastWord: tail | UInt64(truncatingIfNeeded: count) &<< 56)
  }
}
