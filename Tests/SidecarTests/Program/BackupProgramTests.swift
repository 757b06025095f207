import Foundation
import Metering
import Synchronization
import Testing
import Wire

@testable import Sidecar

/// `outlay backup` of the built program.
@Suite(.serialized) struct BackupProgramTests {
  /// Sends numbered events in chunks until told to stop.
  private final class Sender: Sendable {
    private let path: String
    private let isOver = Atomic(false)
    private let acknowledged = Atomic(0)
    private let ended = DispatchSemaphore(value: 0)

    init(_ path: String) {
      self.path = path
      Thread.detachNewThread { self.run() }
    }

    private func run() {
      defer { ended.signal() }
      var next = 0
      while !isOver.load(ordering: .acquiring),
        let answer = try? BackupProgramTests.send("busy", next..<(next + 200), to: path),
        answer["accepted"]?.integer == 200
      {
        next += 200
        acknowledged.store(next, ordering: .releasing)
      }
    }

    /// Waits for more than `count` acknowledgements; false when there won't be any.
    func reaches(_ count: Int) -> Bool {
      while acknowledged.load(ordering: .acquiring) <= count {
        if ended.wait(timeout: .now()) == .success {
          ended.signal()
          return false
        }
        sched_yield()
      }
      return true
    }

    /// Events acknowledged so far.
    var count: Int { acknowledged.load(ordering: .acquiring) }

    /// Ends it; returns how many were acknowledged.
    func stop() -> Int {
      isOver.store(true, ordering: .releasing)
      ended.wait()
      return count
    }
  }

  /// Sends events and waits until all are acknowledged; returns the last acknowledgement.
  private static func send(
    _ name: String, _ range: Range<Int>, to path: String
  ) throws -> JSONNode? {
    let stream = try UnixStreamConnection(path: path)
    let lines = range.map {
      #"{"id":"\#(name)-\#($0)","transactionId":"\#(name)","meter":"credits","quantity":\#($0)}"#
    }
    try stream.write(Array((lines.joined(separator: "\n") + "\n").utf8))
    while true {
      guard let last = try stream.readLines(waitMilliseconds: Patience.milliseconds).last else {
        return nil
      }
      let node = try JSONNode.parse(last, dialect: .strict)
      if node["lines"]?.integer == Int64(range.count) { return node }
    }
  }

  private static func consumption(_ id: String, _ server: ServerChild) throws -> String {
    let answer = try ShowCommand.consumption(of: id, address: server.address)
    return String(decoding: answer, as: UTF8.self).replacing(#/"asOf":"[^"]*"/#, with: "")
  }

  @Test func aBusyServersCopyHasWhatWasAcknowledgedBefore() throws {
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    #expect(
      try Self.send("calm", 0..<3_000, to: server.socketPath)?["accepted"]?.integer == 3_000)
    let told = try Self.consumption("calm", server)
    let sender = Sender(server.socketPath)
    #expect(sender.reaches(1_000))
    let before = sender.count
    let copy = "\(server.folder)/copy"
    let run = try Binary.run(["backup", copy, "--config", server.configurationPath])
    let during = sender.count
    let sent = sender.stop()
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.hasPrefix("entries up to ") && run.output.contains(" copied to \(copy): "))
    #expect(during > before, "events came in while it copied")

    let verify = try Binary.run(["verify", "--store", copy])
    #expect(verify.code == 0, "\(verify.errors)")
    #expect(server.stop())
    CommandSystem.removeFolder(server.storePath)
    try FileManager.default.moveItem(atPath: copy, toPath: server.storePath)
    try server.start()
    #expect(try Self.consumption("calm", server) == told)
    let calm = try Self.send("calm", 0..<3_000, to: server.socketPath)
    #expect(calm?["duplicates"]?.integer == 3_000)
    let busy = try Self.send("busy", 0..<before, to: server.socketPath)
    #expect(busy?["duplicates"]?.integer == Int64(before))
    let rest = try Self.send("busy", 0..<sent, to: server.socketPath)
    #expect(rest?["conflicts"]?.integer ?? 0 == 0 && rest?["rejected"]?.integer ?? 0 == 0)
    #expect(server.stop())
    #expect(try Binary.run(["verify", "--store", server.storePath]).code == 0)
  }

  @Test func saysHowFarItIsAndEndsWhenAsked() throws {
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    _ = try Self.send("calm", 0..<3_000, to: server.socketPath)
    server.killNow()
    let store = ["--store", server.storePath]
    let seen = try TerminalRun.run(["backup", "\(server.folder)/one/"] + store)
    #expect(seen["code"]?.integer == 0)
    let drawn = try #require(seen["drawn"]?.string?.string)
    #expect(drawn.contains("\r\u{1B}[Kcopying: "))
    #expect(try Binary.run(["backup", "\(server.folder)/two"] + store).errors == "")
    let again = try Binary.run(["backup", "\(server.folder)/two"] + store)
    #expect(again.code == 1)
    #expect(again.errors.hasSuffix("/two exists and isn't an empty folder\n"))

    // An interrupt that is there from the beginning comes at the same place every time.
    let start = """
      import os, signal, sys
      signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
      os.kill(os.getpid(), signal.SIGINT)
      os.execv(sys.argv[1], sys.argv[1:])
      """
    let python = try #require(ProcessInfo.processInfo.environment["OUTLAY_PYTHON"])
    let process = Process()
    let errors = Pipe()
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments =
      ["-c", start, try Binary.path(), "backup", "\(server.folder)/three"] + store
    process.standardError = errors
    try process.run()
    let told = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let text = String(decoding: told, as: UTF8.self)
    #expect(process.terminationStatus == 1 && text == "outlay backup: interrupted\n")
    let names = try FileManager.default.contentsOfDirectory(atPath: server.folder)
    #expect(!names.contains { $0.hasPrefix("three") })
  }
}
