import Foundation
import Metering
import Sidecar
import Testing

/// The text is judged by the programs that read it in the field. Config/setup installs them and
/// says where they are.
@Suite("Metrics before real parsers")
struct RealParserTests {
  private func tool(_ variable: String) throws -> String {
    let path = ProcessInfo.processInfo.environment[variable]
    return try #require(
      path, "\(variable) is unset: run Config/setup test, which installs what the tests need")
  }

  /// Runs a program on a text; everything that it says, with its exit status.
  private func run(_ path: String, _ arguments: [String], input: [UInt8]) throws -> (String, Int32)
  {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data(input).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardInput = try FileHandle(forReadingFrom: file)
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (String(decoding: text, as: UTF8.self), process.terminationStatus)
  }

  static let snapshots = [MetricsTextTests.snapshot, MetricsSnapshot(version: "0")]

  @Test("promtool says nothing", arguments: [0, 1])
  func promtool(_ index: Int) throws {
    let text = MetricsText.render(
      Self.snapshots[index], process: ProcessMetrics.current(), format: .text004)
    let (said, status) = try run(try tool("OUTLAY_PROMTOOL"), ["check", "metrics"], input: text)
    #expect(said == "")
    #expect(status == 0)
  }

  @Test("the OpenMetrics parser reads all", arguments: [0, 1])
  func openMetrics(_ index: Int) throws {
    let text = MetricsText.render(
      Self.snapshots[index], process: ProcessMetrics.current(), format: .openMetrics100)
    let samples = String(decoding: text, as: UTF8.self).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }.count
    #expect(try openMetricsSamples(text) == samples)
  }

  /// Samples that the strict parser reads; nil when it refuses the text.
  func openMetricsSamples(_ text: [UInt8]) throws -> Int? {
    let script = """
      import sys
      from prometheus_client.openmetrics.parser import text_string_to_metric_families as families
      text = sys.stdin.buffer.read().decode()
      print(sum(len(family.samples) for family in families(text)))
      """
    let (said, status) = try run(try tool("OUTLAY_PYTHON"), ["-c", script], input: text)
    return status == 0 ? Int(said.dropLast()) : nil
  }
}
