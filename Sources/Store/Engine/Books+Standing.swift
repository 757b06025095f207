import Metering

/// Why a configuration can't be put in force over these books.
package struct ReloadRefusal: Error, CustomStringConvertible {
  package var description: String
}

extension Books {
  /// The standing totals that the books make under a configuration, from the quarter-hour sums of
  /// all time.
  func standingTotals(under configuration: Configuration) throws -> [TotalKey: Total] {
    var standing = try StandingTotals(of: totals, under: configuration)
    try showWriterWhatStands()
    try knowledge.forEachQuarterHour { standing.add($0) }
    return try standing.settled()
  }
}

/// What quarter-hour sums come to under a configuration, by what gauges tell them under.
struct StandingTotals {
  private let configuration: Configuration
  /// Units of meters that were taken out: they may come back, in the unit of their usage.
  private var removed: [ByteString: ByteString] = [:]
  private var byKey: [TotalKey: Total] = [:]
  private var refusal: ReloadRefusal?

  /// Nothing yet, beside `totals` that were booked. Throws a ``ReloadRefusal`` where the
  /// configuration gives a meter with usage another unit or kind.
  init(of totals: Totals, under configuration: Configuration) throws {
    self.configuration = configuration
    for key in totals.byKey.keys where !key.unit.isEmpty {
      guard let meter = configuration.meters[key.meter] else {
        if !key.isLevel { removed[key.meter] = key.unit }
        continue
      }
      // Opening balances of levels are sums, in unit-seconds.
      let unit = key.isLevel ? meter.unit : configuration.printedUnit(of: key.meter)
      guard unit == key.unit && (meter.kind == .level || !key.isLevel) else {
        throw ReloadRefusal(
          description: "the unit or kind of \(key.meter.string) changes, but usage is booked in "
            + key.unit.string)
      }
    }
  }

  /// Adds a line of the quarter-hour sums.
  mutating func add(_ line: QuarterHourLine) {
    if configuration.stretch(of: line.line) == nil {
      refusal = ReloadRefusal(
        description: "a price of \(line.line.meter.string) changes within the quarter-hour "
          + "from \(line.slot), among usage that is booked already")
    }
    var key = configuration.totalKey(of: line)
    if let unit = removed[key.meter] { key.unit = unit }
    byKey[key, default: Total()].add(standing: line.line)
  }

  /// What they come to. Throws a ``ReloadRefusal`` where a price changes within one of them.
  func settled() throws -> [TotalKey: Total] {
    if let refusal { throw refusal }
    return byKey
  }

  /// Where `totals` differ from what the sums come to, in words.
  func faults(of totals: Totals) throws -> [String] {
    let books = try settled()
    let running = totals.byKey.filter { !$0.key.isLevel }
    return Set(books.keys).union(running.keys).compactMap { key -> String? in
      let told = running[key] ?? Total()
      let standing = books[key] ?? Total()
      guard
        told.standing != standing.standing || told.standingCost != standing.standingCost
      else { return nil }
      let label = "\(key.label.product.string) \(key.label.environment.string)"
      return "\(key.meter.string) \(label) '\(key.rate.string)': told "
        + "\(told.standing) and \(told.standingCost.decimal), booked "
        + "\(standing.standing) and \(standing.standingCost.decimal)"
    }.sorted()
  }
}

extension Total {
  fileprivate mutating func add(standing line: UsageLine) {
    standing += line.quantity
    if line.parts == 1 {
      standingAmount += line.amount
    } else {
      standingRest += Total.rest(line.amount, of: line.parts)
    }
  }
}

extension Configuration {
  /// What a line of the quarter-hour sums counts under now; without a unit if the meter isn't
  /// configured.
  func totalKey(of line: QuarterHourLine) -> TotalKey {
    let usage = line.line
    return TotalKey(
      meter: usage.meter, unit: printedUnit(of: usage.meter),
      label: Label(product: line.product, environment: line.environment).inTotals(self),
      isLevel: false,
      rate: usage.own == nil
        ? rateText(
          series: usage.series, epoch: (stretch(of: usage) ?? usage.epoch).microseconds) : "",
      isPriced: hasRates(meter: usage.meter), own: Currency.packed(usage.own))
  }
}

extension Totals {
  /// Keeps what only grows and takes over figures as the books stand.
  mutating func replaceStanding(with standing: [TotalKey: Total]) {
    for key in byKey.keys {
      byKey[key]?.standing = 0
      byKey[key]?.standingAmount = 0
      byKey[key]?.standingRest = 0
    }
    for (key, total) in standing {
      byKey[key, default: Total()].standing = total.standing
      byKey[key, default: Total()].standingAmount = total.standingAmount
      byKey[key, default: Total()].standingRest = total.standingRest
    }
  }
}
