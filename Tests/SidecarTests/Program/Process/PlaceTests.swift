import Foundation
import Metering
import Testing

@testable import Sidecar

/// Where the program looks for its files, and what it says when it finds none.
@Suite(.serialized) struct PlaceTests {
  @Test(
    arguments: [
      (
        ["XDG_RUNTIME_DIR": "/run/user/7", "HOME": "/home/u"], "/run/user/7/outlay.sock",
        "/home/u/.local/state/outlay"
      ),
      (
        ["HOME": "/home/u"], "/home/u/.local/state/outlay/outlay.sock",
        "/home/u/.local/state/outlay"
      ),
      (["XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": ""], "/s/outlay/outlay.sock", "/s/outlay"),
      (
        [
          "RUNTIME_DIRECTORY": "/run/outlay", "STATE_DIRECTORY": "/var/lib/outlay:/var/lib/b",
          "HOME": "/root",
        ], "/run/outlay/outlay.sock", "/var/lib/outlay"
      ),
      (
        ["XDG_RUNTIME_DIR": "relative", "XDG_STATE_HOME": "relative", "HOME": "/h"],
        "/h/.local/state/outlay/outlay.sock", "/h/.local/state/outlay"
      ),
    ] as [([String: String], String, String)])
  func defaultsAreNobodyElses(environment: [String: String], socket: String, store: String) {
    let defaults = ConfigurationFile.defaults(environment)
    #expect(defaults.socketPath == socket)
    #expect(defaults.storeDirectory == store)
  }

  private static let meters = #"meters: { credits: { unit: "{credit}" } }"#

  @Test(arguments: ["@name", "\\u0000name"]) func anAbstractSocketIsRefused(path: String) throws {
    let folder = try CommandSystem.makeScratchFolder(in: "/tmp")
    defer { CommandSystem.removeFolder(folder) }
    let file = "\(folder)/outlay.json5"
    try CommandSystem.writeFile(file, "{ socket: { path: \"\(path)\" }, \(Self.meters) }")
    for words in [
      ["check"], ["serve"], ["verify"], ["backup", "\(folder)/copy"], ["show", "7"], ["top"],
      ["costs", "--from", "2026-01-01", "--to", "2026-02-01"], ["send"], ["respond"],
    ] {
      let run = try Binary.run(words + ["--config", file])
      #expect(run.code == 78, "\(words)")
      #expect(run.errors.contains("socket.path: must "), "\(words): \(run.errors)")
    }
  }

  @Test func withoutAPlaceOfItsOwnAFileMustNameOne() {
    let loaded = Configuration.load(
      Array("{ \(Self.meters) }".utf8),
      defaults: ConfigurationDefaults(socketPath: "", storeDirectory: ""),
      timeZoneExists: { _ in true })
    guard case .failure(let faults) = loaded else {
      Issue.record("it was taken")
      return
    }
    #expect(faults.faults.map(\.path) == ["socket.path", "store.directory"])
  }

  /// Without a session's place for sockets the server takes one of its own, and is found there.
  @Test func aServerWithoutASessionIsFoundByItsOwner() throws {
    let server = try Binary.server()
    defer { server.finish() }
    let home = "\(server.folder)/home"
    try CommandSystem.writeFile(
      server.configurationPath, "{ metrics: { listen: \"127.0.0.1:0\" }, \(Self.meters) }")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try Binary.path())
    process.arguments = ["serve", "--config", server.configurationPath]
    process.environment = ChildEnvironment.with(["HOME": home])
    process.standardError = FileHandle.nullDevice
    try process.run()
    defer {
      process.terminate()
      process.waitUntilExit()
    }
    let socket = "\(home)/.local/state/outlay/outlay.sock"
    #expect(Patience.waits { FileManager.default.fileExists(atPath: socket) })
    let run = try Binary.run(["top", "--once"], ["HOME": home])
    #expect(run.code == 0, "\(run)")
    let folder = try FileManager.default.attributesOfItem(atPath: "\(home)/.local/state/outlay")
    #expect((folder[.posixPermissions] as? NSNumber)?.intValue == 0o700)
  }

  /// One configuration names the socket and the store for every command.
  @Test func everyCommandFindsItsPlaceInTheConfiguration() throws {
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    let events = "\(server.folder)/events"
    try CommandSystem.writeFile(
      events, #"{"id":"1","transactionId":"7","meter":"credits","quantity":3}"# + "\n")
    let configuration = ["--config", server.configurationPath]
    let environment = ["OUTLAY_CONFIG": server.configurationPath]
    for words in [
      ["send", events], ["show", "7"], ["top", "--once"],
      ["costs", "--from", "2026-01-01", "--to", "2026-02-01"], ["verify"], ["check"],
    ] {
      #expect(try Binary.run(words + configuration).code == 0, "\(words)")
      #expect(try Binary.run(words, environment).code == 0, "\(words)")
    }
    #expect(try Binary.run(["backup", "\(server.folder)/copy"] + configuration).code == 0)
  }

  @Test(arguments: [["serve"], ["respond"], ["verify", "--config", ""]])
  func withoutAConfigurationItSaysWhatToDo(words: [String]) throws {
    let run = try Binary.run(words, ["HOME": "/nowhere"])
    #expect(run.code != 0)
    for hint in ["--config FILE", "OUTLAY_CONFIG", "{ meters: ", "outlay check"] {
      #expect(run.errors.contains(hint), "\(words): \(run.errors)")
    }
  }
}
