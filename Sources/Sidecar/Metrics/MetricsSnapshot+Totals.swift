package import Metering

extension MetricsSnapshot {
  /// The figures that the books keep: of every booking, and of the purchases as last rolled up.
  package init(
    _ totals: Totals, _ rolledUp: RollupReport, configuration: Configuration, version: String
  ) {
    self.init(version: version)
    self.rolledUp = rolledUp
    reportingCurrency = configuration.reportingCurrency
    for (key, amount) in rolledUp.levels { add(level: key, amount) }
    accepted = totals.accepted
    duplicates = totals.duplicates
    conflicts = totals.conflicts
    rejected = totals.rejected
    for (number, count) in totals.rejections {
      if let code = RejectionCode(rawValue: number) { rejections[code] = count }
    }
    for (key, total) in totals.byKey where !key.isLevel { add(key, total, configuration) }
    quarantinedEvents = totals.quarantinedEvents
    quarantineDropped = totals.quarantineDropped
    unattributedReadings = totals.waitingReadings
    for (number, count) in totals.notifications {
      if let type = NotificationType(rawValue: number) {
        notifications[type] = count
      } else {
        unknownNotifications += count
      }
    }
    lastNotification =
      totals.lastNotification == .min ? nil : Instant(microseconds: totals.lastNotification)
    lastEvent = totals.lastEvent == .min ? nil : Instant(microseconds: totals.lastEvent)
  }

  private mutating func add(_ key: TotalKey, _ total: Total, _ configuration: Configuration) {
    let meter = MeterLabels(meter: key.meter, unit: key.unit)
    // Opening balances of levels are sums too, but not of a sum meter.
    if configuration.meters[key.meter]?.kind != .level {
      usage[meter, default: 0] += total.gross
      voidedUsage[meter, default: 0] += total.voided
    }
    let isKnown = configuration.products[key.label.product] != nil
    let product = isKnown ? key.label.product : RollupKey.other
    func labels(_ currency: ByteString) -> MoneyLabels {
      MoneyLabels(
        meter: key.meter, product: product, currency: currency,
        environment: key.label.environment)
    }
    if let currency = Currency.unpacked(key.own) {
      let labels = labels(currency)
      costBooked[labels] = (costBooked[labels] ?? .zero) + total.grossCost
      cost[labels] = (cost[labels] ?? .zero) + total.standingCost
    } else if let rate = RateText(key.rate) {
      let labels = labels(rate.currency)
      costBooked[labels] =
        (costBooked[labels] ?? .zero) + Fraction(total.gross, scale: 9) * rate.price
      cost[labels] = (cost[labels] ?? .zero) + Fraction(total.standing, scale: 9) * rate.price
    } else if key.isPriced {
      unpriced[meter] = (unpriced[meter] ?? .zero) + Fraction(total.standing, scale: 9)
    }
  }

  private mutating func add(level key: RollupKey, _ amount: Fraction) {
    switch key.family {
    case .levelCost:
      let labels = MoneyLabels(
        meter: key.first, product: key.product, currency: key.second, environment: key.environment)
      cost[labels] = (cost[labels] ?? .zero) + amount
    default:
      let meter = MeterLabels(meter: key.first, unit: key.second)
      unpriced[meter] = (unpriced[meter] ?? .zero) + amount
    }
  }
}

/// A rate as the totals name it: `n/d|CUR`.
private struct RateText {
  var price: Fraction
  var currency: ByteString

  init?(_ text: ByteString) {
    let parts = text.string.split(separator: "|")
    guard parts.count == 2 else { return nil }
    let price = parts[0].split(separator: "/")
    guard price.count == 2, let numerator = BigInteger(String(price[0])),
      let denominator = BigInteger(String(price[1]))
    else { return nil }
    self.price = Fraction(numerator, over: denominator)
    currency = ByteString(String(parts[1]))
  }
}
