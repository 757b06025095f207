import Foundation
import FoundationNetworking
import Metering
import Testing

@testable import Sidecar

/// A real Prometheus in a scratch folder of its own, which scrapes one listener twice a second and
/// evaluates the rules of Config.
final class PrometheusServer {
  struct Trouble: Error, CustomStringConvertible {
    var description: String
  }

  private let process = Process()
  private let folder: String
  private let base: String

  /// Starts it. `target` is a listener, such as `127.0.0.1:9469`.
  init(scraping target: String) throws {
    let program = try #require(
      ProcessInfo.processInfo.environment["OUTLAY_PROMETHEUS"],
      "OUTLAY_PROMETHEUS is unset: run Config/setup test, which installs what the tests need")
    folder = try CommandSystem.makeScratchFolder(in: "/tmp")
    let port = try #require(CommandSystem.freePort(preferring: 0))
    base = "http://127.0.0.1:\(port)"
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../..").standardized.path
    try CommandSystem.writeFile(
      "\(folder)/prometheus.yml",
      """
      global: { scrape_interval: 500ms, scrape_timeout: 500ms, evaluation_interval: 1s }
      rule_files: ["\(root)/Config/prometheus.rules.yml"]
      scrape_configs:
        - job_name: outlay
          static_configs: [{ targets: ["\(target)"] }]
      """)
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = [
      "--config.file=\(folder)/prometheus.yml", "--storage.tsdb.path=\(folder)/data",
      "--web.listen-address=127.0.0.1:\(port)", "--log.level=error",
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    try wait(for: "readiness") { (try? get("/-/ready")) != nil }
  }

  /// Ends it and removes what it made.
  func finish() {
    CommandSystem.signal(process.processIdentifier, SIGTERM)
    process.waitUntilExit()
    CommandSystem.removeFolder(folder)
  }

  /// An answer's body. Throws for any status but success.
  func get(_ path: String) throws -> Data {
    guard let url = URL(string: base + path) else { throw Trouble(description: path) }
    return try Data(contentsOf: url)
  }

  /// The values of an instant query, each with its labels. Throws when Prometheus refuses it.
  func query(_ expression: String) throws -> [(labels: JSONNode?, value: String)] {
    let characters = CharacterSet.alphanumerics
    let encoded = expression.addingPercentEncoding(withAllowedCharacters: characters) ?? ""
    let body = try JSONNode.parse(
      Array(try get("/api/v1/query?query=\(encoded)")), dialect: .strict)
    guard body["status"]?.string == "success", let data = body["data"] else {
      throw Trouble(description: expression)
    }
    if data["resultType"]?.string != "vector" { return [(nil, "\(data)")] }
    return (data["result"]?.elements ?? []).map {
      ($0["metric"], $0["value"]?.elements?.last?.string?.string ?? "")
    }
  }

  /// Waits until a query has a result.
  func wait(until expression: String) throws {
    try wait(for: expression) { try !query(expression).isEmpty }
  }

  private func wait(for what: String, _ isThere: () throws -> Bool) throws {
    for _ in 0..<12_000 {
      if try isThere() { return }
      CommandSystem.sleep(milliseconds: 50)
    }
    throw Trouble(description: "no \(what) within ten minutes")
  }
}
