import Metering

/// Meters and prices that most tests need: tokens by model, credits that only count, a level.
func testConfiguration(timeZone: String = "UTC") -> Configuration {
  var configuration = Configuration(
    defaults: ConfigurationDefaults(socketPath: "/s", storeDirectory: "/d"))
  configuration.timeZone = timeZone
  for meter in [
    Meter(name: "tokens", unit: "{token}", attributes: ["model"]),
    Meter(name: "credits", unit: "{credit}"),
    Meter(name: "storage", unit: "By", kind: .level),
  ] {
    configuration.meters[meter.name] = meter
  }
  configuration.rates = [
    Rate(
      meter: "tokens", conditions: [Rate.Condition(attribute: "model", value: "a")],
      price: Fraction(5, scale: 1), printedPrice: "0.5", printedPer: "1", currency: "USD"),
    Rate(
      meter: "storage", price: Fraction(1, scale: 3), printedPrice: "0.001",
      printedPer: "1 s.By", currency: "EUR"),
  ]
  return configuration
}

/// An instant, or the distant past for a text that is none.
func at(_ text: String) -> Instant { Instant(rfc3339: ByteString(text)) ?? .distantPast }
