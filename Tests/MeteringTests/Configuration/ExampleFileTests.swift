import Foundation
import Metering
import Testing

@Suite struct ExampleFileTests {
  /// `Config/outlay.example.json5` works as it stands, and says what the defaults are.
  @Test func theExampleFileLoads() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Config/outlay.example.json5")
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    let example = try Sample.load(text).get()
    var expected = try Sample.load("{ meters: {} }").get()
    expected.meters = example.meters
    expected.rates = example.rates
    expected.products = example.products
    expected.tax = example.tax
    expected.exchangeRates = example.exchangeRates
    #expect(example == expected)
    #expect(example.meters.count == 4 && example.rates.count == 4 && example.products.count == 3)
  }
}
