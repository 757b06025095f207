/// The meters, prices, products and ids that random histories are made of.
struct World {
  var configuration: ReferenceConfiguration
  var base: Int64

  /// Sum meters whose quantities events may carry, with the units they may use.
  static let sums: [(meter: String, units: [String?])] = [
    ("llm_tokens", [nil, "{token}"]), ("gpu_time", [nil, "min", "h"]), ("credits", [nil]),
    ("images", [nil]),
  ]
  static let models = ["gpt-4o", "gpt-4o-mini", "claude"]
  static let transactions = (0..<6).map { "70000\($0)" }
  static let chain = "800000"
  /// The last is an account token that purchases carry.
  static let customers = ["anna", "b\u{F6}rje", "c\u{0308} d", token(1)]

  static func token(_ number: Int) -> String { "2b0d5e0c-7f1a-4f1e-9a11-00000000000\(number)" }

  /// `base` is the newest instant that events may have.
  init(base: Int64) {
    self.base = base
    configuration = ReferenceConfiguration()
    configuration.meters = [
      "llm_tokens": .init(unit: "{token}", attributes: ["model", "direction"]),
      "gpu_time": .init(unit: "s", attributes: ["gpu"], units: ["min": "60", "h": "3600"]),
      "storage": .init(unit: "By", isLevel: true, attributes: ["object"]),
      "credits": .init(unit: "{credit}"),
      "images": .init(unit: "{image}", attributes: ["model"]),
    ]
    configuration.rates = [
      .init(meter: "llm_tokens", price: "0.30", per: "7000"),
      .init(
        meter: "llm_tokens", filter: ["model": "gpt-4o"], price: "2.50", per: "1000000",
        from: base - 40 * Calendar.day),
      .init(
        meter: "llm_tokens", filter: ["model": "gpt-4o", "direction": "output"], price: "10.00",
        per: "1000000"),
      .init(
        meter: "llm_tokens", filter: ["model": "gpt-4o", "direction": "output"], price: "8",
        per: "1000000", from: base - 20 * Calendar.day),
      .init(meter: "gpu_time", price: "3.99", per: "1 h"),
      .init(
        meter: "gpu_time", price: "3.49", per: "1 h", currency: "EUR",
        from: base - 10 * Calendar.day),
      .init(meter: "storage", price: "0.023", per: "1 GB.mo"),
      .init(meter: "storage", price: "0.02", per: "1 GB.mo", from: base - 15 * Calendar.day),
      .init(meter: "images", filter: ["model": "gpt-4o"], price: "0.04"),
    ]
    configuration.products = [
      "credits.5000": .init(allowance: ["credits": "5000"], deliveredOnPurchase: true),
      "pro": .init(allowance: ["llm_tokens": "1000000", "images": "30"], everyMonths: 1),
      "pass": .init(
        allowance: ["storage": "0.5 GB.mo", "credits": "4000"], durationDays: 30, priority: -1),
    ]
  }

  /// One of three ways to buy, by the transaction's number.
  func purchase(_ number: Int, signed: Int64, seed: inout Seed) -> ReferencePurchase {
    let products = ["credits.5000", "pass", "unlisted"]
    let types = ["Consumable", "Non-Renewing Subscription", "Non-Consumable"]
    let id = Self.transactions[number]
    let token = seed.chance(50) ? Self.token(number % 2) : nil
    return ReferencePurchase(
      id: id, original: id, product: products[number % 3], type: types[number % 3],
      purchased: (base - 50 * Calendar.day) / 1000 + Int64(seed.below(20 * 86_400_000)),
      quantity: 1 + seed.below(3), price: seed.chance(80) ? 9990 : nil,
      environment: number == 5 ? "Sandbox" : "Production", accountToken: token, signed: signed)
  }

  /// A subscription's periods, one after the other with a gap before the last.
  func periods() -> [ReferencePurchase] {
    let start = Calendar.adding(months: -3, to: base)
    return [(0, 1), (1, 2), (2, 3)].enumerated().map { index, months in
      let gap = index == 2 ? 3 * Calendar.day : 0
      return ReferencePurchase(
        id: index == 0 ? Self.chain : "\(Self.chain)\(index)", original: Self.chain,
        product: "pro", type: "Auto-Renewable Subscription",
        purchased: (Calendar.adding(months: months.0, to: start) + gap) / 1000,
        expires: Calendar.adding(months: months.1, to: start) / 1000
          + (index == 1 ? 0 : 604_800_000),
        signed: 1_700_000_000_000)
    }
  }
}
