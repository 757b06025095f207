/// What a configuration says of commission, tax, exchange and refunds.
struct ReferenceMoneyRules {
  struct Commission {
    var rate: String
    var types: [String] = []
    var afterPaidDays = 0
    var from: Int64?
  }

  struct ExchangeRate {
    var from: String
    var to: String
    var rate: String
    var since: Int64
  }

  struct Thresholds {
    var declineAt = 70_000
    var grantAtOrBelow = 0

    var text: String { "declineAt: \(declineAt), grantAtOrBelow: \(grantAtOrBelow)" }
  }

  /// Apple's standard terms, which a file that says nothing gets.
  var commissions = [
    Commission(rate: "0.30"),
    Commission(rate: "0.15", types: ["Auto-Renewable Subscription"], afterPaidDays: 365),
  ]
  /// By storefront.
  var tax: [String: String] = [:]
  var exchangeRates: [ExchangeRate] = []
  var refundWindowDays = 90
  var thresholds = Thresholds()
  var byReason: [String: Thresholds] = [:]
  var staleAfterMinutes = 60

  /// The store's share: that of the last entry that matches, 0 without one.
  func commission(type: String, paidDays: Int, purchased: Int64) -> Exact {
    let matching = commissions.filter {
      ($0.types.isEmpty || $0.types.contains(type)) && $0.afterPaidDays <= paidDays
        && $0.from ?? .min <= purchased
    }
    return matching.last.flatMap { Exact($0.rate) } ?? .zero
  }

  func tax(in storefront: String?) -> Exact {
    storefront.flatMap { tax[$0] }.flatMap { Exact($0) } ?? .zero
  }

  /// What one unit of a currency is worth in another at an instant; nil when nobody says.
  func exchange(_ currency: String, into other: String, at time: Int64) -> Exact? {
    if currency == other { return .one }
    let stated = exchangeRates.filter { $0.from == currency && $0.to == other && $0.since <= time }
    return stated.max { $0.since < $1.since }.flatMap { Exact($0.rate) }
  }

  /// Members of the configuration's text.
  var fields: [String] {
    let commissions = commissions.map { entry -> String in
      let types = entry.types.map(TinyJSON.quoted).joined(separator: ",")
      return "{rate: \"\(entry.rate)\", afterPaidDays: \(entry.afterPaidDays)"
        + (types.isEmpty ? "" : ", types: [\(types)]")
        + (entry.from.map { ", from: \"\(Calendar.text($0))\"" } ?? "") + "}"
    }
    let rates = exchangeRates.map {
      "{from: \"\($0.from)\", to: \"\($0.to)\", rate: \"\($0.rate)\", "
        + "since: \"\(Calendar.text($0.since))\"}"
    }
    let tax = tax.sorted { $0.key < $1.key }.map { "\($0.key): \"\($0.value)\"" }
    let reasons = byReason.sorted { $0.key < $1.key }.map { "\($0.key): {\($0.value.text)}" }
    return [
      "commission: [\(commissions.joined(separator: ","))]",
      "tax: {\(tax.joined(separator: ","))}", "refundWindowDays: \(refundWindowDays)",
      "exchangeRates: [\(rates.joined(separator: ","))]",
      "decisions: {\(thresholds.text), staleAfterMinutes: \(staleAfterMinutes), "
        + "byReason: {\(reasons.joined(separator: ","))}}",
    ]
  }
}
