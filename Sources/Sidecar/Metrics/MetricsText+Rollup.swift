import Metering

/// The families that come from the rollup, sums over all purchases.
extension MetricsText {
  /// Which label a part of a key is.
  fileprivate struct Labels {
    var first: String?
    var second: String?
    var hasProduct = false
    var hasEnvironment = false

    static let money = Labels(second: "currency", hasProduct: true, hasEnvironment: true)
    static let risk = Labels(
      first: "risk", second: "currency", hasProduct: true, hasEnvironment: true)
    static let reason = Labels(first: "reason")
  }

  static func rolledUp(
    _ report: RollupReport, reportingCurrency: ByteString
  ) -> [MetricFamily] {
    let values = sorted(report, born: report.bornKeys(reportingCurrency: reportingCurrency))
    func family(
      _ source: RollupKey.Family, _ name: String, _ labels: Labels, _ help: String,
      _ kind: MetricFamily.Kind = .gauge
    ) -> MetricFamily {
      var family = MetricFamily(name, kind, help)
      for (key, value) in values[source] ?? [] { family.add(value, key, labels) }
      return family
    }
    return [
      family(
        .level, "outlay_level", Labels(first: "meter", second: "unit"),
        "Levels that hold now, summed, in the meter's base unit."),
      family(
        .purchases, "outlay_purchases", Labels(first: "state", hasEnvironment: true),
        "Purchases known, by state."),
      shares(values[.share] ?? []),
      family(
        .proceeds, "outlay_proceeds", .money,
        "Estimated proceeds after tax and commission, before refunds, in the currency."),
      family(
        .costAtRisk, "outlay_cost_at_risk", .risk,
        "Cost of purchases whose money can still go back, in the currency."),
      family(
        .proceedsAtRisk, "outlay_proceeds_at_risk", .risk,
        "Kept proceeds of purchases whose money can still go back, in the currency."),
      family(
        .realisedLoss, "outlay_realised_loss", .money,
        "Cost before a refund beyond the proceeds that were kept, in the currency."),
      family(
        .leak, "outlay_leak", .money,
        "Cost of usage after its purchase was taken back, in the currency."),
      unconverted(report),
      family(
        .requests, "outlay_refund_requests", .reason,
        "Refund cases opened, by the reason first given.", .counter),
      family(
        .missed, "outlay_refund_requests_missed", .reason,
        "Refund cases that were not answered in time, by the reason first given.", .counter),
      family(
        .miscounted, "outlay_refund_cases_miscounted", Labels(first: "as"),
        "Refund cases counted as missed or lapsed while the clock ran ahead, that weren't.",
        .counter),
      family(
        .openCases, "outlay_refund_requests_open", Labels(first: "gate"),
        "Refund cases that can be answered, by what stands against it; none: nothing."),
      respondBy(report),
      family(
        .responses, "outlay_refund_responses", Labels(first: "preference", second: "result"),
        "Answers sent to the App Store, by preference and by whether it took them.", .counter),
      family(
        .outcomes, "outlay_refund_outcomes", Labels(first: "preference", second: "outcome"),
        "Outcomes of refund cases, by the preference that was sent.", .counter),
    ]
  }

  /// All sums by family in the order of their labels; those that are born count nothing yet.
  private static func sorted(
    _ report: RollupReport, born: [RollupKey]
  ) -> [RollupKey.Family: [(key: RollupKey, value: Double)]] {
    var all = report.values
    for key in born { all[key] = all[key] ?? 0 }
    return Dictionary(grouping: all.sorted { $0.key < $1.key }, by: \.key.family)
      .mapValues { $0.map { (key: $0.key, value: $0.value) } }
  }

  private static func shares(_ values: [(key: RollupKey, value: Double)]) -> MetricFamily {
    var family = MetricFamily(
      "outlay_active_purchases_by_share", .gauge,
      "Active purchases whose used share of the allowance is at most the label's.")
    var cumulative = 0.0
    for (name, _) in RollupKey.shareLimits {
      cumulative += values.first { $0.key.first == name }?.value ?? 0
      family.add(MetricNumber.shortest(cumulative), ["at_most": name.string])
    }
    return family
  }

  private static func unconverted(_ report: RollupReport) -> MetricFamily {
    var family = MetricFamily(
      "outlay_unconverted_purchases", .gauge,
      "Purchases with money that no exchange rate converts into the reporting currency.")
    family.add(MetricNumber.shortest(report.values[RollupKey(.unconverted)] ?? 0))
    return family
  }

  private static func respondBy(_ report: RollupReport) -> MetricFamily {
    var family = MetricFamily(
      "outlay_refund_respond_by_timestamp_seconds", .gauge,
      "Until when the first open refund case has to be answered, in seconds since 1970.",
      unit: "seconds")
    if let instant = report.respondBy { family.add(MetricNumber.seconds(instant)) }
    return family
  }
}

extension MetricFamily {
  fileprivate mutating func add(_ value: Double, _ key: RollupKey, _ labels: MetricsText.Labels) {
    var sample = Sample(
      suffix: kind == .counter ? "_total" : "", value: MetricNumber.shortest(value))
    if let name = labels.first { sample.labels.append((name, key.first.string)) }
    if labels.hasProduct { sample.labels.append(("product", key.product.string)) }
    if let name = labels.second { sample.labels.append((name, key.second.string)) }
    if labels.hasEnvironment { sample.labels.append(("environment", key.environment.string)) }
    samples.append(sample)
  }
}
