import Metering
import Testing

@Suite struct FractionTests {
  @Test(
    arguments: [
      (1, 3, "0.333333333333"), (2, 3, "0.666666666667"), (-2, 3, "-0.666666666667"),
      (1, 8, "0.125"), (-1, 8, "-0.125"), (0, 5, "0"), (-6, 3, "-2"), (10, 1, "10"),
      (100, -8, "-12.5"), (1, 1_048_576, "0.00000095367431640625"),
      (1, 3_000_000_000_000, "0"), (-1, 3_000_000_000_000, "0"),
      (2, 3_000_000_000_000, "0.000000000001"),
      (1_000_000_000_003, 3, "333333333334.333333333333"),
    ] as [(Int128, Int128, String)])
  func printsTheShortestExactDecimalElseTwelvePlaces(
    numerator: Int128, denominator: Int128, text: String
  ) {
    #expect(Fraction(BigInteger(numerator), over: BigInteger(denominator)).decimal == text)
  }

  @Test(
    arguments: [
      (1, 2, 0, "0"), (3, 2, 0, "2"), (-5, 2, 0, "-2"), (25, 1000, 2, "0.02"),
      (35, 1000, 2, "0.04"),
      (25_000_001, 1_000_000_000, 2, "0.03"), (999, 1000, 2, "1"),
    ] as [(Int128, Int128, Int, String)])
  func roundsHalfToEven(numerator: Int128, denominator: Int128, places: Int, text: String) {
    let value = Fraction(BigInteger(numerator), over: BigInteger(denominator))
    #expect(value.decimal(places: places) == text)
  }

  @Test(arguments: [
    ("0", "0"), ("-12.5e3", "-12500"), ("1E-3", "0.001"), ("1e+2", "100"), ("007.50", "7.5"),
    ("0.000000000000000001", "0.000000000000000001"), ("-0", "0"),
    ("1e64", "1" + String(repeating: "0", count: 64)),
  ])
  func readsDecimals(text: String, printed: String) {
    #expect(Fraction(decimal: ByteString(text))?.decimal == printed)
  }

  @Test(arguments: [
    "", "-", "+1", ".5", "5.", "1e", "1e++5", "1e+-5", "1.-5", "0x10", "NaN", "Infinity", "1 ",
    "1,5",
    "١", "1e65", "1e-65", "1e999999999999999999999", String(repeating: "1", count: 129),
  ])
  func refusesWhatIsNoDecimal(text: String) {
    #expect(Fraction(decimal: ByteString(text)) == nil)
  }

  @Test(arguments: [7, 8] as [UInt64])
  func fieldLawsHold(seed: UInt64) {
    var random = RandomBits(seed: seed)
    func fraction() -> Fraction {
      let denominator = random.integer(bits: 80)
      return Fraction(
        BigInteger(random.integer(bits: 100)),
        over: denominator == 0 ? .one : BigInteger(denominator))
    }
    var wrong = 0
    for _ in 0..<300 {
      let (one, two, three) = (fraction(), fraction(), fraction())
      if (one + two) * three != one * three + two * three { wrong += 1 }
      if one - two + two != one { wrong += 1 }
      if !two.isZero, one / two * two != one { wrong += 1 }
      if (one < two) != ((one - two).numerator.signum < 0) { wrong += 1 }
    }
    #expect(wrong == 0)
  }

  @Test(
    arguments: [
      (2, 3, 100_000, 66_666), (-2, 3, 100_000, -66_667), (1, 1, 7, 7),
      (4000, 5000, 100_000, 80_000),
    ] as [(Int128, Int128, Int128, Int128)])
  func floors(numerator: Int128, denominator: Int128, factor: Int128, floor: Int128) {
    let value = Fraction(BigInteger(numerator), over: BigInteger(denominator))
    #expect(value.floored(times: factor) == floor)
  }

  @Test func floorsOnlyWhatFits() {
    #expect(Fraction(2).floored(times: .max) == nil)
    #expect(Fraction(-25, scale: 1).nearestDouble == -2.5)
  }

  @Test func sumsStandByCurrency() {
    var sum = MoneySum()
    for (currency, text) in [("USD", "0.1"), ("EUR", "0"), ("USD", "0.2")] {
      sum.add(
        Money(
          currency: ByteString(currency), amount: Fraction(decimal: ByteString(text)) ?? .zero))
    }
    #expect(sum.totals.map(\.currency) == ["EUR", "USD"])
    #expect(sum.totals.map(\.amount.decimal) == ["0", "0.3"])
  }
}
