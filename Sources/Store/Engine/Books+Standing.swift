import Metering

/// Why a configuration can't be put in force over these books.
package struct ReloadRefusal: Error, CustomStringConvertible {
  package var description: String
}

extension Books {
  /// The standing totals that the books make under a configuration, from the quarter-hour sums of
  /// all time.
  func standingTotals(under configuration: Configuration) throws -> [TotalKey: Total] {
    // A meter that was taken out may come back, in the unit that its usage is booked in.
    var removed: [ByteString: ByteString] = [:]
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
    var standing: [TotalKey: Total] = [:]
    var refusal: ReloadRefusal?
    try showWriterWhatStands()
    try knowledge.forEachQuarterHour { line in
      if configuration.stretch(of: line.line) == nil {
        refusal = ReloadRefusal(
          description: "a price of \(line.line.meter.string) changes within the quarter-hour "
            + "from \(line.slot), among usage that is booked already")
      }
      var key = configuration.totalKey(of: line)
      if let unit = removed[key.meter] { key.unit = unit }
      standing[key, default: Total()].standing += line.line.quantity
      standing[key, default: Total()].standingAmount += line.line.amount
    }
    if let refusal { throw refusal }
    return standing
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
    }
    for (key, total) in standing {
      byKey[key, default: Total()].standing = total.standing
      byKey[key, default: Total()].standingAmount = total.standingAmount
    }
  }
}
