/// A signed fraction in lowest terms over ``Digits``.
struct Exact: Hashable, Comparable, CustomStringConvertible {
  private(set) var negative: Bool
  private(set) var top: Digits
  private(set) var bottom: Digits

  static let zero = Exact(0)
  static let one = Exact(1)
  /// The first value with 19 digits before the point.
  static let tooLarge = Exact(Digits.powerOfTen(18))

  init(negative: Bool = false, _ top: Digits, over bottom: Digits = .one) {
    precondition(!bottom.isZero, "a fraction has a bottom")
    let common = Digits.greatestCommonDivisor(top, bottom)
    self.negative = negative && !top.isZero
    self.top = common == .one ? top : top.divided(by: common).quotient
    self.bottom = common == .one ? bottom : bottom.divided(by: common).quotient
  }

  init(_ value: Int) {
    self.init(negative: value < 0, Digits(value < 0 ? -value : value))
  }

  /// A decimal as JSON writes numbers: sign, digits, point, exponent. Nil for anything else.
  init?(_ text: String) {
    var rest = Substring(text)
    let negative = rest.first == "-"
    if negative { rest.removeFirst() }
    var exponent = 0
    if let mark = rest.firstIndex(where: { $0 == "e" || $0 == "E" }) {
      guard let written = Int(rest[rest.index(after: mark)...]), abs(written) < 2000 else {
        return nil
      }
      exponent = written
      rest = rest[..<mark]
    }
    let parts = rest.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }),
      let digits = Digits(parts.joined())
    else { return nil }
    exponent -= parts.count == 2 ? parts[1].count : 0
    let power = Digits.powerOfTen(abs(exponent))
    self =
      exponent >= 0
      ? Exact(negative: negative, digits * power) : Exact(negative: negative, digits, over: power)
  }

  static func + (left: Exact, right: Exact) -> Exact {
    let isSame = left.bottom == right.bottom
    let a = isSame ? left.top : left.top * right.bottom
    let b = isSame ? right.top : right.top * left.bottom
    let bottom = isSame ? left.bottom : left.bottom * right.bottom
    if left.negative == right.negative {
      return Exact(negative: left.negative, a + b, over: bottom)
    }
    return a >= b
      ? Exact(negative: left.negative, a - b, over: bottom)
      : Exact(negative: right.negative, b - a, over: bottom)
  }

  static prefix func - (value: Exact) -> Exact {
    Exact(negative: !value.negative, value.top, over: value.bottom)
  }

  static func - (left: Exact, right: Exact) -> Exact { left + (-right) }
  static func += (left: inout Exact, right: Exact) { left = left + right }

  static func * (left: Exact, right: Exact) -> Exact {
    Exact(
      negative: left.negative != right.negative, left.top * right.top,
      over: left.bottom * right.bottom)
  }

  static func / (left: Exact, right: Exact) -> Exact {
    Exact(
      negative: left.negative != right.negative, left.top * right.bottom,
      over: left.bottom * right.top)
  }

  static func < (left: Exact, right: Exact) -> Bool { (left - right).negative }

  /// The whole part of a value that isn't negative.
  var floored: Digits {
    precondition(!negative, "shares aren't negative")
    return top.divided(by: bottom).quotient
  }

  /// Half-even to `places` decimals.
  func rounded(places: Int) -> Exact {
    if bottom == .one { return self }
    let scale = Digits.powerOfTen(places)
    let (quotient, remainder) = (top * scale).divided(by: bottom)
    let twice = remainder + remainder
    let odd = !quotient.divided(by: Digits(2)).remainder.isZero
    let up = twice > bottom || (twice == bottom && odd)
    return Exact(negative: negative, up ? quotient + .one : quotient, over: scale)
  }

  /// Decimals that the exact value needs; nil when they never end.
  var places: Int? {
    var rest = bottom
    var places = 0
    while rest != .one {
      // Multiplying by ten and reducing takes a factor 2, 5 or 10 off the bottom, or nothing.
      let common = Digits.greatestCommonDivisor(rest, Digits(10))
      if common == .one { return nil }
      rest = rest.divided(by: common).quotient
      places += 1
    }
    return places
  }

  /// As the contract prints money: the shortest exact decimal, else 12 places half-even.
  var description: String {
    guard let places else { return rounded(places: 12).description }
    let digits = (top * Digits.powerOfTen(places)).divided(by: bottom).quotient.text
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    let whole = padded.dropLast(places)
    return (negative ? "-" : "") + whole + (places > 0 ? "." + padded.suffix(places) : "")
  }
}
