import Foundation
import Metering
import Testing
import Wire

@testable import Sidecar

/// The built program as `outlay respond`, with what it says.
final class ResponderProcess: @unchecked Sendable {
  // Unchecked: `lines` is guarded by `said`; the rest never changes after `init`.
  private let process = Process()
  private let said = NSCondition()
  private var lines: [String] = []
  private var isClosed = false
  private let reader = DispatchQueue(label: "responder output")

  init(configuration path: String) throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: try Binary.path())
    process.arguments = ["respond", "--config", path]
    process.environment = ChildEnvironment.with([
      "PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no",
    ])
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let file = output.fileHandleForReading
    reader.async { [self] in
      var rest = ""
      while true {
        // What is there: reading a number of bytes would wait for all of them.
        let data = file.availableData
        if data.isEmpty { break }
        rest += String(decoding: data, as: UTF8.self)
        let parts = rest.split(separator: "\n", omittingEmptySubsequences: false)
        rest = String(parts.last ?? "")
        said.withLock {
          lines += parts.dropLast().map(String.init)
          said.broadcast()
        }
      }
      said.withLock {
        isClosed = true
        said.broadcast()
      }
    }
  }

  var isRunning: Bool { process.isRunning }

  /// Everything said so far.
  var text: String { said.withLock { lines.joined(separator: "\n") } }

  /// Waits for a line that contains this; nil when it never came.
  @discardableResult
  func line(with part: String, count: Int = 1) -> String? {
    let patience = Patience()
    return said.withLock {
      while true {
        let found = lines.filter { $0.contains(part) }
        if found.count >= count { return found.last }
        if isClosed || patience.isOver { return nil }
        _ = said.wait(until: Date(timeIntervalSinceNow: 1))
      }
    }
  }

  /// The intake's URL and the metrics' address, once it listens.
  func addresses() throws -> (intake: String, metrics: String) {
    let told = line(with: "notifications on http://")
    let words = try #require(told, "\(text)").split(separator: " ").map(String.init)
    let urls = words.filter { $0.hasPrefix("http://") }
    try #require(urls.count == 2)
    return (
      String(urls[0].dropLast()),
      String(urls[1].dropFirst("http://".count).dropLast("/metrics".count))
    )
  }

  /// The value of a sample of its metrics; nil when there is none.
  func metric(_ sample: String) throws -> Double? {
    let client = try UnixHTTPClient(tcp: try addresses().metrics)
    let page = try client.send(ClientRequest("GET", "/metrics"))
    for line in String(decoding: page.body, as: UTF8.self).split(separator: "\n")
    where line.hasPrefix(sample + " ") {
      return Double(line.dropFirst(sample.count + 1))
    }
    return nil
  }

  /// Waits until it has counted attempts with a result and a class; how many it has then.
  func attempts(_ result: String, _ httpClass: String) throws -> Double? {
    let sample = #"outlay_responder_attempts_total{result="\#(result)",class="\#(httpClass)"}"#
    _ = try Patience.waits(pause: 50) { try metric(sample) != nil }
    return try metric(sample)
  }

  /// Sends it a signal.
  func signal(_ number: Int32) { CommandSystem.signal(process.processIdentifier, number) }

  func kill() {
    CommandSystem.signal(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Asks it to end; its exit status.
  @discardableResult
  func stop() -> Int32 {
    if process.isRunning { CommandSystem.signal(process.processIdentifier, SIGTERM) }
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Ends it if it runs; it may never have told a secret.
  func finish() {
    if isRunning { stop() }
    for secret in ["Bearer", "eyJ", "PRIVATE KEY"] { #expect(!text.contains(secret)) }
  }

  /// Waits until it ends by itself; its exit status.
  func end() -> Int32 {
    process.waitUntilExit()
    // Nothing more is said once its output is closed.
    said.withLock { while !isClosed { said.wait() } }
    return process.terminationStatus
  }
}
