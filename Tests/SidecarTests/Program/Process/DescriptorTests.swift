import Foundation
import Glibc
import Metering
import Testing
import Wire

@testable import Sidecar

/// Whatever the program's caller did to its standard descriptors, it goes on, and its files hold
/// only what belongs there.
@Suite(.serialized) struct DescriptorTests {
  private static let faulty = "{ meters: "
  private static let reloadSuccess = "outlay_config_reload_success"
  private static let lost = "outlay_log_lines_lost_total"
  private static let event = #"{"id":"1","transactionId":"7","meter":"credits","quantity":3}"#

  private static func send(_ server: ServerChild) throws -> Int {
    let client = try server.address.connect()
    let answer = try client.send(
      ClientRequest(
        "POST", "/v1/events", headers: [("Content-Type", "application/json")],
        body: Array(event.utf8)))
    return answer.status
  }

  private static func used(_ server: ServerChild) throws -> String? {
    let answer = try ShowCommand.consumption(of: "7", address: server.address)
    return try AnswerJSON.parse(answer)["usage"]?.elements?.first?["used"]?.text
  }

  @Test(arguments: [">&- 2>&-", "<&- >&- 2>&-", "2>&-", "<&-"])
  func closedOnesAreNoFilesOfTheStore(_ redirection: String) throws {
    let redirected = try Redirected(redirection)
    let server = try redirected.server()
    defer { server.finish() }
    let good = try String(contentsOfFile: server.configurationPath, encoding: .utf8)
    try server.start()
    for descriptor in 0...2 {
      let path = try FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/\(server.processIdentifier)/fd/\(descriptor)")
      #expect(!path.contains(server.folder))
    }
    #expect(try Self.send(server) == 200)
    try server.reload(Self.faulty)
    #expect(try server.waits(for: Self.reloadSuccess) { $0 == 0 })
    server.killNow()
    try CommandSystem.writeFile(server.configurationPath, good)
    try server.start()
    #expect(try Self.used(server) == "3")
    #expect(server.stop())
  }

  @Test func aLogOnAFullDeviceLosesLinesAndNothingElse() throws {
    let redirected = try Redirected("2>/dev/full")
    let server = try redirected.server()
    defer { server.finish() }
    try server.start()
    try server.reload(Self.faulty)
    #expect(try server.waits(for: Self.reloadSuccess) { $0 == 0 })
    #expect(try server.waits(for: Self.lost) { $0 > 0 })
    #expect(try Self.send(server) == 200)
    #expect(server.stop())
  }

  @Test func aLogWithoutAReaderLosesLinesAndNothingElse() throws {
    let pipe = try NamedPipe()
    let redirected = try Redirected("2>\(pipe.path)")
    let server = try redirected.server()
    defer { server.finish() }
    try server.start()
    pipe.close()
    try server.reload(Self.faulty)
    #expect(try server.waits(for: Self.lost) { $0 > 0 })
    #expect(try Self.send(server) == 200)
    #expect(server.stop())
  }

  @Test func aLogThatNobodyReadsStopsNothing() throws {
    let pipe = try NamedPipe(bytes: 4_096)
    let redirected = try Redirected("2>\(pipe.path)")
    let server = try redirected.server()
    defer { server.finish() }
    try server.start()
    let faults = (0..<8_000).map { "m\($0): { unit: \($0) }" }.joined(separator: ", ")
    try server.reload("{ meters: { \(faults) } }")
    #expect(try server.waits(for: Self.lost) { $0 > 0 })
    #expect(try Self.send(server) == 200)
    #expect(server.stop())
  }

  @Test(arguments: [
    ["--version"], ["--help"], ["show", "7"], ["show", "7", "--json"], ["top", "--once"],
    ["top", "--json"], ["costs", "--from", "2026-01-01", "--to", "2026-02-01"],
    ["costs", "--from", "2026-01-01", "--to", "2026-02-01", "--csv"], ["verify"], ["backup"],
    ["check", "--print"],
  ])
  func outputThatDoesNotArriveIsAFailure(_ words: [String]) throws {
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    #expect(try Self.send(server) == 200)
    var words = words
    switch words[0] {
    case "show", "top", "costs": words += ["--socket", server.socketPath]
    case "verify": words += ["--store", server.storePath]
    case "backup": words += ["\(server.folder)/copy", "--store", server.storePath]
    case "check": words += ["--config", server.configurationPath]
    default: break
    }
    for (redirection, reason) in [
      (">/dev/full", "No space left on device"), (">&-", "Bad file descriptor"),
    ] {
      let run = try Redirected(redirection).run(words)
      #expect(run.code == 1, "\(words) \(redirection)")
      #expect(run.errors.contains("can't write to standard output: \(reason)"), "\(words)")
      CommandSystem.removeFolder("\(server.folder)/copy")
    }
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    let run = try Binary.run(words, output: pipe.fileHandleForWriting)
    #expect(run.code == SIGPIPE && run.errors.isEmpty, "\(words): \(run)")
  }

  @Test func sendWithoutInputSaysSo() throws {
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    let run = try Redirected("<&-").run(["send", "--socket", server.socketPath])
    #expect(run.code == 1)
    #expect(run.errors.contains("can't read the input"))
  }
}
