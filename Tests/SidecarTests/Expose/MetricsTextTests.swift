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
    snapshot.levels = [
      MetricsSnapshot.MeterLabels(meter: "storage", unit: "By"): 5 * Quantity.scale
    ]
    let money = MetricsSnapshot.MoneyLabels(
      meter: "tokens", product: "_other", currency: "USD", environment: "unknown")
    snapshot.costBooked = [money: Fraction(1) / Fraction(3)]
    snapshot.cost = [money: Fraction(12_345, scale: 3)]
    snapshot.proceeds = [
      MetricsSnapshot.MoneyLabels(product: "p", currency: "EUR", environment: "Production"):
        Fraction(-1)
    ]
    snapshot.purchases = [
      MetricsSnapshot.PurchaseLabels(state: .active, environment: "Production"): 3
    ]
    snapshot.activePurchasesByShare = [1, 1, 2, 2, 3, 3]
    snapshot.commitDuration.observe(nanoseconds: 100_000)
    snapshot.commitDuration.observe(nanoseconds: 2_000_000_000, times: 2)
    snapshot.commitDuration.observe(nanoseconds: 20_000_000_000)
    snapshot.lastEvent = Instant(microseconds: 1_796_000_000_123_456)
    return snapshot
  }

  private func lines(_ format: MetricsFormat) -> [Substring] {
    let text = String(
      decoding: MetricsText.render(Self.snapshot, process: nil, format: format), as: UTF8.self)
    return text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  private func lines(of family: String, _ format: MetricsFormat) -> String {
    lines(format).filter { line in
      let name = line.hasPrefix("# ") ? line.split(separator: " ").dropFirst(2).first ?? "" : line
      return name.hasPrefix(family)
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
        "outlay_cost", .text004,
        """
        # HELP outlay_cost_booked_total Cost booked, at the rate of its booking.
        # TYPE outlay_cost_booked_total counter
        outlay_cost_booked_total{meter="tokens",product="_other",currency="USD",\
        environment="unknown"} 0.3333333333333333
        # HELP outlay_cost Cost as the books stand.
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
        "outlay_last_event_timestamp_seconds", .openMetrics100,
        """
        # HELP outlay_last_event_timestamp_seconds Time of the newest accepted event.
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
