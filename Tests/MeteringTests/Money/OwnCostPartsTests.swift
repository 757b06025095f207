import Testing

@testable import Metering

/// An own cost by parts of a quantity.
@Suite struct OwnCostPartsTests {
  private static func parts(
    _ amount: Int128, _ quantities: [Int128]
  ) -> [(whole: Int128, rest: Int128, parts: Int128)] {
    AttributedReading(
      number: 0, meter: "m", isLevel: false, quantity: quantities.reduce(0, +), amount: amount
    ).cost(by: quantities)
  }

  private static func exact(_ part: (whole: Int128, rest: Int128, parts: Int128)) -> Fraction {
    Fraction(BigInteger(part.whole)) + Fraction(BigInteger(part.rest), over: BigInteger(part.parts))
  }

  @Test func everyPartIsExact() {
    var random = RandomBits(seed: 7)
    let most: Int128 = 1 << 109
    for _ in 0..<300 {
      let amount = Int128.random(in: 0...most, using: &random)
      let quantities = (0..<Int.random(in: 1...32, using: &random)).map { _ in
        Int128.random(in: 1...(1 << 84), using: &random)
      }
      let whole = BigInteger(quantities.reduce(0, +))
      for (part, quantity) in zip(Self.parts(amount, quantities), quantities) {
        let right = Fraction(BigInteger(amount) * BigInteger(quantity), over: whole)
        #expect(Self.exact(part) == right)
        #expect(part.rest == 0 ? part.parts == 1 : (0..<part.parts).contains(part.rest))
      }
    }
  }

  /// Beyond the quantities whose rests a sum holds the last part takes what is left.
  @Test func theLargestAreCut() {
    let quantities: [Int128] = [1 << 90, 1 << 89, 1]
    let parts = Self.parts(100, quantities)
    #expect(parts.allSatisfy { $0.rest == 0 && $0.parts == 1 })
    #expect(parts.map(\.whole) == [66, 33, 1])
  }

  /// Parts of 2^-64 that totals keep: together they are a whole, and none is left behind.
  @Test func totalsTellAWhole() {
    var total = Total()
    for amount in [1, 2] as [Int128] { total.standingRest += Total.rest(amount, of: 3) }
    #expect(total.standingCost == Fraction(1, scale: 15))
    total.standingRest += Total.rest(-2, of: 3)
    total.standingRest += Total.rest(-1, of: 3)
    #expect(total.standingCost.isZero)
  }
}
