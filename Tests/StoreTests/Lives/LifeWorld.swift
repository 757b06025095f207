/// The configuration that random lives are told under.
enum LifeWorld {
  /// When they begin.
  static let start = Calendar.instant(2026, 6, 1, 8)

  static var configuration: ReferenceConfiguration {
    var configuration = World(base: start + 60 * Calendar.day).configuration
    configuration.money.commissions = [
      .init(rate: "0.30"), .init(rate: "0.25", from: start + 30 * Calendar.day),
      .init(rate: "0.15", types: ["Auto-Renewable Subscription"], afterPaidDays: 35),
    ]
    configuration.money.tax = ["NLD": "0.21"]
    configuration.money.exchangeRates = [
      .init(from: "EUR", to: "USD", rate: "1.08", since: start - 90 * Calendar.day),
      .init(from: "EUR", to: "USD", rate: "1.13", since: start + 25 * Calendar.day),
    ]
    configuration.money.refundWindowDays = 40
    configuration.money.byReason["OTHER"] = .init(declineAt: 40_000, grantAtOrBelow: 5_000)
    configuration.products["credits.5000"]?.sampleContentProvided = true
    return configuration
  }

  static let transactions = AppStoreLives.oneTime + AppStoreLives.periods

  /// One operator's change of the configuration.
  static func change(_ configuration: inout ReferenceConfiguration, _ seed: inout Seed) {
    switch seed.below(5) {
    case 0:
      let index = seed.below(configuration.rates.count)
      configuration.rates[index].price = "0.\(1 + seed.below(999))"
    case 1: configuration.money.commissions[0].rate = "0.\(10 + seed.below(80))"
    case 2: configuration.money.tax["NLD"] = "0.\(10 + seed.below(80))"
    case 3:
      configuration.money.exchangeRates[1].rate = "1.\(10 + seed.below(80))"
      configuration.money.refundWindowDays = 20 + seed.below(60)
    default:
      configuration.money.thresholds = .init(
        declineAt: 50_000 + seed.below(50_000), grantAtOrBelow: seed.below(20_000))
      configuration.money.staleAfterMinutes = 30 + seed.below(1000)
    }
  }
}
