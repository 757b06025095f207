/// A signed integer without bounds, for exact money off the hot path.
///
/// Sign and magnitude; the magnitude's words are little-endian without leading zero words.
package struct BigInteger: Hashable, Sendable {
  private var isNegative: Bool
  private var words: [UInt32]

  private init(isNegative: Bool, words: [UInt32]) {
    var trimmed = words
    while trimmed.last == 0 { trimmed.removeLast() }
    self.words = trimmed
    self.isNegative = isNegative && !trimmed.isEmpty
  }

  /// The same integer.
  package init(_ value: Int128) {
    var rest = value.magnitude
    var words: [UInt32] = []
    while rest > 0 {
      words.append(UInt32(truncatingIfNeeded: rest))
      rest >>= 32
    }
    self.init(isNegative: value < 0, words: words)
  }

  package static let zero = BigInteger(0)
  package static let one = BigInteger(1)

  /// 10^exponent.
  package static func powerOfTen(_ exponent: Int) -> BigInteger {
    precondition(exponent >= 0)
    var result = BigInteger.one
    var rest = exponent
    while rest > 0 {
      let step = min(rest, 18)
      var factor: Int128 = 1
      for _ in 0..<step { factor *= 10 }
      result = result * BigInteger(factor)
      rest -= step
    }
    return result
  }

  package var isZero: Bool { words.isEmpty }
  /// -1, 0 or 1.
  package var signum: Int { words.isEmpty ? 0 : isNegative ? -1 : 1 }
  package var magnitude: BigInteger { BigInteger(isNegative: false, words: words) }
  package var isOdd: Bool { (words.first ?? 0) & 1 == 1 }

  /// The value when it fits, else nil.
  package var int128: Int128? {
    guard words.count <= 4 else { return nil }
    var value: UInt128 = 0
    for word in words.reversed() { value = value << 32 | UInt128(word) }
    if isNegative {
      guard value <= Int128.min.magnitude else { return nil }
      return value == Int128.min.magnitude ? .min : -Int128(value)
    }
    return Int128(exactly: value)
  }

  package static prefix func - (value: BigInteger) -> BigInteger {
    BigInteger(isNegative: !value.isNegative, words: value.words)
  }

  package static func + (left: BigInteger, right: BigInteger) -> BigInteger {
    if left.isNegative == right.isNegative {
      return BigInteger(isNegative: left.isNegative, words: sum(left.words, right.words))
    }
    if precedes(left.words, right.words) {
      return BigInteger(
        isNegative: right.isNegative, words: difference(right.words, left.words))
    }
    return BigInteger(isNegative: left.isNegative, words: difference(left.words, right.words))
  }

  package static func - (left: BigInteger, right: BigInteger) -> BigInteger { left + -right }

  package static func * (left: BigInteger, right: BigInteger) -> BigInteger {
    if left.isZero || right.isZero { return .zero }
    var words = [UInt32](repeating: 0, count: left.words.count + right.words.count)
    for (index, one) in left.words.enumerated() {
      var carry: UInt64 = 0
      for (offset, two) in right.words.enumerated() {
        let value = UInt64(one) * UInt64(two) + UInt64(words[index + offset]) + carry
        words[index + offset] = UInt32(truncatingIfNeeded: value)
        carry = value >> 32
      }
      words[index + right.words.count] = UInt32(carry)
    }
    return BigInteger(isNegative: left.isNegative != right.isNegative, words: words)
  }

  /// Quotient rounded towards zero, and the remainder with the dividend's sign.
  package func quotientAndRemainder(
    dividingBy divisor: BigInteger
  ) -> (quotient: BigInteger, remainder: BigInteger) {
    precondition(!divisor.isZero)
    let (quotient, remainder) = Self.divide(words, divisor.words)
    return (
      BigInteger(isNegative: isNegative != divisor.isNegative, words: quotient),
      BigInteger(isNegative: isNegative, words: remainder)
    )
  }

  /// Greatest common divisor of the magnitudes.
  package func greatestCommonDivisor(_ other: BigInteger) -> BigInteger {
    var left = magnitude
    var right = other.magnitude
    while !right.isZero {
      if let one = left.small, let two = right.small { return Self.greatestCommonDivisor(one, two) }
      (left, right) = (right, left.quotientAndRemainder(dividingBy: right).remainder)
    }
    return left
  }

  /// The magnitude when 64 bits hold it: nearly every fraction in use.
  private var small: UInt64? {
    switch words.count {
    case 0: 0
    case 1: UInt64(words[0])
    case 2: UInt64(words[1]) << 32 | UInt64(words[0])
    default: nil
    }
  }

  private static func greatestCommonDivisor(_ left: UInt64, _ right: UInt64) -> BigInteger {
    var (left, right) = (left, right)
    while right != 0 { (left, right) = (right, left % right) }
    return BigInteger(Int128(left))
  }

  private static func precedes(_ left: [UInt32], _ right: [UInt32]) -> Bool {
    if left.count != right.count { return left.count < right.count }
    for (one, two) in zip(left.reversed(), right.reversed()) where one != two { return one < two }
    return false
  }

  private static func sum(_ left: [UInt32], _ right: [UInt32]) -> [UInt32] {
    var words: [UInt32] = []
    var carry: UInt64 = 0
    for index in 0..<max(left.count, right.count) {
      let one = index < left.count ? UInt64(left[index]) : 0
      let two = index < right.count ? UInt64(right[index]) : 0
      let value = one + two + carry
      words.append(UInt32(truncatingIfNeeded: value))
      carry = value >> 32
    }
    words.append(UInt32(carry))
    return words
  }

  /// left − right, where left isn't smaller.
  private static func difference(_ left: [UInt32], _ right: [UInt32]) -> [UInt32] {
    var words: [UInt32] = []
    var borrow: Int64 = 0
    for index in left.indices {
      let two = index < right.count ? Int64(right[index]) : 0
      var value = Int64(left[index]) - two - borrow
      borrow = value < 0 ? 1 : 0
      if value < 0 { value += 1 << 32 }
      words.append(UInt32(value))
    }
    return words
  }

  /// Knuth's algorithm D: digits of 32 bits, each guessed from the leading ones and mended.
  private static func divide(_ left: [UInt32], _ right: [UInt32]) -> ([UInt32], [UInt32]) {
    if precedes(left, right) { return ([], left) }
    if right.count == 1 {
      let (quotient, rest) = divide(left, by: right[0])
      return (quotient, rest == 0 ? [] : [rest])
    }
    let shift = UInt32(right[right.count - 1].leadingZeroBitCount)
    let divisor = shifted(right, left: shift)
    let count = right.count
    var rest = shifted(left + [0], left: shift)
    var quotient = [UInt32](repeating: 0, count: left.count - count + 1)
    for place in quotient.indices.reversed() {
      let leading = UInt64(rest[place + count]) << 32 | UInt64(rest[place + count - 1])
      var digit = leading / UInt64(divisor[count - 1])
      var remainder = leading % UInt64(divisor[count - 1])
      while digit >> 32 != 0
        || digit * UInt64(divisor[count - 2]) > remainder << 32 | UInt64(rest[place + count - 2])
      {
        digit -= 1
        remainder += UInt64(divisor[count - 1])
        if remainder >> 32 != 0 { break }
      }
      if subtract(divisor, times: digit, from: &rest, at: place) {
        digit -= 1
        add(divisor, to: &rest, at: place)
      }
      quotient[place] = UInt32(digit)
    }
    return (quotient, shifted(rest, right: shift))
  }

  /// Whether it went below zero: then the top word has wrapped and `divisor` is to be added again.
  private static func subtract(
    _ divisor: [UInt32], times digit: UInt64, from words: inout [UInt32], at place: Int
  ) -> Bool {
    var carry: UInt64 = 0
    var borrow: Int64 = 0
    for index in divisor.indices {
      let product = digit * UInt64(divisor[index]) + carry
      carry = product >> 32
      let value = Int64(words[place + index]) - Int64(product & 0xFFFF_FFFF) - borrow
      words[place + index] = UInt32(truncatingIfNeeded: value)
      borrow = value < 0 ? 1 : 0
    }
    let value = Int64(words[place + divisor.count]) - Int64(carry) - borrow
    words[place + divisor.count] = UInt32(truncatingIfNeeded: value)
    return value < 0
  }

  private static func add(_ divisor: [UInt32], to words: inout [UInt32], at place: Int) {
    var carry: UInt64 = 0
    for index in divisor.indices {
      let value = UInt64(words[place + index]) + UInt64(divisor[index]) + carry
      words[place + index] = UInt32(truncatingIfNeeded: value)
      carry = value >> 32
    }
    words[place + divisor.count] &+= UInt32(carry)
  }

  /// The same number of words; bits beyond the last are lost. `count` is below 32.
  private static func shifted(_ words: [UInt32], left count: UInt32) -> [UInt32] {
    if count == 0 { return words }
    var carry: UInt32 = 0
    return words.map { word in
      defer { carry = word >> (32 - count) }
      return word << count | carry
    }
  }

  private static func shifted(_ words: [UInt32], right count: UInt32) -> [UInt32] {
    if count == 0 { return words }
    return words.indices.map { index in
      let above = index + 1 < words.count ? words[index + 1] << (32 - count) : 0
      return words[index] >> count | above
    }
  }

  private static func divide(_ left: [UInt32], by divisor: UInt32) -> ([UInt32], UInt32) {
    var quotient = left
    var rest: UInt64 = 0
    for index in left.indices.reversed() {
      let value = rest << 32 | UInt64(left[index])
      quotient[index] = UInt32(value / UInt64(divisor))
      rest = value % UInt64(divisor)
    }
    return (quotient, UInt32(rest))
  }
}

extension BigInteger: Comparable {
  package static func < (left: BigInteger, right: BigInteger) -> Bool {
    (left - right).signum < 0
  }
}

extension BigInteger: CustomStringConvertible {
  /// Decimal digits.
  package var description: String {
    if isZero { return "0" }
    var digits: [String] = []
    var rest = words
    while !rest.isEmpty {
      let (quotient, remainder) = Self.divide(rest, by: 1_000_000_000)
      rest = quotient
      while rest.last == 0 { rest.removeLast() }
      let text = String(remainder)
      digits.append(
        rest.isEmpty ? text : String(repeating: "0", count: 9 - text.count) + text)
    }
    return (isNegative ? "-" : "") + digits.reversed().joined()
  }

  /// Reads decimal digits with an optional sign; nil for anything else.
  package init?(_ text: some StringProtocol) {
    let isNegative = text.first == "-"
    let digits = Array((isNegative ? text.dropFirst() : text[...]).utf8)
    guard !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
    var value = BigInteger.zero
    var index = 0
    while index < digits.count {
      let chunk = digits[index..<min(index + 18, digits.count)]
      let part = chunk.reduce(Int128(0)) { $0 * 10 + Int128($1 - 48) }
      value = value * .powerOfTen(chunk.count) + BigInteger(part)
      index += chunk.count
    }
    self = isNegative ? -value : value
  }
}

extension BigInteger: ExpressibleByIntegerLiteral {
  package init(integerLiteral value: Int64) { self.init(Int128(value)) }
}

extension BigInteger {
  /// Writes sign and number of words, then the words.
  func write(to out: inout RecordWriter) {
    out.unsigned(UInt64(words.count) << 1 | (isNegative ? 1 : 0))
    for word in words { out.unsigned(UInt64(word)) }
  }

  /// Takes an integer back; nil for bytes that none has.
  init?(reading reader: inout RecordReader) {
    guard let head = reader.unsigned(), head >> 1 <= Self.storedWords else { return nil }
    var words: [UInt32] = []
    for _ in 0..<head >> 1 {
      guard let word = reader.unsigned().flatMap({ UInt32(exactly: $0) }) else { return nil }
      words.append(word)
    }
    self.init(isNegative: head & 1 != 0, words: words)
  }

  /// Words of a stored integer at most: far above any sum of money, and small enough to read.
  private static let storedWords: UInt64 = 4_096
}
