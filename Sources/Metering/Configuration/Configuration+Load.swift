extension Configuration {
  /// Reads a JSON5 file. Either the whole is right, or every fault is told at once; a text that
  /// isn't JSON5 has one fault, without a path.
  package static func load(
    _ bytes: [UInt8], defaults: ConfigurationDefaults, timeZoneExists: (String) -> Bool
  ) -> Result<Configuration, ConfigurationFaults> {
    let root: JSONNode
    do throws(JSONFault) {
      root = try JSONNode.parse(bytes, dialect: .json5)
    } catch {
      let fault = ConfigurationFault(
        path: "", line: error.line, column: error.column, message: error.message)
      return .failure(ConfigurationFaults([fault]))
    }
    var reader = ConfigurationReader()
    let configuration = reader.configuration(
      ConfigurationPlace(path: "", node: root), defaults: defaults,
      timeZoneExists: timeZoneExists)
    if !reader.faults.isEmpty { return .failure(ConfigurationFaults(reader.faults)) }
    return .success(configuration)
  }

  /// Every key of the file's top level.
  static let keys = [
    "socket", "metrics", "store", "environments", "timeZone", "refundWindowDays",
    "reportingCurrency", "meters", "prices", "products", "commission", "tax", "exchangeRates",
    "decisions", "cloudEvents", "page", "appStore", "access", "responder",
  ]
}

extension ConfigurationReader {
  fileprivate mutating func configuration(
    _ place: ConfigurationPlace, defaults: ConfigurationDefaults,
    timeZoneExists: (String) -> Bool
  ) -> Configuration {
    var result = Configuration(defaults: defaults)
    guard let root = object(place, keys: Configuration.keys) else { return result }
    socket(root["socket"], into: &result)
    metrics(root["metrics"], into: &result)
    store(root["store"], into: &result)
    override(&result, by: defaults)
    let environments = [Purchase.production, Purchase.sandbox]
    result.environments = choices(root["environments"], of: environments) ?? environments
    zone(root["timeZone"], exists: timeZoneExists, into: &result)
    if let days = integer(root["refundWindowDays"], in: 0...Limits.windowDays) {
      result.refundWindowDays = days
    }
    if let currency = currency(root["reportingCurrency"]) { result.reportingCurrency = currency }
    let known = meters(required("meters", in: root))
    result.meters = known.meters
    result.rates = prices(root["prices"], known)
    result.products = products(root["products"], known)
    result.commissions = commissions(root["commission"]) ?? Commission.standard
    result.tax = tax(root["tax"])
    result.exchangeRates = exchangeRates(root["exchangeRates"])
    result.decisions = decisions(root["decisions"])
    if let page = root["page"], let object = object(page, keys: ["showIds"]) {
      result.showsIdentifiers = flag(object["showIds"]) ?? false
    }
    result.appStore = appStore(root["appStore"], environments: result.environments)
    result.responder = responder(root["responder"], appStore: root["appStore"])
    result.reserved = reserved(root)
    return result
  }
}
