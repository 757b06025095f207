import Foundation
import Testing
import Wire

@testable import Sidecar

/// What the built program does with what it finds at its socket's path (MA-33).
@Suite(.serialized) struct SocketStateTests {
  @Test func aDeadSocketIsReplaced() throws {
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    server.killNow()
    #expect(FileManager.default.fileExists(atPath: server.socketPath))
    try server.start()
    #expect(try server.address.get("/healthz").status == 200)
  }

  @Test func aFileIsLeftAlone() throws {
    let server = try Binary.server()
    defer { server.finish() }
    try CommandSystem.writeFile(server.socketPath, "mine")
    let run = try Binary.run(["serve", "--config", server.configurationPath])
    #expect(run.code == 1)
    #expect(run.errors.contains(server.socketPath))
    #expect(try String(contentsOfFile: server.socketPath, encoding: .utf8) == "mine")
  }

  @Test func aLivingServerKeepsItsSocket() throws {
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    let settings = [
      "OUTLAY_STORE": "\(server.folder)/other", "OUTLAY_METRICS_LISTEN": "127.0.0.1:0",
    ]
    let run = try Binary.run(["serve", "--config", server.configurationPath], settings)
    #expect(run.code == 1)
    #expect(try server.address.get("/healthz").status == 200)
  }

  @Test func aLivingServerKeepsItsStore() throws {
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    let settings = [
      "OUTLAY_SOCKET": "\(server.folder)/other.sock", "OUTLAY_METRICS_LISTEN": "127.0.0.1:0",
    ]
    let run = try Binary.run(["serve", "--config", server.configurationPath], settings)
    #expect(run.code == 1)
    #expect(try server.address.get("/readyz").status == 200)
  }

  @Test func endingRemovesTheSocket() throws {
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    #expect(server.stop())
    #expect(!FileManager.default.fileExists(atPath: server.socketPath))
  }
}
