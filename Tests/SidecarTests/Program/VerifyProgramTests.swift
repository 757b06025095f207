import Testing
import Wire

@testable import Sidecar

/// `outlay verify` of the built program on stores of the built program.
@Suite struct VerifyProgramTests {
  /// Whatever came last is rolled up at the stop, however soon that follows.
  @Test func aStoreAtRestHasItsFiguresReckonedAgain() throws {
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    try BenchPurchases.register(3, connections: 1, address: server.address)
    // A new store is first walked through as a whole.
    let patience = Patience()
    while !patience.isOver,
      try MetricsPage(server.address).samples("outlay_purchases").map(\.value).reduce(0, +) < 3
    { CommandSystem.sleep(milliseconds: 20) }
    let line = #"{"id":"1","transactionId":"t","meter":"credits","quantity":1}"#
    let client = try UnixHTTPClient(path: server.socketPath)
    let told = try client.send(
      ClientRequest(
        "POST", "/v1/events", headers: [("Content-Type", "application/json")],
        body: Array(line.utf8)))
    #expect(told.status == 200)
    #expect(server.stop())
    let run = try Binary.run(["verify", "--config", server.configurationPath])
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.contains("figures of 3 purchases reckoned again\n"), "\(run.output)")
  }
}
