/// The configuration that simulations begin under, and what people make of it.
enum SimulationWorld {
  /// Sizes of memtables: from one that is flushed with every event to one that never is.
  static let memtables = [1, 2, 7, 64, 4096]
  /// The meter that people take out and bring back: nothing but its price names it.
  static let removable = "gpu_time"

  // What the product is known to get wrong, and the simulation keeps away from until it doesn't.

  /// After a clock that goes back gauges stay as the wrong one left them.
  static let clocksGoBack = false
  /// Usage is taken back from a gauge by another price than it was added by, where one with an
  /// earlier `from` came between.
  static let pricesReachBack = false

  static var configuration: ReferenceConfiguration {
    var configuration = LifeWorld.configuration
    configuration.dedupeDays = 30
    configuration.extraRetentionDays = 4_000
    return configuration
  }

  static func without(
    _ meter: String, _ configuration: ReferenceConfiguration
  ) -> ReferenceConfiguration {
    var reduced = configuration
    reduced.meters[meter] = nil
    reduced.rates.removeAll { $0.meter == meter }
    return reduced
  }

  /// Puts a price in force from some quarter-hour on, or takes such a one away again.
  static func changePrices(
    _ configuration: inout ReferenceConfiguration, around now: Int64, _ seed: inout Seed
  ) {
    let added = configuration.rates.indices.filter { configuration.rates[$0].price.hasPrefix("7.") }
    if let index = added.randomElement(using: &seed), seed.chance(40) {
      configuration.rates.remove(at: index)
      return
    }
    var rate = seed.pick(configuration.rates)
    if seed.chance(15) { rate = .init(meter: "credits", price: "0") }
    let quarter = 15 * Calendar.minute
    let reach = pricesReachBack ? 0 : 60 * 96
    let from =
      (now + Int64(reach) * quarter - Int64(seed.below(60 * 96) - 96) * quarter) / quarter * quarter
    rate.from = from
    rate.price = "7.\(1 + seed.below(99))"
    rate.currency = rate.meter == "storage" ? rate.currency : seed.pick([rate.currency, "EUR"])
    let isThere = configuration.rates.contains {
      $0.meter == rate.meter && $0.filter == rate.filter && $0.from == from
    }
    if !isThere { configuration.rates.append(rate) }
  }
}
