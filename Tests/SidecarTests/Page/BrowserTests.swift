import Foundation
import Metering
import Store
import Testing
import Wire

@testable import Sidecar

/// The page of the built program in a real browser, beside the demonstration's history.
@Suite(.serialized) struct BrowserTests {
  private static func tool(_ variable: String) throws -> String {
    try #require(
      ProcessInfo.processInfo.environment[variable],
      "\(variable) is unset: run Config/setup test, which installs what the tests need")
  }

  /// What look.py saw, by view. Screenshots go to `OUTLAY_SCREENSHOTS` where that is set.
  private static func look(at url: String) throws -> JSONNode {
    let scratch = try CommandSystem.makeScratchFolder(in: "/tmp")
    defer { CommandSystem.removeFolder(scratch) }
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("look.py").path
    let folder = ProcessInfo.processInfo.environment["OUTLAY_SCREENSHOTS"] ?? scratch
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: try tool("OUTLAY_PYTHON"))
    process.arguments = [script, try tool("OUTLAY_CHROMIUM"), url, folder]
    process.standardOutput = output
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return try JSONNode.parse(Array(text), dialect: .strict)
  }

  private static func texts(_ node: JSONNode?) -> [String] {
    (node?.elements ?? []).compactMap { $0.string?.string }
  }

  /// A row of the table whose caption begins so, by its first cell: the exact value of each cell.
  private static func values(_ view: JSONNode, _ caption: String) -> [String: [String]] {
    let table = view["tables"]?.elements?.first {
      $0["caption"]?.string?.string.hasPrefix(caption) == true
    }
    var rows: [String: [String]] = [:]
    for row in table?["rows"]?.elements ?? [] {
      let cells = row.elements ?? []
      rows[cells.first?["text"]?.string?.string ?? ""] = cells.dropFirst().flatMap {
        texts($0["values"])
      }
    }
    return rows
  }

  private static func near(_ text: String?, _ value: Double) -> Bool {
    guard let shown = text.flatMap({ Double($0) }) else { return false }
    return abs(shown - value) <= 1e-9 * max(1, abs(value))
  }

  @Test func looksAsItShould() throws {
    let demo = try DemoProcess()
    defer { demo.finish() }
    let list = try AnswerJSON.parse(try demo.address.get("/v1/transactions?limit=1000").body)
    let known = Double(list["items"]?.elements?.count ?? 0)
    try demo.waitForSurvey { page in
      let losses = page.samples("outlay_realised_loss").reduce(0) { $0 + $1.value }
      return page.samples("outlay_purchases").reduce(0) { $0 + $1.value } == known && losses > 15
    }
    let begin = SystemClock.now()
    let seen = try Self.look(at: demo.listener)
    // The page was made at one of these instants or between them: midnight may have passed.
    let instants = [begin, SystemClock.now()]
    for (name, width) in [("light", 1280), ("dark", 1280), ("narrow", 360)] as [(String, Int64)] {
      let view = try #require(seen[name])
      #expect(view["status"]?.integer == 200)
      #expect(Self.texts(view["console"]) == [], "\(name)")
      #expect(Self.texts(view["requests"]) == [demo.listener], "\(name)")
      // Wide tables scroll by themselves, the page never does.
      #expect(view["width"]?.integer == width, "\(name)")
      #expect(view["styled"]?.string == "left", "the policy let the style through")
      #expect(Self.texts(view["stops"]) == ["A", "DIV", "DIV", "DIV"], "the keyboard gets there")
      let contrast = view["contrast"]
      #expect(Double(contrast?["texts"]?.number?.string ?? "0") ?? 0 >= 4.5, "\(name)")
      #expect(Double(contrast?["drawings"]?.number?.string ?? "0") ?? 0 >= 3, "\(name)")
    }
    func corner(_ name: String) -> [Int64] {
      (seen[name]?["corner"]?.elements ?? []).compactMap(\.integer)
    }
    #expect(corner("light").allSatisfy { $0 > 240 } && corner("light").count == 3)
    #expect(corner("dark").allSatisfy { $0 < 40 } && corner("dark").count == 3)
    let view = try #require(seen["light"])
    try Self.expectFigures(view, demo)
    try Self.expectDays(view, demo, madeAt: instants)
  }

  /// What the page tells is what the metrics and the answers tell.
  private static func expectFigures(_ view: JSONNode, _ demo: DemoProcess) throws {
    let metrics = try MetricsPage(demo.address)
    func sum(_ name: String, _ labels: [String: String] = [:]) -> Double {
      metrics.samples(name).filter { sample in
        labels.allSatisfy { sample.labels[$0.key] == $0.value }
      }.reduce(0) { $0 + $1.value }
    }
    let money = values(view, "Cost and kept proceeds")
    for (row, name, risk) in [
      ("Requested back: cost", "outlay_cost_at_risk", "requested"),
      ("Requested back: proceeds", "outlay_proceeds_at_risk", "requested"),
      ("Refundable: cost", "outlay_cost_at_risk", "refundable"),
      ("Refundable: proceeds", "outlay_proceeds_at_risk", "refundable"),
      ("Realised loss", "outlay_realised_loss", ""), ("Leak", "outlay_leak", ""),
    ] {
      let expected = sum(name, risk.isEmpty ? [:] : ["risk": risk])
      #expect(money[row]?.count == 1 && near(money[row]?.first, expected), "\(row)")
    }
    for (product, figures) in values(view, "Products by") {
      #expect(near(figures.first, sum("outlay_cost", ["product": product])))
      #expect(near(figures[1], sum("outlay_proceeds", ["product": product])))
      #expect(near(figures[2], sum("outlay_cost_at_risk", ["product": product])))
    }
    // A screen reader is told the same.
    let accessible = try #require(view["accessible"]?.string?.string)
    for piece in [
      "heading \"Money at risk\" [level=2]", "rowheader \"Realised loss\"", "cell \"15.87\"",
      "img \"Cost by day and meter, USD\"", "table \"The sidecar itself.\"", "banner:",
      "contentinfo:", "main:", "cell \"not_consented\"",
    ] { #expect(accessible.contains(piece), "\(piece)") }
  }

  /// The days of the fortnight that cost something. Today may not have: the demonstration's history
  /// ends some hours before its start.
  private static func expectDays(
    _ view: JSONNode, _ demo: DemoProcess, madeAt instants: [Instant]
  ) throws {
    let days = values(view, "Cost by day and meter")
    let expected = try instants.map { try costs(until: $0, demo) }
    #expect(expected.contains { Set($0.keys) == Set(days.keys) }, "\(days.keys.sorted())")
    for (day, amount) in expected.flatMap({ $0 }) where days[day] != nil {
      #expect(near(days[day]?.last, amount), "\(day)")
    }
    #expect((13...14).contains(days.count))
  }

  /// What each day of the fortnight that ends at an instant has cost, without levels.
  private static func costs(until end: Instant, _ demo: DemoProcess) throws -> [String: Double] {
    var costs = CostsCommand()
    let first = end.adding(microseconds: -86_400_000_000 * Int64(PageText.days - 1))
    costs.from = String(first.description.prefix(10))
    costs.to = end.description
    costs.groupBy = "meter"
    let answer = try AnswerJSON.parse(try demo.address.get(costs.target).body)
    var expected: [String: Double] = [:]
    for row in answer["items"]?.elements ?? [] where row["meter"]?.string != "storage" {
      let day = String((row["start"]?.string?.string ?? "").prefix(10))
      expected[day, default: 0] += Double(row["amount"]?.string?.string ?? "") ?? .nan
    }
    return expected
  }
}
