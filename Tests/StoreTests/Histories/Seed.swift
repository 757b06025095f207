import Glibc

/// A replayable source of chance (SplitMix64).
struct Seed: RandomNumberGenerator {
  private var state: UInt64

  init(_ value: UInt64) { state = value }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  /// One of `choices`, which aren't empty.
  mutating func pick<Choices: RandomAccessCollection>(_ choices: Choices) -> Choices.Element {
    choices[choices.index(choices.startIndex, offsetBy: below(choices.count))]
  }
}

/// What the environment says about random tests.
enum Chance {
  /// The seed to replay, or a fixed one. Text that isn't a number, such as the hash of a commit,
  /// makes one too.
  static var seed: UInt64 {
    guard let text = variable("OUTLAY_SEED") else { return 20_261_130 }
    // FNV-1a: any mixing will do, as long as it is the same everywhere.
    return UInt64(text)
      ?? text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  /// Long runs are asked for.
  static var isLong: Bool { variable("OUTLAY_LONG") == "1" }

  static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
