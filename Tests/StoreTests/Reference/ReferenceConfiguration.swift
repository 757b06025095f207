/// What the reference needs of a configuration, and its text for the product.
struct ReferenceConfiguration {
  struct Meter {
    var unit: String
    var isLevel = false
    var attributes: [String] = []
    /// Factors into the base unit, as written.
    var units: [String: String] = [:]
  }

  struct Rate {
    var meter: String
    var filter: [String: String] = [:]
    var price: String
    var per = "1"
    var currency = "USD"
    var from: Int64?

    /// The price as a person compares it: the amount without idle zeros, and per what.
    var label: String { "\(Exact(price) ?? .zero)/\(per)" }

    /// The price of one base unit, or of one base unit held for a second.
    var each: Exact { (Exact(price) ?? .zero) / ReferenceConfiguration.amount(per) }
  }

  struct Product {
    /// Per meter as written: `"5000"`, `"50 GB.mo"`.
    var allowance: [String: String] = [:]
    var everyMonths: Int?
    var durationDays: Int?
    var deliveredOnPurchase = false
    var sampleContentProvided = false
    var priority = 0
  }

  var dedupeDays = 400
  /// Days that single events are kept beyond that.
  var extraRetentionDays = 60
  var meters: [String: Meter] = [:]
  var rates: [Rate] = []
  var products: [String: Product] = [:]
  var reportingCurrency = "USD"
  var timeZone = "UTC"
  var money = ReferenceMoneyRules()

  /// The rate for one reading: of those that match and are in force, the one with most attributes.
  ///
  /// A rate is in force from its `from` until the next `from` of the same meter and filter.
  func rate(meter: String, attributes: [String: String], at time: Int64) -> Rate? {
    let matching = rates.filter { rate in
      rate.meter == meter && rate.filter.allSatisfy { attributes[$0.key] == $0.value }
        && (rate.from ?? .min) <= time
    }
    let inForce = matching.filter { rate in
      !matching.contains { $0.filter == rate.filter && ($0.from ?? .min) > (rate.from ?? .min) }
    }
    return inForce.max { $0.filter.count < $1.filter.count }
  }

  func hasRates(_ meter: String) -> Bool { rates.contains { $0.meter == meter } }

  /// Instants at which some rate of the meter begins.
  func boundaries(_ meter: String) -> [Int64] {
    rates.filter { $0.meter == meter }.compactMap(\.from)
  }

  private static let factors: [String: String] = [
    "s": "1", "min": "60", "h": "3600", "d": "86400", "mo": "2592000", "By": "1", "GB": "1e9",
    "GiB": "1073741824",
  ]

  /// `"1000000"`, `"1 h"` or `"50 GB.mo"` in base units (for levels, base units times seconds).
  static func amount(_ text: String) -> Exact {
    let parts = text.split(separator: " ").map(String.init)
    guard let number = parts.first.flatMap({ Exact($0) }) else {
      preconditionFailure("a test wrote \(text)")
    }
    return parts.dropFirst().flatMap { $0.split(separator: ".").map(String.init) }
      .reduce(number) { $0 * (factors[$1].flatMap { Exact($0) } ?? .zero) }
  }

  /// JSON for `outlay --config`; the probe is a meter that no event is accepted for.
  func text(probe: String? = nil) -> String {
    var known = meters
    if let probe { known[probe] = Meter(unit: "{probe}") }
    var fields = [
      "store: {dedupeDays: \(dedupeDays), retentionDays: \(dedupeDays + extraRetentionDays)}"
    ]
    fields.append("reportingCurrency: \(TinyJSON.quoted(reportingCurrency))")
    fields.append(
      "meters: {\(known.sorted { $0.key < $1.key }.map(Self.text).joined(separator: ","))}")
    fields.append("prices: [\(rates.map(Self.text).joined(separator: ","))]")
    let listed = products.sorted { $0.key < $1.key }.map(Self.text)
    fields.append("products: {\(listed.joined(separator: ","))}")
    fields.append("timeZone: \(TinyJSON.quoted(timeZone))")
    fields += money.fields
    return "{\n" + fields.joined(separator: ",\n") + "\n}\n"
  }

  private static func text(_ entry: (key: String, value: Meter)) -> String {
    let meter = entry.value
    let units = meter.units.sorted { $0.key < $1.key }.map { "\($0.key): \"\($0.value)\"" }
    let attributes = meter.attributes.map(TinyJSON.quoted).joined(separator: ",")
    let kind = meter.isLevel ? "level" : "sum"
    return "\(entry.key): {unit: \(TinyJSON.quoted(meter.unit)), kind: \"\(kind)\", "
      + "attributes: [\(attributes)]"
      + (units.isEmpty ? "}" : ", units: {\(units.joined(separator: ","))}}")
  }

  private static func text(_ rate: Rate) -> String {
    var fields = ["meter: \(TinyJSON.quoted(rate.meter))", "price: \"\(rate.price)\""]
    fields.append("per: \"\(rate.per)\"")
    fields.append("currency: \"\(rate.currency)\"")
    if !rate.filter.isEmpty {
      let filter = rate.filter.sorted { $0.key < $1.key }
      let parts = filter.map { "\(TinyJSON.quoted($0.key)): \(TinyJSON.quoted($0.value))" }
      fields.append("where: {\(parts.joined(separator: ","))}")
    }
    if let from = rate.from { fields.append("from: \"\(Calendar.text(from))\"") }
    return "{\(fields.joined(separator: ", "))}"
  }

  private static func text(_ entry: (key: String, value: Product)) -> String {
    let product = entry.value
    let allowance = product.allowance.sorted { $0.key < $1.key }.map {
      "\($0.key): \"\($0.value)\""
    }
    var fields = ["allowance: {\(allowance.joined(separator: ","))}"]
    if let months = product.everyMonths { fields.append("every: \"P\(months)M\"") }
    if let days = product.durationDays { fields.append("duration: \"P\(days)D\"") }
    fields.append("priority: \(product.priority)")
    fields.append("deliveredOnPurchase: \(product.deliveredOnPurchase)")
    fields.append("sampleContentProvided: \(product.sampleContentProvided)")
    return "\(TinyJSON.quoted(entry.key)): {\(fields.joined(separator: ", "))}"
  }
}
