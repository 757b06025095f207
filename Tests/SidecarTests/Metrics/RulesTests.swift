import Foundation
import Testing

/// The alerts and recorded sums, by Prometheus' own tool.
struct RulesTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Rules")

  private static func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
    let promtool = try #require(
      ProcessInfo.processInfo.environment["OUTLAY_PROMTOOL"],
      "OUTLAY_PROMTOOL is unset: run Config/setup test, which installs what the tests need")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: promtool)
    process.arguments = arguments
    process.currentDirectoryURL = folder
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  @Test func theyAreWellFormed() throws {
    let found = try Self.run(["check", "rules", "../../../../Config/prometheus.rules.yml"])
    #expect(found.status == 0, "\(found.output)")
  }

  @Test func theyFireWhenTheyShould() throws {
    let found = try Self.run(["test", "rules", "prometheus.rules.test.yml"])
    #expect(found.status == 0, "\(found.output)")
  }
}
