/// A signed integer without bounds, for exact money off the hot path.
///
/// Nearly every one in use fits 128 bits and then takes no memory of its own; only a longer one is
/// kept as sign and magnitude, whose words are little-endian without leading zero words.
package struct BigInteger: Hashable, Sendable {
  private var small: Int128
  /// The magnitude of what doesn't fit `small`; else empty.
  private var long: [UInt32] = []
  private var isLongNegative = false

  private init(isNegative: Bool, words: [UInt32]) {
    var trimmed = words
    while trimmed.last == 0 { trimmed.removeLast() }
    if let fitting = Self.fitting(isNegative: isNegative, trimmed) {
      small = fitting
    } else {
      small = 0
      long = trimmed
      isLongNegative = isNegative
    }
  }

  private static func fitting(isNegative: Bool, _ words: [UInt32]) -> Int128? {
    guard words.count <= 4 else { return nil }
    var value: UInt128 = 0
    for word in words.reversed() { value = value << 32 | UInt128(word) }
    guard isNegative else { return Int128(exactly: value) }
    if value == Int128.min.magnitude { return .min }
    return Int128(exactly: value).map { -$0 }
  }

  /// The same integer.
  package init(_ value: Int128) { small = value }

  package static let zero = BigInteger(0)
  package static let one = BigInteger(1)

  /// 10^exponent.
  package static func powerOfTen(_ exponent: Int) -> BigInteger {
    precondition(exponent >= 0)
    if exponent < powers.count { return powers[exponent] }
    return powers[powers.count - 1] * powerOfTen(exponent - powers.count + 1)
  }

  /// Those that 128 bits hold.
  private static let powers: [BigInteger] = {
    var powers: [BigInteger] = [.one]
    while let last = powers.last, last.long.isEmpty { powers.append(last * BigInteger(10)) }
    return powers.dropLast()
  }()

  private var isNegative: Bool { long.isEmpty ? small < 0 : isLongNegative }

  /// Words of the magnitude, none for zero.
  private var words: [UInt32] {
    guard long.isEmpty else { return long }
    var rest = small.magnitude
    var words: [UInt32] = []
    while rest > 0 {
      words.append(UInt32(truncatingIfNeeded: rest))
      rest >>= 32
    }
    return words
  }

  package var isZero: Bool { small == 0 && long.isEmpty }
  /// -1, 0 or 1.
  package var signum: Int { long.isEmpty ? Int(small.signum()) : isLongNegative ? -1 : 1 }
  package var magnitude: BigInteger { signum < 0 ? -self : self }
  package var isOdd: Bool { (long.first ?? UInt32(truncatingIfNeeded: small)) & 1 == 1 }

  /// The value when it fits, else nil.
  package var int128: Int128? { long.isEmpty ? small : nil }

  package static prefix func - (value: BigInteger) -> BigInteger {
    if value.long.isEmpty && value.small != .min { return BigInteger(-value.small) }
    return BigInteger(isNegative: !value.isNegative, words: value.words)
  }

  package static func + (left: BigInteger, right: BigInteger) -> BigInteger {
    if left.long.isEmpty && right.long.isEmpty {
      let (sum, isOver) = left.small.addingReportingOverflow(right.small)
      if !isOver { return BigInteger(sum) }
    }
    let (one, two) = (left.words, right.words)
    if left.isNegative == right.isNegative {
      return BigInteger(isNegative: left.isNegative, words: Magnitude.sum(one, two))
    }
    if Magnitude.precedes(one, two) {
      return BigInteger(isNegative: right.isNegative, words: Magnitude.difference(two, one))
    }
    return BigInteger(isNegative: left.isNegative, words: Magnitude.difference(one, two))
  }

  package static func - (left: BigInteger, right: BigInteger) -> BigInteger { left + -right }

  package static func * (left: BigInteger, right: BigInteger) -> BigInteger {
    if left.long.isEmpty && right.long.isEmpty {
      let (product, isOver) = left.small.multipliedReportingOverflow(by: right.small)
      if !isOver { return BigInteger(product) }
    }
    return BigInteger(
      isNegative: left.isNegative != right.isNegative,
      words: Magnitude.product(left.words, right.words))
  }

  /// Quotient rounded towards zero, and the remainder with the dividend's sign.
  package func quotientAndRemainder(
    dividingBy divisor: BigInteger
  ) -> (quotient: BigInteger, remainder: BigInteger) {
    precondition(!divisor.isZero)
    if long.isEmpty && divisor.long.isEmpty && small != .min {
      let (quotient, remainder) = small.quotientAndRemainder(dividingBy: divisor.small)
      return (BigInteger(quotient), BigInteger(remainder))
    }
    let (quotient, remainder) = Magnitude.divide(words, divisor.words)
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
      if let one = UInt64(exactly: left), let two = UInt64(exactly: right) {
        return Self.greatestCommonDivisor(one, two)
      }
      (left, right) = (right, left.quotientAndRemainder(dividingBy: right).remainder)
    }
    return left
  }

  private static func greatestCommonDivisor(_ left: UInt64, _ right: UInt64) -> BigInteger {
    var (left, right) = (left, right)
    while right != 0 { (left, right) = (right, left % right) }
    return BigInteger(Int128(left))
  }
}

extension UInt64 {
  fileprivate init?(exactly value: BigInteger) {
    guard let small = value.int128, let fitting = UInt64(exactly: small) else { return nil }
    self = fitting
  }
}

extension BigInteger: Comparable {
  package static func < (left: BigInteger, right: BigInteger) -> Bool {
    if let one = left.int128, let two = right.int128 { return one < two }
    return (left - right).signum < 0
  }
}

extension BigInteger: CustomStringConvertible {
  /// Decimal digits.
  package var description: String {
    if let int128 { return int128.description }
    var digits: [String] = []
    var rest = words
    while !rest.isEmpty {
      let (quotient, remainder) = Magnitude.divide(rest, by: 1_000_000_000)
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
    let words = words
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
