/// Reads what steers a target off the front of an input; zero where there is nothing left.
struct Pieces {
  private(set) var rest: UnsafeRawBufferPointer

  init(_ input: UnsafeRawBufferPointer) { rest = input }

  mutating func byte() -> UInt8 {
    guard let first = rest.first else { return 0 }
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
    return first
  }

  mutating func word() -> UInt16 {
    let low = byte()
    return UInt16(low) | UInt16(byte()) << 8
  }

  /// The next bytes, fewer at the end.
  mutating func bytes(_ count: Int) -> [UInt8] {
    let taken = Array(rest.prefix(count))
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
    return taken
  }

  /// The bytes cut at places that a number decides: into up to eight pieces, or one by one.
  static func cut(_ bytes: [UInt8], by number: UInt16) -> [[UInt8]] {
    if number == .max { return bytes.map { [$0] } }
    var random = FuzzRandom(UInt64(number))
    let places = (0..<Int(number % 8)).map { _ in random.below(bytes.count + 1) }.sorted()
    var pieces: [[UInt8]] = []
    var start = 0
    for place in places + [bytes.count] {
      pieces.append(Array(bytes[start..<place]))
      start = place
    }
    return pieces
  }
}

/// Repeatable random numbers (SplitMix64).
package struct FuzzRandom: RandomNumberGenerator {
  private var state: UInt64

  package init(_ seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number below `end`; 0 when there is none.
  package mutating func below(_ end: Int) -> Int {
    end > 0 ? Int(next() % UInt64(end)) : 0
  }
}
