import Foundation
import Metering
import Testing
import Wire

@testable import Sidecar

/// Dashboards and rules in a real Prometheus, which scrapes the built program and its
/// demonstration under load.
@Suite(.serialized) struct RealPrometheusTests {
  /// What the demonstration's history lacks: usage without a price, a void, a refusal, a reading
  /// without a purchase, usage after a refund, and a level that holds.
  private static let oddities = [
    #"{"id":"new","transactionId":"2000000900000001","meter":"llm_tokens","quantity":7,"#
      + #""attributes":{"model":"new","direction":"output"}}"#,
    #"{"id":"back","voids":{"source":"chat","id":"chat-1"}}"#,
    #"{"id":"typo","transactionId":"2000000900000001","meter":"token","quantity":7}"#,
    #"{"id":"early","customer":"nobody","meter":"credits","quantity":7}"#,
    #"{"id":"late","transactionId":"2000000900000003","meter":"gpu_time","quantity":60,"#
      + #""attributes":{"gpu":"h100"}}"#,
    #"{"id":"disk","transactionId":"2000000900000001","meter":"storage","quantity":5000}"#,
  ]

  /// Sends what the history lacks, and a load behind it.
  private static func startLoad(_ demo: DemoProcess, folder: String) throws -> Process {
    let lines = (0..<60_000).map {
      #"{"id":"\#($0)","source":"load","transactionId":"2000000900000001","#
        + #""meter":"credits","quantity":0.001}"#
    }
    let file = "\(folder)/load.ndjson"
    try CommandSystem.writeFile(file, (oddities + lines).joined(separator: "\n") + "\n")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try Binary.path())
    process.arguments = ["send", file, "--socket", demo.address.path]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  /// Rates are taken over all that was scraped, however long a busy machine took for it.
  private static func filled(_ expression: String) -> String {
    expression.replacing("$__rate_interval", with: "1h").replacing("$job", with: "outlay")
      .replacing("$instance", with: ".*")
  }

  @Test func everyPanelAndRuleHasData() throws {
    let demo = try DemoProcess()
    defer { demo.finish() }
    let folder = try CommandSystem.makeScratchFolder(in: "/tmp")
    defer { CommandSystem.removeFolder(folder) }
    let prometheus = try PrometheusServer(scraping: demo.host)
    defer { prometheus.finish() }
    try prometheus.wait(until: "outlay_events_total > 0")
    let load = try Self.startLoad(demo, folder: folder)
    load.waitUntilExit()
    // One was refused, which is what exit code 1 tells.
    #expect(load.terminationStatus == 1)
    try prometheus.wait(until: #"outlay_events_total{verdict="accepted"} > 60000"#)
    for told in ["outlay_unpriced_usage > 0", "outlay_leak > 0", "outlay_level > 0"] {
      try prometheus.wait(until: told)
    }
    // A scrape that a busy machine has let wait too long counts as none; the next one is there.
    try prometheus.wait(until: "up == 1")
    try prometheus.wait(until: #"rate(outlay_events_total{verdict="accepted"}[1h]) > 0"#)
    var empty: Set<String> = []
    for board in DashboardTests.boards {
      for expression in board.expressions
      where try prometheus.query(Self.filled(expression)).isEmpty {
        empty.insert("\(board.name): \(expression)")
      }
    }
    #expect(empty == [])
    try Self.expectRules(prometheus)
    try Self.expectStrictText(demo, prometheus)
  }

  /// Every rule is evaluated without fault, records something, or looks at series that exist.
  private static func expectRules(_ prometheus: PrometheusServer) throws {
    let answer = try JSONNode.parse(Array(try prometheus.get("/api/v1/rules")), dialect: .strict)
    let rules = (answer["data"]?["groups"]?.elements ?? []).flatMap { $0["rules"]?.elements ?? [] }
    #expect(rules.count > 12)
    for rule in rules {
      let name = rule["name"]?.string?.string ?? ""
      #expect(rule["health"]?.string == "ok", "\(name) \(rule["lastError"]?.string?.string ?? "")")
      if rule["type"]?.string == "recording" {
        // What is recorded comes with the rule's next turn after the scrape.
        try prometheus.wait(until: name)
        continue
      }
      let expression = rule["query"]?.string?.string ?? ""
      for match in expression.matches(of: /(outlay|process)_[a-z_]+/) {
        #expect(try !prometheus.query(String(match.output.0)).isEmpty, "\(name)")
      }
    }
  }

  /// The strict parser reads what is served, no series comes twice, and Prometheus dropped nothing.
  private static func expectStrictText(
    _ demo: DemoProcess, _ prometheus: PrometheusServer
  ) throws {
    let accept = "application/openmetrics-text; version=1.0.0"
    let text = String(
      decoding: try demo.address.get("/metrics", accept: accept).body, as: UTF8.self)
    let series = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      line[..<(line.lastIndex(of: " ") ?? line.endIndex)]
    }
    #expect(series.count > 100)
    #expect(Set(series).count == series.count)
    #expect(try RealParserTests().openMetricsSamples(Array(text.utf8)) == series.count)
    let own = String(decoding: try prometheus.get("/metrics"), as: UTF8.self)
    for name in ["duplicate_timestamp", "out_of_order", "out_of_bounds"] {
      #expect(own.contains("prometheus_target_scrapes_sample_\(name)_total 0\n"))
    }
  }

  @Test func countersGoOnWhateverHappens() throws {
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    let prometheus = try PrometheusServer(scraping: server.metricsAddress)
    defer { prometheus.finish() }
    var sent = 0
    func send(_ count: Int) throws {
      let lines = (sent..<sent + count).map {
        #"{"id":"\#($0)","transactionId":"7","meter":"credits","quantity":1.5}"#
      }
      let file = "\(server.folder)/events.ndjson"
      try CommandSystem.writeFile(file, lines.joined(separator: "\n") + "\n")
      #expect(try Binary.run(["send", file, "--socket", server.socketPath]).code == 0)
      sent += count
      try prometheus.wait(until: #"outlay_events_total{verdict="accepted"} == \#(sent)"#)
      try prometheus.wait(until: "sum(outlay_usage_total) == \(Double(sent) * 1.5)")
      let cost = "abs(sum(outlay_cost_booked_total) - \(Double(sent) * 0.015)) < 1e-9"
      try prometheus.wait(until: cost)
    }
    try send(100)
    server.killNow()
    try server.start()
    try send(50)
    #expect(server.stop())
    try server.start()
    try send(50)
    try reload(server, prometheus)
    try send(50)
    // A reset is what makes rate() count everything again.
    let names = try prometheus.query(#"group by (__name__) ({__name__=~"outlay_.+_total"})"#)
      .compactMap { $0.labels?["__name__"]?.string?.string }
    #expect(names.count > 5 && names.contains("outlay_cost_booked_total"))
    #expect(try names.filter { try !prometheus.query("resets(\($0)[10m]) > 0").isEmpty } == [])
    // It did see that there were three processes.
    #expect(
      try prometheus.query("changes(process_start_time_seconds[10m])").map(\.value) == ["2"])
  }

  /// A reload that is taken and one that is refused, as Prometheus sees them.
  private func reload(_ server: ServerChild, _ prometheus: PrometheusServer) throws {
    let text = try String(contentsOfFile: server.configurationPath, encoding: .utf8)
    try CommandSystem.writeFile(server.configurationPath, text + "nonsense")
    CommandSystem.signal(server.processIdentifier, SIGHUP)
    try prometheus.wait(until: "outlay_config_reload_success == 0")
    let other = text.replacing("com.example.credits.5000", with: "com.example.other")
    try CommandSystem.writeFile(server.configurationPath, other)
    CommandSystem.signal(server.processIdentifier, SIGHUP)
    try prometheus.wait(until: "outlay_config_reload_success == 1")
  }
}
