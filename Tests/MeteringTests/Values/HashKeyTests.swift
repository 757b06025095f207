import Metering
import Testing

/// SipHash byte by byte after the paper, for any number of rounds: slow and obviously right.
enum PlainSipHash {
  static func hash(
    _ bytes: [UInt8], k0: UInt64, k1: UInt64, rounds c: Int, finalRounds d: Int
  ) -> [UInt64] {
    var v: [UInt64] = [
      k0 ^ 0x736f_6d65_7073_6575, k1 ^ 0x646f_7261_6e64_6f6d ^ 0xee, k0 ^ 0x6c79_6765_6e65_7261,
      k1 ^ 0x7465_6462_7974_6573,
    ]
    func rotate(_ x: UInt64, _ n: UInt64) -> UInt64 { x << n | x >> (64 - n) }
    func round() {
      v[0] &+= v[1]
      v[1] = rotate(v[1], 13) ^ v[0]
      v[0] = rotate(v[0], 32)
      v[2] &+= v[3]
      v[3] = rotate(v[3], 16) ^ v[2]
      v[0] &+= v[3]
      v[3] = rotate(v[3], 21) ^ v[0]
      v[2] &+= v[1]
      v[1] = rotate(v[1], 17) ^ v[2]
      v[2] = rotate(v[2], 32)
    }
    var padded = bytes
    while padded.count % 8 != 7 { padded.append(0) }
    padded.append(UInt8(truncatingIfNeeded: bytes.count))
    for start in stride(from: 0, to: padded.count, by: 8) {
      let word = (0..<8).reduce(UInt64(0)) { $0 | UInt64(padded[start + $1]) << UInt64(8 * $1) }
      v[3] ^= word
      for _ in 0..<c { round() }
      v[0] ^= word
    }
    v[2] ^= 0xee
    for _ in 0..<d { round() }
    let low = v[0] ^ v[1] ^ v[2] ^ v[3]
    v[1] ^= 0xdd
    for _ in 0..<d { round() }
    return [low, v[0] ^ v[1] ^ v[2] ^ v[3]]
  }
}

@Suite struct HashKeyTests {
  static let k0: UInt64 = 0x0706_0504_0302_0100
  static let k1: UInt64 = 0x0f0e_0d0c_0b0a_0908

  /// The first vector of the SipHash authors' `vectors_sip128`.
  @Test func plainHashIsSipHash() {
    let words = PlainSipHash.hash([], k0: Self.k0, k1: Self.k1, rounds: 2, finalRounds: 4)
    #expect(words == [0xe6a8_25ba_047f_81a3, 0x9302_55c7_1472_f66d])
  }

  @Test func everyLengthAndSplitIsTheSame() {
    let key = HashKey(high: Self.k1, low: Self.k0)
    let bytes = (0..<70).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) }
    var wrong: [String] = []
    for count in 0...70 {
      let expected = PlainSipHash.hash(
        Array(bytes.prefix(count)), k0: Self.k0, k1: Self.k1, rounds: 1, finalRounds: 3)
      for split in 0...count {
        var hasher = KeyedHasher(key)
        bytes.withUnsafeBytes { all in
          hasher.absorb(UnsafeRawBufferPointer(rebasing: all[..<split]))
          hasher.absorb(UnsafeRawBufferPointer(rebasing: all[split..<count]))
        }
        let hash = hasher.finish()
        if [hash.low, hash.high] != expected { wrong.append("\(split) of \(count)") }
      }
    }
    #expect(wrong == [])
  }

  @Test func eventKeysAreLengthPrefixed() {
    let key = HashKey(high: Self.k1, low: Self.k0)
    let expected = PlainSipHash.hash(
      [2, 0, 0, 0, 0, 0, 0, 0] + Array("abc".utf8), k0: Self.k0, k1: Self.k1, rounds: 1,
      finalRounds: 3)
    let hash = key.eventKey(source: "ab", id: "c")
    #expect([hash.low, hash.high] == expected)
    #expect(hash != key.eventKey(source: "a", id: "bc"))
  }
}
