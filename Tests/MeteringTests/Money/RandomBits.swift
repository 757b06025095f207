/// SplitMix64: the same bits from the same seed everywhere.
struct RandomBits: RandomNumberGenerator {
  var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  /// A value of any length up to so many bits, with either sign.
  mutating func integer(bits: Int) -> Int128 {
    let wide = Int128(truncatingIfNeeded: next()) << 64 | Int128(next())
    return wide >> Int128(128 - Int.random(in: 1...bits, using: &self))
  }
}
