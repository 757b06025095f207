import Foundation

@testable import Sidecar

/// `outlay demo` of the built program, which stays with its server and its history.
final class DemoProcess {
  struct Ended: Error {}

  /// Held while a demonstration looks for the usual port: two at once would both find it free.
  static let starting = NSLock()

  /// The server's socket.
  let address: ServerAddress
  /// The metrics listener, with a slash at its end.
  let listener: String
  /// The same as Prometheus has it: address and port.
  var host: String { String(listener.dropFirst("http://".count).dropLast()) }
  private let process = Process()
  private let folder: String

  /// Starts it and waits until its history is told.
  init() throws {
    Self.starting.lock()
    defer { Self.starting.unlock() }
    folder = try CommandSystem.makeScratchFolder(in: "/tmp")
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: try Binary.path())
    process.arguments = ["demo"]
    process.environment = ChildEnvironment.with([
      "PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no", "TMPDIR": folder,
    ])
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    var told = ""
    while !told.contains("Ctrl-C ends it") {
      let piece = output.fileHandleForReading.availableData
      guard !piece.isEmpty else { throw Ended() }
      told += String(decoding: piece, as: UTF8.self)
    }
    func value(_ name: String) -> String {
      let line = told.split(separator: "\n").last { $0.hasPrefix("\(name) ") }
      return line.map { String($0.drop { $0 != " " }.drop { $0 == " " }) } ?? ""
    }
    address = ServerAddress(given: value("socket"), environment: [:])
    listener = String(value("metrics").dropLast("metrics".count))
  }

  /// Waits until the rollup has told of everything, which `isTold` finds in the metrics.
  func waitForSurvey(_ isTold: (MetricsPage) -> Bool) throws {
    let isSurveyed = try Patience.waits(pause: 20) { isTold(try MetricsPage(address)) }
    if !isSurveyed { throw Ended() }
  }

  /// Ends it by a signal. Returns what is left in the folder for its scratch files.
  func end(by number: Int32) throws -> [String] {
    CommandSystem.signal(process.processIdentifier, number)
    process.waitUntilExit()
    return try FileManager.default.contentsOfDirectory(atPath: folder)
  }

  /// Ends it with its server and removes what it made.
  func finish() {
    CommandSystem.signal(process.processIdentifier, SIGTERM)
    process.waitUntilExit()
    CommandSystem.removeFolder(folder)
  }
}
