import Foundation
import Metering
import Testing

@testable import Sidecar
@testable import Wire

/// The built program among hostile clients: the honest one beside them is answered, memory stays
/// within its bound, and it ends when it is told to. `OUTLAY_LONG=1` brings more of them.
@Suite(.serialized) struct HostileClientTests {
  private static var isLong: Bool {
    ProcessInfo.processInfo.environment["OUTLAY_LONG"] == "1"
  }

  /// More than the metrics listener's places; in a long run as many as the socket's.
  private static var times: Int { isLong ? 300 : 80 }

  /// The most memory that the server may have ever used, whoever its clients are.
  private static let memoryBytes: Int64 = 420 << 20

  @Test func theHonestOneIsServedAmongThemAll() throws {
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    try BenchPurchases.register(
      Self.isLong ? 1_000 : 200, connections: 4, address: server.address)
    let place = HostilePlace(
      socket: server.socketPath, metrics: server.metricsAddress,
      bodyBytes: Self.isLong ? Wire.Limits.bodyBytes : Wire.Limits.bodyBytes / 8)
    var kept: [ClientSocket] = []
    var number = 0
    for hostile in HostileClient.allCases {
      kept += try hostile.attack(place, times: Self.times)
      for _ in 0..<3 {
        number += 1
        try beHonest(place, number, beside: hostile)
      }
    }
    let peak = try #require(server.peakMemory())
    #expect(peak <= Self.memoryBytes, "\(peak >> 20) MiB")
    let page = try MetricsPage(server.address)
    #expect(try page.value("outlay_unread_answer_bytes") <= Double(Wire.Limits.outputPoolBytes))
    #expect(try page.value("outlay_request_body_bytes") <= Double(Wire.Limits.bodyPoolBytes))
    #expect(page.samples("outlay_connections_ended_total").contains { $0.value > 0 })
    // Answers that nobody takes hold no end up.
    #expect(server.stop())
    withExtendedLifetime(kept) {}
  }

  /// An event, a question, a page and a scrape, each on a connection of its own.
  private func beHonest(
    _ place: HostilePlace, _ number: Int, beside hostile: HostileClient
  ) throws {
    let event =
      "{\"id\":\"\(number)\",\"transactionId\":\"t\",\"meter\":\"credits\",\"quantity\":1}"
    for (request, status) in [
      (ClientRequest("POST", "/v1/events", body: Array(event.utf8)), 200),
      (ClientRequest("GET", "/v1/transactions/t/consumption"), 200),
      (ClientRequest("GET", "/v1/transactions?limit=1"), 200),
    ] {
      let client = try UnixHTTPClient(path: place.socket)
      let answer = try client.send(request)
      #expect(answer.status == status, "\(hostile): \(request.target)")
    }
    let stream = try UnixStreamConnection(path: place.socket)
    try stream.write(Array("\(event)\n\n".utf8))
    stream.finishWriting()
    var lines: [String] = []
    while !stream.isEnded {
      lines += try stream.readLines(waitMilliseconds: nil).map {
        String(decoding: $0, as: UTF8.self)
      }
    }
    #expect(
      lines.last
        == #"{"lines":2,"accepted":0,"duplicates":1,"conflicts":0,"rejected":0}"#, "\(hostile)")
    let scrape = try UnixHTTPClient(tcp: place.metrics).send(ClientRequest("GET", "/metrics"))
    #expect(scrape.status == 200, "\(hostile)")
  }
}
