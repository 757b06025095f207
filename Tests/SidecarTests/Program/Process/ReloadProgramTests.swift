import Foundation
import Metering
import Testing
import Wire

@testable import Sidecar

/// SIGHUP to the built program, with a file that changes what only a restart may change.
struct ReloadProgramTests {
  private static func status(
    _ server: ServerChild, _ method: String, _ target: String, _ body: String
  ) throws -> Int {
    try server.address.connect().send(
      ClientRequest(
        method, target, headers: [("Content-Type", "application/json")], body: Array(body.utf8))
    ).status
  }

  private static func event(_ id: String, meter: String, daysAgo: Double = 0) -> String {
    let time = Instant(
      microseconds: CommandSystem.wallMicroseconds() - Int64(daysAgo * 86_400_000_000))
    return #"{"id":"\#(id)","transactionId":"7","meter":"\#(meter)","quantity":1,"#
      + #""time":"\#(time)"}"#
  }

  @Test func whatARestartChangesStaysAndIsNamed() throws {
    let scratch = try CommandSystem.makeScratchFolder(in: "/tmp")
    defer { CommandSystem.removeFolder(scratch) }
    let redirected = try Redirected("2>\(scratch)/log")
    let server = try redirected.server()
    defer { server.finish() }
    try server.start()
    // A day older than the new window, which must not be in force.
    try server.reload(
      """
      { socket: { path: "\(scratch)/other.sock", mode: "0666" },
        metrics: { listen: "127.0.0.1:1" },
        store: { directory: "\(scratch)/other", dedupeDays: 20, retentionDays: 50 },
        environments: ["Production"],
        meters: { credits: { unit: "{credit}" }, extra: { unit: "1" } } }
      """)
    var attempt = 0
    let isReloaded = try Patience.waits {
      attempt += 1
      return try Self.status(
        server, "POST", "/v1/events", Self.event("extra-\(attempt)", meter: "extra")) == 200
    }
    #expect(isReloaded)
    let old = Self.event("old", meter: "credits", daysAgo: 21)
    #expect(try Self.status(server, "POST", "/v1/events", old) == 200)
    let sandbox = """
      {"transactionId":"8","originalTransactionId":"8","productId":"p","type":"Consumable",
       "purchaseDate":1793527200000,"environment":"Sandbox"}
      """
    #expect(try Self.status(server, "PUT", "/v1/transactions/8", sandbox) == 201)
    let scrape = try UnixHTTPClient(tcp: server.metricsAddress)
      .send(ClientRequest("GET", "/metrics"))
    #expect(scrape.status == 200)
    let mode = try FileManager.default.attributesOfItem(atPath: server.socketPath)
    #expect((mode[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    for name in ["other.sock", "other"] {
      #expect(!FileManager.default.fileExists(atPath: "\(scratch)/\(name)"))
    }
    #expect(server.stop())
    let log = try String(contentsOfFile: "\(scratch)/log", encoding: .utf8)
    for key in [
      "socket.path", "socket.mode", "metrics.listen", "store.directory", "store.dedupeDays",
      "store.retentionDays", "environments",
    ] {
      #expect(log.contains("reload: \(key): changes only at a restart; the old value stays\n"))
    }
  }
}
