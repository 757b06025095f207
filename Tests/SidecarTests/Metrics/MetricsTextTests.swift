import Metering
import Testing

@testable import Sidecar

@Suite("Text of metrics")
struct MetricsTextTests {
  /// Every family, with hostile labels and with numbers that are hard to print.
  static var snapshot: MetricsSnapshot {
    var snapshot = MetricsSnapshot(version: "1.2.3")
    snapshot.accepted = 250
    snapshot.rejected = 2
    snapshot.rejections = [.tooOld: 2]
    snapshot.usage = [
      MetricsSnapshot.MeterLabels(meter: "tokens", unit: "{token}"): 1_500_000_000,
      MetricsSnapshot.MeterLabels(meter: "a\"b\\c\nd", unit: ""): 100_000_000,
    ]
    let money = MetricsSnapshot.MoneyLabels(
      meter: "tokens", product: "_other", currency: "USD", environment: "unknown")
    snapshot.costBooked = [money: Fraction(1) / Fraction(3)]
    snapshot.cost = [money: Fraction(12_345, scale: 3)]
    snapshot.rolledUp = Self.rolledUp
    snapshot.commitDuration.observe(nanoseconds: 100_000)
    snapshot.commitDuration.observe(nanoseconds: 2_000_000_000, times: 2)
    snapshot.commitDuration.observe(nanoseconds: 20_000_000_000)
    snapshot.lastEvent = Instant(microseconds: 1_796_000_000_123_456)
    return snapshot
  }

  /// A sum of each family, and of each kind of label.
  static var rolledUp: RollupReport {
    let configuration = Configuration(
      defaults: ConfigurationDefaults(socketPath: "", storeDirectory: ""))
    var purchase = Purchase()
    purchase.environment = Purchase.production
    let label = RollupLabel(purchase, configuration)
    var sums: [RollupKey: Fraction] = [:]
    for family in RollupKey.Family.allCases {
      switch family {
      case .purchases: sums[RollupKey(family, "active", of: label)] = 3
      case .share:
        sums[RollupKey(family, "0.25")] = 1
        sums[RollupKey(family, "0.9")] = 2
      case .proceeds, .realisedLoss, .leak: sums[RollupKey(family, "", "EUR", of: label)] = -1
      case .costAtRisk, .proceedsAtRisk:
        sums[RollupKey(family, "requested", "EUR", of: label)] = Fraction(25, scale: 1)
      case .unconverted: sums[RollupKey(family)] = 4
      case .openCases: sums[RollupKey(family, RollupKey.none)] = 2
      case .requests, .missed: sums[RollupKey(family, "OTHER")] = 5
      case .miscounted: sums[RollupKey(family, "missed")] = 1
      case .responses: sums[RollupKey(family, "DECLINE", "accepted")] = 6
      case .outcomes: sums[RollupKey(family, "DECLINE", "granted")] = 7
      case .level: sums[RollupKey(family, "storage", "By")] = 5
      case .levelCost: sums[RollupKey(family, "storage", "USD", of: label)] = 8
      case .levelUnpriced: sums[RollupKey(family, "storage", "By.s")] = 9
      }
    }
    var report = RollupReport()
    report.update(RollupTotals(sums), sums.keys)
    report.respondBy = Instant(microseconds: 1_796_000_000_000_000)
    return report
  }

  private func lines(_ format: MetricsFormat) -> [Substring] {
    let text = String(
      decoding: MetricsText.render(Self.snapshot, process: nil, format: format), as: UTF8.self)
    return text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  private func lines(of family: String, _ format: MetricsFormat) -> String {
    lines(format).filter { line in
      let name = line.hasPrefix("# ") ? line.split(separator: " ").dropFirst(2).first ?? "" : line
      guard name.hasPrefix(family) else { return false }
      let rest = name.dropFirst(family.count)
      return ["_total", "_bucket", "_sum", "_count", "{", " "].contains { rest.hasPrefix($0) }
        || rest.isEmpty
    }.joined(separator: "\n")
  }

  @Test(
    "families to the letter",
    arguments: [
      (
        "outlay_usage", MetricsFormat.text004,
        #"""
        # HELP outlay_usage_total Quantity booked for sum meters, in the meter's base unit.
        # TYPE outlay_usage_total counter
        outlay_usage_total{meter="a\"b\\c\nd",unit=""} 0.1
        outlay_usage_total{meter="tokens",unit="{token}"} 1.5
        """#
      ),
      (
        "outlay_usage", .openMetrics100,
        #"""
        # HELP outlay_usage Quantity booked for sum meters, in the meter's base unit.
        # TYPE outlay_usage counter
        outlay_usage_total{meter="a\"b\\c\nd",unit=""} 0.1
        outlay_usage_total{meter="tokens",unit="{token}"} 1.5
        """#
      ),
      (
        "outlay_cost_booked", .text004,
        """
        # HELP outlay_cost_booked_total Cost booked, in the currency, at the rate of its booking.
        # TYPE outlay_cost_booked_total counter
        outlay_cost_booked_total{meter="tokens",product="_other",currency="USD",\
        environment="unknown"} 0.3333333333333333
        """
      ),
      (
        "outlay_cost", .text004,
        """
        # HELP outlay_cost Cost in the currency, as the books stand.
        # TYPE outlay_cost gauge
        outlay_cost{meter="tokens",product="_other",currency="USD",environment="unknown"} 12.345
        """
      ),
      (
        "outlay_purchases", .text004,
        """
        # HELP outlay_purchases Purchases known, by state.
        # TYPE outlay_purchases gauge
        outlay_purchases{state="active",environment="Production"} 3
        """
      ),
      (
        "outlay_active_purchases_by_share", .text004,
        """
        # HELP outlay_active_purchases_by_share Active purchases whose used share of the allowance \
        is at most the label's.
        # TYPE outlay_active_purchases_by_share gauge
        outlay_active_purchases_by_share{at_most="0.25"} 1
        outlay_active_purchases_by_share{at_most="0.5"} 1
        outlay_active_purchases_by_share{at_most="0.75"} 1
        outlay_active_purchases_by_share{at_most="0.9"} 3
        outlay_active_purchases_by_share{at_most="1"} 3
        outlay_active_purchases_by_share{at_most="+Inf"} 3
        """
      ),
      (
        "outlay_cost_at_risk", .openMetrics100,
        """
        # HELP outlay_cost_at_risk Cost of purchases whose money can still go back, in the \
        currency.
        # TYPE outlay_cost_at_risk gauge
        outlay_cost_at_risk{risk="requested",product="_other",currency="EUR",\
        environment="Production"} 2.5
        """
      ),
      (
        "outlay_refund_requests_open", .text004,
        """
        # HELP outlay_refund_requests_open Refund cases that can be answered, by what stands \
        against it; none: nothing.
        # TYPE outlay_refund_requests_open gauge
        outlay_refund_requests_open{gate="advanced_commerce"} 0
        outlay_refund_requests_open{gate="assigned"} 0
        outlay_refund_requests_open{gate="delivery_unknown"} 0
        outlay_refund_requests_open{gate="family_shared"} 0
        outlay_refund_requests_open{gate="none"} 2
        outlay_refund_requests_open{gate="not_consented"} 0
        outlay_refund_requests_open{gate="revoked"} 0
        outlay_refund_requests_open{gate="unknown_purchase"} 0
        """
      ),
      (
        "outlay_refund_requests_missed", .text004,
        """
        # HELP outlay_refund_requests_missed_total Refund cases that were not answered in time, by \
        the reason first given.
        # TYPE outlay_refund_requests_missed_total counter
        outlay_refund_requests_missed_total{reason="FULFILLMENT_ISSUE"} 0
        outlay_refund_requests_missed_total{reason="LEGAL"} 0
        outlay_refund_requests_missed_total{reason="OTHER"} 5
        outlay_refund_requests_missed_total{reason="UNINTENDED_PURCHASE"} 0
        outlay_refund_requests_missed_total{reason="UNSATISFIED_WITH_PURCHASE"} 0
        outlay_refund_requests_missed_total{reason="_other"} 0
        outlay_refund_requests_missed_total{reason="none"} 0
        """
      ),
      (
        "outlay_leak", .text004,
        """
        # HELP outlay_leak Cost of usage after its purchase was taken back, in the currency.
        # TYPE outlay_leak gauge
        outlay_leak{product="_other",currency="EUR",environment="Production"} -1
        outlay_leak{product="_other",currency="USD",environment="Production"} 0
        """
      ),
      (
        "outlay_refund_responses", .text004,
        """
        # HELP outlay_refund_responses_total Answers sent to the App Store, by preference and by \
        whether it took them.
        # TYPE outlay_refund_responses_total counter
        outlay_refund_responses_total{preference="DECLINE",result="accepted"} 6
        outlay_refund_responses_total{preference="GRANT_FULL",result="accepted"} 0
        outlay_refund_responses_total{preference="GRANT_PRORATED",result="accepted"} 0
        outlay_refund_responses_total{preference="_other",result="accepted"} 0
        outlay_refund_responses_total{preference="none",result="accepted"} 0
        outlay_refund_responses_total{preference="unknown",result="failed"} 0
        """
      ),
      (
        "outlay_refund_respond_by_timestamp_seconds", .text004,
        """
        # HELP outlay_refund_respond_by_timestamp_seconds Until when the first open refund case \
        has to be answered, in seconds since 1970.
        # TYPE outlay_refund_respond_by_timestamp_seconds gauge
        outlay_refund_respond_by_timestamp_seconds 1796000000
        """
      ),
      (
        "outlay_last_event_timestamp_seconds", .openMetrics100,
        """
        # HELP outlay_last_event_timestamp_seconds Time of the newest accepted event, in seconds \
        since 1970.
        # TYPE outlay_last_event_timestamp_seconds gauge
        # UNIT outlay_last_event_timestamp_seconds seconds
        outlay_last_event_timestamp_seconds 1796000000.123456
        """
      ),
    ])
  func family(_ name: String, _ format: MetricsFormat, _ expected: String) {
    #expect(lines(of: name, format) == expected)
  }

  @Test("histograms are cumulative, with bounds as each format wants them")
  func histogram() {
    let name = "outlay_commit_duration_seconds"
    let open = lines(of: name, .openMetrics100)
    #expect(open.contains("\(name)_bucket{le=\"0.0001\"} 1\n"))
    #expect(open.contains("\(name)_bucket{le=\"1.0\"} 1\n\(name)_bucket{le=\"2.5\"} 3\n"))
    #expect(
      open.hasSuffix(
        "\(name)_bucket{le=\"+Inf\"} 4\n\(name)_sum 24.0001\n\(name)_count 4"))
    #expect(lines(of: name, .text004).contains("\(name)_bucket{le=\"1\"} 1\n"))
  }

  @Test("no two samples have the same name and labels, and every family says what it is")
  func distinct() {
    let all = lines(.text004)
    let samples = all.filter { !$0.hasPrefix("#") && !$0.isEmpty }
    let series = samples.map { line in line[..<(line.lastIndex(of: " ") ?? line.endIndex)] }
    #expect(Set(series).count == series.count)
    let helps = all.filter { $0.hasPrefix("# HELP ") }
    #expect(helps.count == all.filter { $0.hasPrefix("# TYPE ") }.count)
    #expect(helps.allSatisfy { $0.hasSuffix(".") })
  }

  @Test("every code is there, and the end is where it belongs")
  func wholeText() {
    let codes = lines(.text004).filter { $0.hasPrefix("outlay_events_rejected_total{") }
    let expected = RejectionCode.allCases.map {
      "outlay_events_rejected_total{code=\"\($0.name)\"} \($0 == .tooOld ? 2 : 0)"
    }
    #expect(codes.map(String.init) == expected)
    #expect(lines(.openMetrics100).suffix(2) == ["# EOF", ""])
    #expect(lines(.text004).contains("# EOF") == false)
  }

  @Test(
    "numbers",
    arguments: [
      (0, "0"), (1e15, "1000000000000000"), (0.1, "0.1"), (1e22, "1e+22"), (-2.5, "-2.5"),
      (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"),
    ] as [(Double, String)])
  func numbers(_ value: Double, _ expected: String) {
    #expect(MetricNumber.shortest(value) == expected)
  }
}
