import Foundation
import Testing
import Wire

@testable import Sidecar

/// What the built program does with what happens to its store's folder.
@Suite(.serialized) struct StoreStateTests {
  private static func send(_ id: String, to server: ServerChild) throws -> Int {
    let client = try server.address.connect()
    let answer = try client.send(
      ClientRequest(
        "POST", "/v1/events", headers: [("Content-Type", "application/json")],
        body: Array(#"{"id":"\#(id)","transactionId":"7","meter":"credits","quantity":1}"#.utf8)))
    return answer.status
  }

  private static func second(beside server: ServerChild) throws -> Binary.Run {
    try Binary.run(
      ["serve", "--config", server.configurationPath],
      [
        "OUTLAY_SOCKET": "\(server.folder)/other.sock", "OUTLAY_METRICS_LISTEN": "127.0.0.1:0",
      ])
  }

  @Test func withoutItsLockFileAStoreStillHasOneServer() throws {
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    try FileManager.default.removeItem(atPath: "\(server.storePath)/lock")
    let run = try Self.second(beside: server)
    #expect(run.code == 1)
    #expect(run.errors.contains("\(server.storePath) is held by another process"))
    #expect(try Self.send("1", to: server) == 200)
  }

  @Test func nothingIsAcknowledgedIntoAFolderThatWentAway() throws {
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    #expect(try Self.send("1", to: server) == 200)
    let away = "\(server.storePath).away"
    try FileManager.default.moveItem(atPath: server.storePath, toPath: away)
    #expect(try Self.send("2", to: server) == 503)
    try FileManager.default.moveItem(atPath: away, toPath: server.storePath)
    #expect(try Self.send("2", to: server) == 200)
  }

  private static func modes(_ folder: String) throws -> [String: Int] {
    var modes: [String: Int] = [:]
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
    for name in [""] + names {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
      modes[name] = (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
    return modes
  }

  @Test func aStoreIsItsOwnersAlone() throws {
    let log = try CommandSystem.makeScratchFolder(in: "/tmp")
    defer { CommandSystem.removeFolder(log) }
    let redirected = try Redirected("2>\(log)/log", before: "umask 0")
    let server = try redirected.server()
    defer { server.finish() }
    try server.start()
    #expect(try Self.send("1", to: server) == 200)
    let made = try Self.modes(server.storePath)
    #expect(made.keys.contains("ledger.db-wal") && made.keys.contains("ledger.db-shm"))
    #expect(made.values.allSatisfy { $0 & 0o077 == 0 }, "\(made)")
    let backup = try redirected.run([
      "backup", "\(server.folder)/copy", "--store", server.storePath,
    ])
    #expect(backup.code == 0)
    #expect(try Self.modes("\(server.folder)/copy").values.allSatisfy { $0 & 0o077 == 0 })
    #expect(server.stop())
    for name in try Self.modes(server.storePath).keys {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: "\(server.storePath)/\(name)")
    }
    try server.start()
    #expect(try Self.modes(server.storePath).values.allSatisfy { $0 & 0o077 == 0 })
    let told = try String(contentsOfFile: "\(log)/log", encoding: .utf8)
    #expect(told.contains("\(server.storePath)/ledger.db: others than its owner could use it"))
  }

  /// Whether this machine lets a test mount something for itself.
  private static let canMount: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
    process.arguments = ["-rm", "true"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  @Test(.enabled(if: canMount, "unshare(1) isn't allowed here"), arguments: [true, false])
  func aStoreThatCannotBeWrittenIsVerifiedAndCopied(endsWell: Bool) throws {
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    #expect(try Self.send("1", to: server) == 200)
    if endsWell { #expect(server.stop()) } else { server.killNow() }
    let store = server.storePath
    let mounted = try Redirected(
      "",
      before: """
        if [ -z "$INSIDE" ]; then INSIDE=1 exec unshare -rm "$0" "$@"; fi
        mount --bind \(store) \(store) && mount -o remount,bind,ro \(store) || exit 9
        touch \(store)/x 2>/dev/null && exit 8
        """)
    let verified = try mounted.run(["verify", "--store", store])
    #expect(verified.code == 0, "\(verified)")
    let copied = try mounted.run(["backup", "\(server.folder)/copy", "--store", store])
    #expect(copied.code == 0, "\(copied)")
    #expect(try Binary.run(["verify", "--store", "\(server.folder)/copy"]).code == 0)
  }
}
