import Foundation
import Wire

/// A server that a subcommand runs for itself, out of the same executable, in a scratch folder.
final class ServerChild {
  let folder: String
  let socketPath: String
  let metricsAddress: String
  private let keepsFolder: Bool
  private let executable: String
  private var process = Process()

  /// Writes a configuration around `body` (JSON5 members) into a new folder below `parent`.
  /// Throws when the folder can't be made.
  init(
    parent: String, body: String, preferredPort: UInt16, keepsFolder: Bool = false,
    executable: String = "/proc/self/exe"
  ) throws(CommandFailure) {
    folder = try CommandSystem.makeScratchFolder(in: parent)
    socketPath = "\(folder)/outlay.sock"
    guard let port = CommandSystem.freePort(preferring: preferredPort) else {
      throw CommandFailure("no free TCP port for metrics")
    }
    metricsAddress = "127.0.0.1:\(port)"
    self.keepsFolder = keepsFolder
    self.executable = executable
    let text = """
      {
        socket: { path: "\(socketPath)", mode: "0600" },
        metrics: { listen: "\(metricsAddress)" },
        store: { directory: "\(folder)/store" },
      \(body)
      }

      """
    try CommandSystem.writeFile(configurationPath, text)
  }

  var configurationPath: String { "\(folder)/outlay.json5" }
  var storePath: String { "\(folder)/store" }
  var address: ServerAddress { ServerAddress(given: socketPath, environment: [:]) }
  var processIdentifier: Int32 { process.processIdentifier }
  var isRunning: Bool { process.isRunning }

  /// Starts it and waits until it takes writes.
  func start() throws(CommandFailure) {
    process = Process()
    process.executableURL = URL(fileURLWithPath: executable).resolvingSymlinksInPath()
    process.arguments = ["serve", "--config", configurationPath]
    var environment = ProcessInfo.processInfo.environment
    // What stands in the scratch configuration must hold, whatever the caller's own server uses.
    for name in environment.keys where name.hasPrefix("OUTLAY_") { environment[name] = nil }
    for name in ["RUNTIME_DIRECTORY", "STATE_DIRECTORY", "LISTEN_FDS", "NOTIFY_SOCKET"] {
      environment[name] = nil
    }
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.standardError
    do {
      try process.run()
    } catch {
      throw CommandFailure("can't start the server: \(error.localizedDescription)")
    }
    try waitUntilReady()
  }

  private func waitUntilReady() throws(CommandFailure) {
    let end =
      CommandSystem.monotonicNanoseconds() + UInt64(CommandLimits.readyMilliseconds)
      * 1_000_000
    while CommandSystem.monotonicNanoseconds() < end {
      guard process.isRunning else {
        throw CommandFailure("the server ended with exit code \(process.terminationStatus)")
      }
      if let client = try? UnixHTTPClient(path: socketPath),
        let answer = try? client.send(ClientRequest("GET", "/readyz")), answer.status == 200
      {
        return
      }
      CommandSystem.sleep(milliseconds: 5)
    }
    throw CommandFailure("the server isn't ready after \(CommandLimits.readyMilliseconds) ms")
  }

  /// Ends it without warning, as a crash would.
  func killNow() {
    guard process.isRunning else { return }
    CommandSystem.signal(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Asks it to end, waits, and removes the folder. True if it ended by itself with exit code 0.
  @discardableResult
  func finish() -> Bool {
    let endedWell = stop()
    if !keepsFolder { try? FileManager.default.removeItem(atPath: folder) }
    return endedWell
  }

  /// Asks it to end and waits. True if it ended by itself with exit code 0.
  func stop() -> Bool {
    guard process.isRunning else { return false }
    CommandSystem.signal(process.processIdentifier, SIGTERM)
    for _ in 0..<(CommandLimits.endMilliseconds / 10) where process.isRunning {
      CommandSystem.sleep(milliseconds: 10)
    }
    if process.isRunning { CommandSystem.signal(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    return process.terminationReason == .exit && process.terminationStatus == 0
  }

  /// The largest memory the server has ever held, bytes; nil when the kernel doesn't say.
  func peakMemory() -> Int64? {
    let path = "/proc/\(process.processIdentifier)/status"
    guard let status = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    let number = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
    return number.flatMap { Int64($0) }.map { $0 * 1024 }
  }

  /// Processor time that the server's threads have taken so far, nanoseconds, by thread; those
  /// without a name of their own together as `background`.
  func processorTimes() -> [String: Int64] {
    let tasks = "/proc/\(process.processIdentifier)/task"
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
    var times: [String: Int64] = [:]
    for number in numbers {
      let folder = "\(tasks)/\(number)"
      guard let name = try? String(contentsOfFile: folder + "/comm", encoding: .utf8),
        let stat = try? String(contentsOfFile: folder + "/schedstat", encoding: .utf8),
        let time = stat.split(separator: " ").first.flatMap({ Int64($0) })
      else { continue }
      let thread = name.trimmingCharacters(in: .whitespacesAndNewlines)
      times[["writer", "loop"].contains(thread) ? thread : "background", default: 0] += time
    }
    return times
  }
}
