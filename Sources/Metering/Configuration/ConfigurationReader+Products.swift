extension ConfigurationReader {
  mutating func products(
    _ place: ConfigurationPlace?, _ known: KnownMeters
  ) -> [ByteString: [ProductTerms]] {
    guard let place, let members = members(place) else { return [:] }
    var products: [ByteString: [ProductTerms]] = [:]
    for (product, value) in members where isName(product, value) {
      if value.node.elements == nil {
        products[product] = terms(value, known).map { [$0] } ?? []
      } else {
        products[product] = datedTerms(value, known)
      }
    }
    return products
  }

  private mutating func datedTerms(
    _ place: ConfigurationPlace, _ known: KnownMeters
  ) -> [ProductTerms] {
    guard let elements = list(place) else { return [] }
    if elements.isEmpty { fault(place, "must not be empty") }
    var all: [ProductTerms] = []
    for element in elements {
      guard let terms = terms(element, known) else { continue }
      if all.contains(where: { $0.from == terms.from }) {
        fault(element, "another entry of the product has the same from")
      }
      all.append(terms)
    }
    return all.sorted { $0.from < $1.from }
  }

  private mutating func terms(
    _ place: ConfigurationPlace, _ known: KnownMeters
  ) -> ProductTerms? {
    let keys = [
      "allowance", "every", "duration", "priority", "deliveredOnPurchase",
      "sampleContentProvided", "from",
    ]
    guard let object = object(place, keys: keys) else { return nil }
    var terms = ProductTerms()
    let from = start(object["from"])
    terms.every = duration(object["every"])
    terms.duration = duration(object["duration"])
    terms.priority = integer(object["priority"], in: -1_000_000...1_000_000) ?? 0
    terms.deliveredOnPurchase = flag(object["deliveredOnPurchase"]) ?? false
    terms.sampleContentProvided = flag(object["sampleContentProvided"]) ?? false
    if let allowance = object["allowance"], let members = members(allowance) {
      for (name, value) in members {
        guard let meter = meter(named: name, value, in: known) else { continue }
        terms.allowance[name] = amount(value, of: meter, allowingBare: true)?.value
      }
    }
    guard let from else { return nil }
    terms.from = from
    return terms
  }
}
