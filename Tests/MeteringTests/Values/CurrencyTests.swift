import Metering
import Testing

@Suite struct CurrencyTests {
  @Test(
    "codes of ISO 4217 are currencies",
    arguments: [
      "USD", "EUR", "JPY", "XCG", "ZWG", "SLE", "VED", "CLF", "XAU", "XDR", "HRK", "AED", "ZMW",
    ])
  func known(_ code: String) { #expect(Currency.isCode(ByteString(code))) }

  @Test(
    "other texts aren't",
    arguments: [
      "USB", "AAA", "ZZZ", "usd", "Usd", "US", "USDX", "", "U$D", "XXX", "XTS", "DEM", "@@@", "[[[",
    ])
  func unknown(_ text: String) { #expect(!Currency.isCode(ByteString(text))) }

  @Test("there are as many as listed") func count() {
    let letters = (0x41...0x5A).map { UInt8($0) }
    var count = 0
    for first in letters {
      for second in letters {
        for third in letters where Currency.isCode(ByteString([first, second, third])) {
          count += 1
        }
      }
    }
    #expect(count == 191)
  }
}
