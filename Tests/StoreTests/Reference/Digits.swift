/// A natural number as decimal digits, least significant first, without leading zeros.
///
/// School arithmetic on purpose: it shares nothing with the product's numbers and each step can
/// be checked on paper.
struct Digits: Hashable, Comparable {
  private(set) var digits: [UInt8]

  static let zero = Digits(digits: [])
  static let one = Digits(1)

  private init(digits: [UInt8]) {
    var trimmed = digits
    while trimmed.last == 0 { trimmed.removeLast() }
    self.digits = trimmed
  }

  init(_ value: Int) {
    precondition(value >= 0, "a natural number")
    var rest = value
    var digits: [UInt8] = []
    while rest > 0 {
      digits.append(UInt8(rest % 10))
      rest /= 10
    }
    self.digits = digits
  }

  /// Nil for anything but ASCII digits.
  init?(_ text: some StringProtocol) {
    guard text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    self.init(digits: text.utf8.reversed().map { $0 - 48 })
  }

  var isZero: Bool { digits.isEmpty }

  var text: String {
    isZero ? "0" : String(decoding: digits.reversed().map { $0 + 48 }, as: UTF8.self)
  }

  /// The value where it surely fits into an `Int`: 18 digits do.
  var integer: Int? {
    digits.count > 18 ? nil : digits.reversed().reduce(0) { $0 * 10 + Int($1) }
  }

  static func < (left: Digits, right: Digits) -> Bool {
    if left.digits.count != right.digits.count { return left.digits.count < right.digits.count }
    for (a, b) in zip(left.digits.reversed(), right.digits.reversed()) where a != b { return a < b }
    return false
  }

  static func + (left: Digits, right: Digits) -> Digits {
    var sum: [UInt8] = []
    var carry: UInt8 = 0
    for place in 0..<max(left.digits.count, right.digits.count) {
      let value = left.digit(place) + right.digit(place) + carry
      sum.append(value % 10)
      carry = value / 10
    }
    sum.append(carry)
    return Digits(digits: sum)
  }

  static func - (left: Digits, right: Digits) -> Digits {
    precondition(left >= right, "a natural difference")
    var difference: [UInt8] = []
    var borrow: UInt8 = 0
    for place in 0..<left.digits.count {
      let taken = right.digit(place) + borrow
      let held = left.digit(place)
      borrow = held < taken ? 1 : 0
      difference.append(held + borrow * 10 - taken)
    }
    return Digits(digits: difference)
  }

  static func * (left: Digits, right: Digits) -> Digits {
    var product = [Int](repeating: 0, count: left.digits.count + right.digits.count + 1)
    for (i, a) in left.digits.enumerated() {
      for (j, b) in right.digits.enumerated() { product[i + j] += Int(a) * Int(b) }
    }
    var carry = 0
    var digits: [UInt8] = []
    for value in product {
      let whole = value + carry
      digits.append(UInt8(whole % 10))
      carry = whole / 10
    }
    precondition(carry == 0, "one place is spare")
    return Digits(digits: digits)
  }

  /// Long division: bring down a digit, subtract while it goes.
  func divided(by divisor: Digits) -> (quotient: Digits, remainder: Digits) {
    precondition(!divisor.isZero, "division by zero")
    if let left = integer, let right = divisor.integer {
      return (Digits(left / right), Digits(left % right))
    }
    var quotient: [UInt8] = []
    var remainder = Digits.zero
    for digit in digits.reversed() {
      remainder = Digits(digits: [digit] + remainder.digits)
      var times: UInt8 = 0
      while remainder >= divisor {
        remainder = remainder - divisor
        times += 1
      }
      quotient.append(times)
    }
    return (Digits(digits: quotient.reversed()), remainder)
  }

  static func greatestCommonDivisor(_ left: Digits, _ right: Digits) -> Digits {
    var (a, b) = (left, right)
    if b == .one { return b }
    while !b.isZero { (a, b) = (b, a.divided(by: b).remainder) }
    return a
  }

  /// 10 to the power of `exponent`.
  static func powerOfTen(_ exponent: Int) -> Digits {
    Digits(digits: [UInt8](repeating: 0, count: exponent) + [1])
  }

  private func digit(_ place: Int) -> UInt8 { place < digits.count ? digits[place] : 0 }
}
