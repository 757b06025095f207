import Foundation
import Metering
import Testing

@testable import Sidecar

/// The dashboards before Grafana's own schema, its list of units and a parser of PromQL.
struct DashboardJudgeTests {
  private static let place = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  private static let boards = place.appendingPathComponent("../../../../grafana").standardized
    .path

  /// The faults of each file, by its name.
  private static func judge(_ files: [String]) throws -> [String: [String]] {
    let python = try #require(
      ProcessInfo.processInfo.environment["OUTLAY_PYTHON"],
      "OUTLAY_PYTHON is unset: run Config/setup test, which installs what the tests need")
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = [place.appendingPathComponent("judge.py").path] + files
    process.standardOutput = output
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let answer = try JSONNode.parse(Array(text), dialect: .strict)
    return Dictionary(
      uniqueKeysWithValues: files.map { file in
        (file, (answer[file]?.elements ?? []).compactMap { $0.string?.string })
      })
  }

  @Test func allAreGood() throws {
    let names = ["money", "refunds", "meters", "sidecar"]
    let faults = try Self.judge(names.map { "\(Self.boards)/\($0).json" })
    #expect(faults.count == 4)
    #expect(faults.values.flatMap(\.self) == [])
  }

  /// Each rule finds what it is for.
  @Test(
    arguments: [
      (#""schemaVersion": 38"#, #""schemaVersion": "new""#, "schemaVersion"),
      (#""graphTooltip": 1"#, #""graphTooltip": 9"#, "graphTooltip"),
      (#"sum by (currency) (outlay_cost{"#, #"sum by (currency) (outlay_cost{{"#, "outlay_cost"),
      (
        #"(outlay_proceeds{job=~\"$job\",instance"#, #"(outlay_proceeds{job=~\"x\",instance"#,
        "outlay_proceeds has no job"
      ),
      (
        #"rate(outlay_cost_booked_total{"#, #"rate(rate(outlay_cost_booked_total{"#,
        "outlay_cost_booked_total"
      ),
      (#""unit": "short""#, #""unit": "money""#, "no unit money"),
    ])
  func faultsAreFound(good: String, bad: String, told: String) throws {
    let folder = try CommandSystem.makeScratchFolder(in: "/tmp")
    defer { CommandSystem.removeFolder(folder) }
    let text = try String(contentsOfFile: "\(Self.boards)/money.json", encoding: .utf8)
    #expect(text.contains(good))
    let file = "\(folder)/money.json"
    try CommandSystem.writeFile(file, text.replacingOccurrences(of: good, with: bad))
    let faults = try Self.judge([file])[file] ?? []
    #expect(faults.contains { $0.contains(told) }, "\(faults)")
  }
}
