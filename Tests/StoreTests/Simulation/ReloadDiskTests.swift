import Metering
import Sidecar
import Store
import Testing

/// A reload whose disk fails leaves everything as it was.
struct ReloadDiskTests {
  @Test func allOrNothing() throws {
    let old = SimulationWorld.configuration
    var new = old
    let first = try #require(new.rates.firstIndex { $0.meter == "images" })
    new.rates[first].price = "0.5"
    var failures = 0
    for operation in 1...60 {
      let server = try SimulatedServer(
        try BooksSubject.load(old), clock: SimulatedClock(truth: LifeWorld.start),
        memtableEvents: 64, machine: try SimulatedMachine())
      let line =
        #"{"id":"1","transactionId":"c0","meter":"images","quantity":3,"#
        + #""attributes":{"model":"gpt-4o"}}"#
      #expect(try server.send([line]).accepted == 1)
      let power = server.machine.power
      power.faultAt = power.operations + operation
      do {
        try server.reload(try BooksSubject.load(new))
        #expect(try Self.costs(server) == ["1.5", "1.5"])
      } catch {
        failures += 1
        #expect(try Self.costs(server) == ["0.12", "0.12"], "operation \(operation): \(error)")
        server.machine.heal()
        // What is booked next is booked under the old one too.
        #expect(try server.send([line.replacing("1", with: "2", maxReplacements: 1)]).accepted == 1)
        #expect(try Self.costs(server) == ["0.24", "0.24"], "operation \(operation)")
      }
    }
    #expect(failures > 3)
  }

  /// By the gauge and by `/v1/costs`.
  private static func costs(_ server: SimulatedServer) throws -> [String] {
    let gauge = try server.metrics().cost.values.filter { !$0.isZero }.map(\.decimal)
    return gauge + (try server.costs().compactMap { $0.amount?.decimal })
  }
}
