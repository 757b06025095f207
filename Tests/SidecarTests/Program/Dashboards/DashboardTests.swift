import Foundation
import Metering
import Testing

/// The dashboards ask only for what the program offers, and follow the rules of good ones.
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

  /// What the program offers beyond it.
  private static let offered: Set<String> = [
    "outlay_store_ready", "outlay_store_free_bytes", "outlay_store_damage_total",
    "outlay_log_lines_lost_total", "outlay_connections", "outlay_connections_ended_total",
    "outlay_refund_cases_miscounted_total",
  ]

  struct Board: CustomTestStringConvertible {
    var name: String
    var json: JSONNode
    var testDescription: String { name }

    var panels: [JSONNode] {
      (json["panels"]?.elements ?? []).filter { $0["type"]?.string?.string != "row" }
    }

    func expressions(of panel: JSONNode) -> [String] {
      (panel["targets"]?.elements ?? []).compactMap { $0["expr"]?.string?.string }
    }

    var expressions: [String] { panels.flatMap(expressions(of:)) }
  }

  static let boards: [Board] = ["money", "refunds", "meters", "sidecar"].compactMap { name in
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    guard let data = try? Data(contentsOf: root.appendingPathComponent("grafana/\(name).json")),
      let json = try? JSONNode.parse(Array(data), dialect: .strict)
    else { return nil }
    return Board(name: name, json: json)
  }

  @Test func allAreThere() {
    #expect(Self.boards.count == 4)
    let identifiers = Self.boards.compactMap { $0.json["uid"]?.string?.string }
    #expect(Set(identifiers).count == 4)
  }

  @Test(arguments: boards) func everyMetricIsPromised(_ board: Board) {
    let names = board.expressions.flatMap { expression in
      expression.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
    }.filter { $0.hasPrefix("outlay_") }
    #expect(Set(names).subtracting(Self.promised).subtracting(Self.offered) == [])
    #expect(names.count > 5)
  }

  @Test func everyPromisedMetricIsShown() {
    let shown = Self.boards.flatMap(\.expressions).joined(separator: " ")
    #expect(Self.promised.union(Self.offered).filter { !shown.contains($0) } == [])
  }

  @Test(arguments: boards) func everyPanelExplainsItself(_ board: Board) {
    let bare = board.panels.filter { panel in
      let unit = panel["fieldConfig"]?["defaults"]?["unit"]?.string
      return panel["description"]?.string?.isEmpty != false || unit?.isEmpty != false
        || panel["title"]?.string?.isEmpty != false
        || panel["datasource"]?["uid"]?.string != "${datasource}"
    }
    #expect(bare.compactMap { $0["title"]?.string?.string } == [])
  }

  @Test(arguments: boards) func everyQueryFollowsTheVariables(_ board: Board) {
    let wrong = board.expressions.filter { expression in
      !expression.contains("job=~\"$job\",instance=~\"$instance\"")
        || (expression.contains("rate(") || expression.contains("increase("))
          && !expression.contains("[$__rate_interval]")
    }
    #expect(wrong == [])
  }

  /// A counter alone only tells when the process began to count.
  @Test(arguments: boards) func countersAreSeenAsRates(_ board: Board) {
    let wrong = board.expressions.filter { expression in
      expression.contains("_total{") && !expression.contains("rate(")
        && !expression.contains("increase(")
    }
    #expect(wrong == [])
  }

  @Test(arguments: boards) func panelsTileTheGrid(_ board: Board) {
    var taken: Set<[Int64]> = []
    for panel in board.json["panels"]?.elements ?? [] {
      guard let place = panel["gridPos"], let x = place["x"]?.integer, let y = place["y"]?.integer,
        let width = place["w"]?.integer, let height = place["h"]?.integer
      else {
        Issue.record("a panel has no place")
        continue
      }
      #expect(x >= 0 && width > 0 && x + width <= 24 && height > 0)
      for column in x..<x + width {
        for row in y..<y + height { #expect(taken.insert([column, row]).inserted) }
      }
    }
    let numbers = (board.json["panels"]?.elements ?? []).compactMap { $0["id"]?.integer }
    #expect(Set(numbers).count == numbers.count)
  }

  @Test(arguments: boards) func variablesAreTemplated(_ board: Board) {
    let variables = board.json["templating"]?["list"]?.elements ?? []
    #expect(
      variables.compactMap { $0["name"]?.string?.string } == ["datasource", "job", "instance"])
    #expect(variables.first?["label"]?.string == "Data source")
    let links = (board.json["links"]?.elements ?? []).compactMap { $0["url"]?.string?.string }
    let others = Self.boards.filter { $0.name != board.name }.compactMap {
      $0.json["uid"]?.string?.string
    }
    #expect(Set(links) == Set(others.map { "/d/\($0)" }))
  }
}
