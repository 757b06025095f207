import Foundation
import Metering
import Testing

@testable import Sidecar
@testable import Wire

/// The built program under every hostile client at once, within the addresses that it asks for.
@Suite(.serialized) struct SiegeTests {
  private static func variable(_ name: String) -> Bool {
    ProcessInfo.processInfo.environment[name] == "1"
  }

  private static let isLong = variable("OUTLAY_LONG") || variable("OUTLAY_FIGURES")

  /// The most memory that the server may have ever used, whoever its clients are.
  static let memoryBytes: Int64 = 420 << 20

  /// A server that gets no more addresses than `serve` says it can want, and is killed by its own
  /// allocator where it takes more.
  private static func boundedServer() throws -> (Redirected, ServerChild) {
    let redirected = try Redirected(
      "", before: "ulimit -v \(ResourceLimits.wantedMemoryBytes >> 10)")
    return (redirected, try redirected.server())
  }

  private static func place(_ server: ServerChild) -> HostilePlace {
    HostilePlace(
      socket: server.socketPath, metrics: server.metricsAddress,
      // A server without optimisation takes fifty times as long for each byte.
      bodyBytes: isLong ? Wire.Limits.bodyBytes : Wire.Limits.bodyBytes / 64)
  }

  /// Beside another server that nobody attacks, on the same busy machine: what the besieged one's
  /// honest client waits for is some times as long, never another order of things.
  @Test func theHonestOneIsServedDuringASiege() throws {
    let calm = try Binary.server()
    defer { calm.finish() }
    try calm.start()
    let (redirected, server) = try Self.boundedServer()
    defer { server.finish() }
    try server.start()
    try BenchPurchases.register(200, connections: 4, address: server.address)
    try BenchPurchases.register(200, connections: 4, address: calm.address)
    let honest = HonestClient(server.socketPath, server.metricsAddress)
    let lucky = HonestClient(calm.socketPath, calm.metricsAddress)
    let siege = Siege(of: Self.place(server), times: Self.isLong ? 300 : 20)
    defer { siege.end() }
    for _ in 0..<(Self.isLong ? 300 : 10) {
      try honest.live()
      try lucky.live()
    }
    while !siege.isWhole {
      try honest.live()
      try lucky.live()
    }
    for wish in HonestClient.Wish.allCases {
      let besieged = honest.milliseconds(wish, share: 0.5)
      let free = max(1, lucky.milliseconds(wish, share: 0.5))
      #expect(besieged <= Self.factor * free, "\(wish): \(besieged) and \(free) ms")
    }
    let peak = try #require(server.peakMemory())
    #expect(peak <= Self.memoryBytes, "\(peak >> 20) MiB")
    // It ends while they still come.
    #expect(server.stop())
    siege.lift()
    withExtendedLifetime(redirected) {}
  }

  /// How much longer than without a siege. A server without optimisation spends its time on what
  /// the hostile ones send; those who are shut out wait 75 seconds, which is ten thousand times.
  private static let factor = 2_000.0

  /// The figures that a built release has to keep on a machine of its own.
  @Test(.enabled(if: variable("OUTLAY_FIGURES"), "Config/setup hostile measures"))
  func theFiguresOfASiege() throws {
    let (redirected, server) = try Self.boundedServer()
    defer { server.finish() }
    try server.start()
    try BenchPurchases.register(1_000, connections: 4, address: server.address)
    let honest = HonestClient(server.socketPath, server.metricsAddress)
    let siege = Siege(of: Self.place(server), times: 300)
    defer { siege.end() }
    while !siege.isWhole { try honest.live() }
    for _ in 0..<500 { try honest.live() }
    let ended = try MetricsPage(server.address).samples("outlay_connections_ended_total")
      .map { "\($0.labels["reason"] ?? "") \(Int($0.value))" }.joined(separator: ", ")
    let start = CommandSystem.monotonicNanoseconds()
    let peak = Double(try #require(server.peakMemory())) / 1_048_576
    let endsWell = server.stop()
    let end = Double(CommandSystem.monotonicNanoseconds() - start) / 1e6
    siege.lift()
    var rows: [(name: String, figure: Double, bound: Double?, unit: String)] = []
    for (wish, bound) in [
      (.acknowledgement, 50), (.answer, 100), (.page, 100), (.scrape, 100),
    ] as [(HonestClient.Wish, Double)] {
      rows.append(("\(wish) p50", honest.milliseconds(wish, share: 0.5), nil, "ms"))
      rows.append(("\(wish) p99", honest.milliseconds(wish, share: 0.99), bound, "ms"))
      rows.append(("\(wish) longest", honest.milliseconds(wish, share: 1), nil, "ms"))
    }
    rows.append(("peak memory", peak, Double(Self.memoryBytes >> 20), "MiB"))
    rows.append(("end after SIGTERM", end, 10_000, "ms"))
    let cuts = honest.cuts.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", ")
    print("hostile rounds: \(siege.count); attempts that were cut off or put off: \(cuts)")
    print("connections ended: \(ended)")
    for row in rows {
      let figure = (row.figure * 10).rounded() / 10
      let bound = row.bound.map { "at most \($0)" } ?? ""
      print("\(row.name): \(figure) \(row.unit) \(bound)")
      if let bound = row.bound { #expect(row.figure <= bound, "\(row.name)") }
    }
    #expect(endsWell)
    withExtendedLifetime(redirected) {}
  }
}
