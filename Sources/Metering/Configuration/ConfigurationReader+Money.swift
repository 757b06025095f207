extension ConfigurationReader {
  mutating func commissions(_ place: ConfigurationPlace?) -> [Commission]? {
    guard let place, let elements = list(place) else { return nil }
    let types = [
      Purchase.autoRenewable, Purchase.nonConsumable, Purchase.consumable, Purchase.nonRenewing,
    ]
    var commissions: [Commission] = []
    for element in elements {
      let keys = ["rate", "types", "afterPaidDays", "from"]
      guard let object = object(element, keys: keys) else { continue }
      let rate = decimal(required("rate", in: object), .share)
      commissions.append(
        Commission(
          rate: rate?.value ?? .zero, types: choices(object["types"], of: types) ?? [],
          afterPaidDays: integer(object["afterPaidDays"], in: 0...Limits.windowDays) ?? 0,
          from: start(object["from"]) ?? .distantPast))
    }
    return commissions
  }

  mutating func tax(_ place: ConfigurationPlace?) -> [ByteString: Fraction] {
    guard let place, let members = members(place) else { return [:] }
    var tax: [ByteString: Fraction] = [:]
    for (storefront, value) in members {
      if !Self.isThreeCapitals(storefront) {
        fault(value, "a storefront is three capital letters such as \"NLD\"")
      }
      tax[storefront] = decimal(value, .share)?.value
    }
    return tax
  }

  mutating func exchangeRates(_ place: ConfigurationPlace?) -> [ExchangeRate] {
    guard let place, let elements = list(place) else { return [] }
    var rates: [ExchangeRate] = []
    for element in elements {
      guard let object = object(element, keys: ["from", "to", "rate", "since"]) else { continue }
      let from = currency(required("from", in: object))
      let to = currency(required("to", in: object))
      let rate = decimal(required("rate", in: object), .aboveZero)
      let since = start(object["since"])
      guard let from, let to, let rate, let since else { continue }
      if from == to, let place = object["to"] { fault(place, "must differ from \"from\"") }
      if rates.contains(where: { ($0.from, $0.to, $0.since) == (from, to, since) }) {
        fault(object["since"] ?? element, "the pair has another rate since the same instant")
      }
      rates.append(ExchangeRate(from: from, to: to, rate: rate.value, since: since))
    }
    return rates
  }
}
