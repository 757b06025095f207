/// Makes inputs out of others: a few small changes each, always the same for a seed.
package struct FuzzMutator {
  private var random: FuzzRandom
  private let pool: [[UInt8]]
  private let words: [[UInt8]]
  private let limit: Int

  /// Bytes that more often than others mean something.
  private static let edges: [UInt8] = [0, 1, 2, 7, 8, 16, 31, 32, 64, 127, 128, 254, 255]

  /// `pool` is what to begin with; inputs grow up to `limit` bytes.
  package init(seed: UInt64, pool: [[UInt8]], words: [String], limit: Int = 8_192) {
    random = FuzzRandom(seed)
    self.pool = pool
    self.words = words.map { Array($0.utf8) }
    self.limit = limit
  }

  /// The next input.
  package mutating func next() -> [UInt8] {
    var input = pool.isEmpty ? [] : pool[random.below(pool.count)]
    for _ in 0...random.below(4) { change(&input) }
    return Array(input.prefix(limit))
  }

  private mutating func change(_ input: inout [UInt8]) {
    let place = random.below(input.count)
    let count = min(1 + random.below(random.below(4) == 0 ? 64 : 8), input.count - place)
    switch random.below(10) {
    case 0 where !input.isEmpty: input[place] ^= 1 << UInt8(random.below(8))
    case 1 where !input.isEmpty: input[place] = Self.edges[random.below(Self.edges.count)]
    case 2: input.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
    case 3: input.removeSubrange(place..<place + count)
    case 4: input.insert(contentsOf: input[place..<place + count], at: place)
    case 5 where !words.isEmpty:
      input.insert(contentsOf: words[random.below(words.count)], at: place)
    case 6 where !words.isEmpty:
      input.replaceSubrange(place..<place + count, with: words[random.below(words.count)])
    case 7: changeNumber(&input, from: place)
    case 8 where !pool.isEmpty:
      let other = pool[random.below(pool.count)]
      input.replaceSubrange(place..., with: other.dropFirst(random.below(other.count)))
    default:
      for index in place..<place + count { input[index] = UInt8(truncatingIfNeeded: random.next()) }
    }
  }

  /// Puts another number in the place of the digits that come next.
  private mutating func changeNumber(_ input: inout [UInt8], from place: Int) {
    let isDigit: (UInt8) -> Bool = { (0x30...0x39).contains($0) }
    guard let start = input[place...].firstIndex(where: isDigit) else { return }
    let end = input[start...].firstIndex { !isDigit($0) } ?? input.endIndex
    let numbers = [
      "0", "1", "-1", "99999", "2147483648", "9223372036854775807", "9223372036854775808",
      "253402300799999", "100000000000", "1e18", "0.000000001", "999999999999999999",
    ]
    input.replaceSubrange(start..<end, with: Array(numbers[random.below(numbers.count)].utf8))
  }
}
