import Metering
import Testing

@Suite struct BigIntegerTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func agreesWithInt128(seed: UInt64) {
    var random = RandomBits(seed: seed)
    var wrong: [String] = []
    for _ in 0..<2_000 {
      let left = random.integer(bits: 63)
      let right = random.integer(bits: 63)
      let (one, two) = (BigInteger(left), BigInteger(right))
      if (one + two).int128 != left + right { wrong.append("\(left) + \(right)") }
      if (one - two).int128 != left - right { wrong.append("\(left) - \(right)") }
      if (one * two).int128 != left * right { wrong.append("\(left) * \(right)") }
      if (one < two) != (left < right) { wrong.append("\(left) < \(right)") }
      if one.description != left.description { wrong.append("description of \(left)") }
      let dividend = random.integer(bits: 127)
      if right == 0 { continue }
      let (quotient, remainder) = BigInteger(dividend).quotientAndRemainder(dividingBy: two)
      if quotient.int128 != dividend / right || remainder.int128 != dividend % right {
        wrong.append("\(dividend) / \(right)")
      }
    }
    #expect(wrong == [])
  }

  @Test(arguments: [4, 5, 6] as [UInt64])
  func longDivisionIsTheInverseOfMultiplication(seed: UInt64) {
    var random = RandomBits(seed: seed)
    func long(_ parts: Int) -> BigInteger {
      // Parts of all zeros or ones reach the rare branches of the division.
      (0..<parts).reduce(.zero) { value, _ in
        let part: Int128 = [0, 0xFFFF_FFFF, 0x8000_0000, Int128(random.next() >> 32)][
          Int.random(in: 0..<4, using: &random)]
        return value * BigInteger(1 << 32) + BigInteger(part)
      }
    }
    var wrong: [String] = []
    for _ in 0..<3_000 {
      let dividend = long(Int.random(in: 1...12, using: &random))
      let divisor = long(Int.random(in: 1...8, using: &random))
      if divisor.isZero { continue }
      let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
      if quotient * divisor + remainder != dividend || remainder >= divisor
        || remainder.signum < 0
      {
        wrong.append("\(dividend) / \(divisor)")
      }
    }
    #expect(wrong == [])
  }

  @Test func signsFollowSwift() {
    let rows: [(Int128, Int128)] = [(7, 2), (-7, 2), (7, -2), (-7, -2), (0, -2), (6, 3)]
    for (left, right) in rows {
      let result = BigInteger(left).quotientAndRemainder(dividingBy: BigInteger(right))
      #expect(result.quotient.int128 == left / right && result.remainder.int128 == left % right)
    }
  }

  @Test func greatestCommonDivisorsOfLongNumbers() {
    let common = BigInteger.powerOfTen(40) + 7
    let left = common * BigInteger(1 << 61)
    let right = common * -BigInteger(3 * 5 * 7)
    #expect(left.greatestCommonDivisor(right) == common)
    #expect(left.greatestCommonDivisor(.zero) == left)
    #expect(BigInteger.zero.greatestCommonDivisor(.zero) == .zero)
  }

  @Test(arguments: [Int128.min, Int128.min + 1, -1, 0, 1, Int128.max])
  func keepsEveryInt128(value: Int128) {
    #expect(BigInteger(value).int128 == value)
    #expect(BigInteger(value.description) == BigInteger(value))
    #expect((BigInteger(Int128.max) + 1).int128 == nil)
  }

  /// Where values stop or begin to fit 128 bits, reckoned by words and by the shorter way.
  @Test func agreesAcrossTheBorderOf128Bits() {
    let edge = BigInteger(1 << 64) * BigInteger(1 << 63)
    let far = edge * edge * BigInteger(3)
    var wrong: [String] = []
    for offset in -3...3 as ClosedRange<Int128> {
      for sign in [1, -1] as [Int128] {
        let value = (edge + BigInteger(offset)) * BigInteger(sign)
        let fits = sign > 0 ? offset < 0 : offset <= 0
        if (value.int128 != nil) != fits { wrong.append("\(value) fits") }
        if value + far - far != value { wrong.append("\(value) + far") }
        if (value * far).quotientAndRemainder(dividingBy: far).quotient != value {
          wrong.append("\(value) * far")
        }
        if BigInteger(value.description) != value { wrong.append("digits of \(value)") }
        if -(-value) != value || (-value).signum != -value.signum { wrong.append("-\(value)") }
        if Set([value, value + far - far]).count != 1 { wrong.append("hash of \(value)") }
        let (quotient, rest) = value.quotientAndRemainder(dividingBy: -1)
        if quotient != -value || !rest.isZero { wrong.append("\(value) / -1") }
      }
    }
    #expect(wrong == [])
  }
}
