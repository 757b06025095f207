import Metering
import Store
import Testing
import Wire

@testable import Sidecar

/// A running sidecar whose disk takes nothing for a while (MA-01, MA-44): nothing is promised, all
/// else is answered, and what is sent again counts once, without a restart.
@Suite(.serialized) struct FailingDiskTests {
  enum Door: CaseIterable {
    case request
    case stream
  }

  private static let count = 10
  /// Questions after which a recovery counts as missed: far more than it takes.
  private static let asks = 100_000
  private static let lines = (0..<count).map {
    """
    {"id":"\($0)","source":"a","transactionId":"t","meter":"credits","quantity":5}

    """
  }.joined()

  @Test(arguments: FailingDisk.Fault.allCases, Door.allCases)
  func whatFailedCountsOnce(_ fault: FailingDisk.Fault, _ door: Door) throws {
    let folder = try CommandSystem.makeScratchFolder(in: "/tmp")
    defer { CommandSystem.removeFolder(folder) }
    var configuration = testConfiguration()
    configuration.socketPath = "\(folder)/outlay.sock"
    configuration.storeDirectory = "\(folder)/store"
    configuration.metricsListen = "127.0.0.1:0"
    try LinuxDisk.makeRoot(configuration.storeDirectory)
    let disk = FailingDisk(LinuxDisk(root: configuration.storeDirectory))
    try serve(configuration, disk) { client, metrics in
      disk.fails(by: fault)
      for _ in 0..<2 {
        try refuse(door, client, configuration.socketPath)
        try sayNothing(configuration.socketPath)
        for (target, status) in [
          ("/healthz", 200), ("/readyz", 503), ("/v1/costs?from=2026-01-01&to=2026-02-01", 200),
        ] {
          #expect(try client.send(ClientRequest("GET", target)).status == status, "\(target)")
        }
        let page = try metrics.send(ClientRequest("GET", "/metrics"))
        #expect(MetricsPage(text: Self.text(page)).samples("outlay_store_ready").first?.value == 0)
      }
      disk.fails(by: nil)
      // Somebody who only asks sees it recover, before anything is sent.
      let isSeen = try (0..<Self.asks).contains { _ in
        try client.send(ClientRequest("GET", "/readyz")).status == 200
      }
      #expect(isSeen)
      disk.fails(by: fault)
      try refuse(door, client, configuration.socketPath)
      disk.fails(by: nil)
      #expect(try send(door, client, configuration.socketPath) == ["accepted": Self.count])
      #expect(try send(door, client, configuration.socketPath) == ["duplicates": Self.count])
      #expect(try client.send(ClientRequest("GET", "/readyz")).status == 200)
      #expect(try used(client) == "50")
    }
    var kept: String?
    try serve(configuration, disk) { client, _ in kept = try used(client) }
    #expect(kept == "50")
  }

  private func serve(
    _ configuration: Configuration, _ disk: FailingDisk,
    _ body: (UnixHTTPClient, UnixHTTPClient) throws -> Void
  ) throws {
    let service = try Service(ServiceSetup(configuration: configuration), disk: disk)
    let address = try service.start()
    defer { service.stop() }
    try body(
      UnixHTTPClient(path: configuration.socketPath),
      UnixHTTPClient(tcp: address))
  }

  private func refuse(_ door: Door, _ client: UnixHTTPClient, _ path: String) throws {
    switch door {
    case .request:
      let answer = try client.send(request)
      #expect(answer.status == 503 && Self.text(answer).contains("store_unavailable"))
      #expect(answer.header("Retry-After") != nil)
    case .stream:
      let stream = try UnixStreamConnection(path: path)
      try stream.write(Array(Self.lines.utf8))
      let answers = try stream.readLines(waitMilliseconds: Patience.milliseconds)
      #expect(answers.count == 1)
      #expect(answers.allSatisfy { String(decoding: $0, as: UTF8.self).contains("unavailable") })
    }
  }

  /// A stream without events, to its end: there is nothing to write, and nothing is learned of the
  /// disk.
  private func sayNothing(_ path: String) throws {
    let stream = try UnixStreamConnection(path: path)
    try stream.write([0x7B, 0x7D, 0x0A])
    stream.finishWriting()
    while !stream.isEnded { _ = try stream.readLines(waitMilliseconds: Patience.milliseconds) }
  }

  /// What became of the events; only what isn't zero.
  private func send(
    _ door: Door, _ client: UnixHTTPClient, _ path: String
  ) throws -> [String: Int] {
    let text: [UInt8]
    switch door {
    case .request:
      let answer = try client.send(request)
      #expect(answer.status == 200)
      text = answer.body
    case .stream:
      let stream = try UnixStreamConnection(path: path)
      try stream.write(Array(Self.lines.utf8))
      text = try #require(try stream.readLines(waitMilliseconds: Patience.milliseconds).last)
    }
    let answer = try JSONNode.parse(text, dialect: .strict)
    var counts: [String: Int] = [:]
    for name in ["accepted", "duplicates", "conflicts", "rejected"] {
      let count = Int(answer[name]?.integer ?? 0)
      if count > 0 { counts[name] = count }
    }
    return counts
  }

  private static func text(_ answer: HTTPResponse) -> String {
    String(decoding: answer.body, as: UTF8.self)
  }

  private var request: ClientRequest {
    ClientRequest(
      "POST", "/v1/events", headers: [("Content-Type", "application/x-ndjson")],
      body: Array(Self.lines.utf8))
  }

  private func used(_ client: UnixHTTPClient) throws -> String? {
    let answer = try client.send(ClientRequest("GET", "/v1/transactions/t/consumption"))
    let node = try JSONNode.parse(answer.body, dialect: .strict)
    return node["usage"]?.elements?.first?["used"]?.text
  }
}
