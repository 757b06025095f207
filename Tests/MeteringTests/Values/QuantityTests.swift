import Metering
import Testing

@Suite struct QuantityTests {
  static let exact: [(String, String)] = [
    ("4000", "4000"), ("4e3", "4000"), ("4000.0", "4000"), ("4E+3", "4000"), ("40000e-1", "4000"),
    ("0", "0"), ("-0", "0"), ("0e999999999999", "0"), ("0.5", "0.5"), ("-1.25", "-1.25"),
    ("0.000000001", "0.000000001"), ("1e-9", "0.000000001"),
    ("999999999999999999.999999999", "999999999999999999.999999999"),
    ("1.000000000", "1"), ("007", "7"), ("0.00000000000000000001e20", "1"),
  ]

  @Test(arguments: exact) func isExact(_ text: String, _ printed: String) {
    let strict = Quantity.parse(ByteString(text), roundingExcess: false)
    #expect(strict.map(\.description) == .success(printed))
    #expect(Quantity.parse(ByteString(text), roundingExcess: true) == strict)
  }

  static let malformed = [
    "", "-", "+1", ".5", "1.", "1.e3", "e3", "1e", "1e+", "NaN", "Infinity", "-Infinity", "0x10",
    "1 ", " 1", "1_000", "1,5", "--1", "1.2.3", "٣",
  ]

  @Test(arguments: malformed) func isNoDecimal(_ text: String) {
    #expect(Quantity.parse(ByteString(text), roundingExcess: true) == .failure(.malformed))
  }

  static let tooLong = [
    "1e18", "1000000000000000000", "1e999", "1e99999999999999999999",
    "999999999999999999.9999999995",
  ]

  @Test(arguments: tooLong) func isTooLong(_ text: String) {
    #expect(Quantity.parse(ByteString(text), roundingExcess: true) == .failure(.tooManyDigits))
  }

  static let rounded: [(String, String)] = [
    ("0.0000000005", "0"), ("0.00000000050000001", "0.000000001"), ("0.0000000015", "0.000000002"),
    ("0.0000000025", "0.000000002"), ("-0.0000000015", "-0.000000002"), ("1e-30", "0"),
    ("0.1234567894999", "0.123456789"),
  ]

  @Test(arguments: rounded) func roundsHalfToEven(_ text: String, _ printed: String) {
    #expect(
      Quantity.parse(ByteString(text), roundingExcess: true).map(\.description)
        == .success(printed))
    #expect(Quantity.parse(ByteString(text), roundingExcess: false) == .failure(.tooManyDigits))
  }

  /// A string says no more decimals than there are, be they zeros; a number may.
  @Test(arguments: [("1.0000000000", "1"), ("0.0000000000", "0"), ("10e-10", "0.000000001")])
  func decimalsCount(_ text: String, _ printed: String) {
    #expect(Quantity.parse(ByteString(text), roundingExcess: false) == .failure(.tooManyDigits))
    #expect(
      Quantity.parse(ByteString(text), roundingExcess: true).map(\.description)
        == .success(printed))
  }

  /// MA-18: ten times 0.1 is 1.
  @Test func tenTenthsAreOne() {
    let tenth = try? Quantity.parse("0.1", roundingExcess: false).get()
    #expect((tenth?.raw ?? 0) * 10 == Quantity.scale)
  }
}
