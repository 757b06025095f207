import Foundation
import Metering
import Testing

/// The dashboard asks only for what the contract promises.
struct DashboardTests {
  /// The contract's list, and what a histogram of it is made of.
  private static let promised: Set<String> = [
    "outlay_events_total", "outlay_events_rejected_total", "outlay_usage_total",
    "outlay_voided_usage_total", "outlay_level", "outlay_cost_booked_total", "outlay_cost",
    "outlay_unpriced_usage", "outlay_proceeds", "outlay_purchases", "outlay_cost_at_risk",
    "outlay_proceeds_at_risk", "outlay_realised_loss", "outlay_leak",
    "outlay_active_purchases_by_share", "outlay_refund_requests_total",
    "outlay_refund_requests_missed_total", "outlay_refund_requests_open",
    "outlay_refund_respond_by_timestamp_seconds", "outlay_refund_responses_total",
    "outlay_refund_outcomes_total", "outlay_commit_duration_seconds_bucket",
    "outlay_ack_duration_seconds_bucket", "outlay_store_bytes", "outlay_ingest_queue_bytes",
    "outlay_quarantined_events", "outlay_unattributed_readings", "outlay_unconverted_purchases",
    "outlay_last_event_timestamp_seconds", "outlay_last_notification_timestamp_seconds",
    "outlay_config_reload_success", "outlay_build_info",
  ]

  private let dashboard: JSONNode

  init() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let data = try Data(contentsOf: root.appendingPathComponent("grafana/outlay.json"))
    dashboard = try JSONNode.parse(Array(data), dialect: .strict)
  }

  private var panels: [JSONNode] {
    (dashboard["panels"]?.elements ?? []).filter { $0["type"]?.string?.string != "row" }
  }

  private func expressions(of panel: JSONNode) -> [String] {
    (panel["targets"]?.elements ?? []).compactMap { $0["expr"]?.string?.string }
  }

  @Test func everyMetricIsPromised() {
    let names = panels.flatMap(expressions).flatMap { expression in
      expression.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
    }.filter { $0.hasPrefix("outlay_") }
    #expect(Set(names).subtracting(Self.promised) == [])
    #expect(names.count > 10)
  }

  @Test func everyPanelExplainsItself() {
    let bare = panels.filter { panel in
      let unit = panel["fieldConfig"]?["defaults"]?["unit"]?.string
      return panel["description"]?.string?.isEmpty != false || unit?.isEmpty != false
        || panel["datasource"]?["uid"]?.string != "${datasource}"
    }
    #expect(bare.compactMap { $0["title"]?.string?.string } == [])
  }

  @Test func everyQueryFollowsTheVariables() {
    let wrong = panels.flatMap(expressions).filter { expression in
      !expression.contains("job=~\"$job\",instance=~\"$instance\"")
        || expression.contains("rate(") && !expression.contains("[$__rate_interval]")
    }
    #expect(wrong == [])
  }
}
