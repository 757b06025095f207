import Foundation
import Metering
import Testing

/// Runs of the built program on a terminal of its own.
enum TerminalRun {
  /// Runs it with these arguments to its end. With `text`, `key` is pressed once the text is drawn.
  static func run(
    _ arguments: [String], columns: Int = 80, text: String = "\u{1}", key: String = "",
    _ settings: [String: String] = [:]
  ) throws -> JSONNode {
    let python = try #require(
      ProcessInfo.processInfo.environment["OUTLAY_PYTHON"],
      "OUTLAY_PYTHON is unset: run Config/setup test, which installs what the tests need")
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("terminal.py").path
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = [script, String(columns), "40", text, key, try Binary.path()] + arguments
    process.environment = ChildEnvironment.with(
      ["PATH": "/usr/bin:/bin", "TERM": "xterm"].merging(settings) { $1 })
    process.standardOutput = output
    try process.run()
    let answer = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return try JSONNode.parse(Array(answer), dialect: .strict)
  }
}
