/// An exact rational number, always reduced, with a positive denominator.
package struct Fraction: Hashable, Sendable {
  package let numerator: BigInteger
  package let denominator: BigInteger

  /// Reduces numerator over denominator; a zero denominator is our own bug.
  package init(_ numerator: BigInteger, over denominator: BigInteger = .one) {
    precondition(!denominator.isZero)
    if denominator == .one {
      self.numerator = numerator
      self.denominator = denominator
      return
    }
    let divisor = numerator.greatestCommonDivisor(denominator)
    let sign = denominator.signum < 0 ? -BigInteger.one : .one
    if divisor == .one || divisor.isZero {
      self.numerator = numerator * sign
      self.denominator = denominator * sign
    } else {
      self.numerator = numerator.quotientAndRemainder(dividingBy: divisor).quotient * sign
      self.denominator = denominator.quotientAndRemainder(dividingBy: divisor).quotient * sign
    }
  }

  /// A whole number.
  package init(_ value: Int) { self.init(BigInteger(Int128(value))) }

  /// `raw` / 10^`scale`.
  package init(_ raw: Int128, scale: Int) {
    self.init(BigInteger(raw), over: .powerOfTen(scale))
  }

  /// Reads a decimal as JSON writes numbers, such as `-12.5e3`; nil for anything else, for
  /// exponents beyond ±64 and for more than 128 bytes.
  package init?(decimal text: ByteString) {
    let read = text.bytes.withUnsafeBytes { bytes -> (digits: BigInteger, scale: Int)? in
      guard bytes.count <= 128, let parts = DecimalText.Parts(bytes), abs(parts.exponent) <= 64,
        let digits = BigInteger(
          String(decoding: bytes[parts.integer], as: UTF8.self)
            + String(decoding: bytes[parts.fraction], as: UTF8.self))
      else { return nil }
      return (parts.isNegative ? -digits : digits, parts.fraction.count - parts.exponent)
    }
    guard let (digits, scale) = read else { return nil }
    self.init(
      scale < 0 ? digits * .powerOfTen(-scale) : digits,
      over: scale > 0 ? .powerOfTen(scale) : .one)
  }

  package static let zero = Fraction(0)
  package static let one = Fraction(1)

  package var isZero: Bool { numerator.isZero }

  package static func + (left: Fraction, right: Fraction) -> Fraction {
    // Mostly decimals of one length: the product of two denominators would only be reduced again.
    if left.denominator == right.denominator {
      return Fraction(left.numerator + right.numerator, over: left.denominator)
    }
    return Fraction(
      left.numerator * right.denominator + right.numerator * left.denominator,
      over: left.denominator * right.denominator)
  }

  package static func - (left: Fraction, right: Fraction) -> Fraction { left + -right }

  package static prefix func - (value: Fraction) -> Fraction {
    Fraction(-value.numerator, over: value.denominator)
  }

  package static func * (left: Fraction, right: Fraction) -> Fraction {
    Fraction(
      left.numerator * right.numerator, over: left.denominator * right.denominator)
  }

  /// The divisor mustn't be zero.
  package static func / (left: Fraction, right: Fraction) -> Fraction {
    Fraction(
      left.numerator * right.denominator, over: left.denominator * right.numerator)
  }

  /// The greatest integer not above `self × factor`, nil when it doesn't fit.
  package func floored(times factor: Int128) -> Int128? {
    let (quotient, remainder) = (numerator * BigInteger(factor)).quotientAndRemainder(
      dividingBy: denominator)
    return (remainder.signum < 0 ? quotient - .one : quotient).int128
  }

  /// The nearest double, of forty decimals: enough for every digit of a booked 10^-15 at any rate.
  package var nearestDouble: Double { Double(decimal(places: 40)) ?? 0 }
}

extension Fraction: Comparable {
  package static func < (left: Fraction, right: Fraction) -> Bool {
    if left.denominator == right.denominator { return left.numerator < right.numerator }
    return left.numerator * right.denominator < right.numerator * left.denominator
  }
}

extension Fraction {
  /// Digits printed when there is no finite decimal.
  static let printedPlaces = 12

  /// The shortest exact decimal, else twelve places rounded half to even.
  package var decimal: String {
    guard let places = finitePlaces else { return decimal(places: Self.printedPlaces) }
    return decimal(places: places)
  }

  /// Places of the exact decimal; nil when the denominator has a factor other than 2 and 5.
  private var finitePlaces: Int? {
    var rest = denominator
    var counts = (twos: 0, fives: 0)
    while true {
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: BigInteger(5))
      guard remainder.isZero else { break }
      rest = quotient
      counts.fives += 1
    }
    while true {
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: BigInteger(2))
      guard remainder.isZero else { break }
      rest = quotient
      counts.twos += 1
    }
    return rest == .one ? max(counts.twos, counts.fives) : nil
  }

  /// Rounded half to even at `places`, without trailing zeros.
  package func decimal(places: Int) -> String {
    let (quotient, remainder) = (numerator * .powerOfTen(places)).quotientAndRemainder(
      dividingBy: denominator)
    let twice = remainder.magnitude + remainder.magnitude
    var digits = quotient.magnitude
    if twice > denominator || (twice == denominator && digits.isOdd) { digits = digits + .one }
    var text = digits.description
    if text.count <= places {
      text = String(repeating: "0", count: places + 1 - text.count) + text
    }
    var whole = text.dropLast(places)
    var fraction = text.suffix(places)
    while fraction.last == "0" { fraction.removeLast() }
    if whole.isEmpty { whole = "0" }
    let isNegative = numerator.signum < 0 && !digits.isZero
    return (isNegative ? "-" : "") + whole + (fraction.isEmpty ? "" : "." + fraction)
  }
}

extension Fraction: ExpressibleByIntegerLiteral {
  package init(integerLiteral value: Int64) { self.init(BigInteger(Int128(value))) }
}
