import Metering
import Store
import Testing
import Wire

@testable import Sidecar

/// Bodies and streams that are taken in pieces: the answer is that of the whole, and no batch has
/// more than its bound, whatever they hold.
@Suite(.serialized) struct LongBodyTests {
  private static let ndjson = [("Content-Type", "application/x-ndjson")]

  private static func serve(_ body: (UnixHTTPClient, String) throws -> Void) throws {
    let folder = try CommandSystem.makeScratchFolder(in: "/tmp")
    defer { CommandSystem.removeFolder(folder) }
    var configuration = testConfiguration()
    configuration.socketPath = "\(folder)/outlay.sock"
    configuration.storeDirectory = "\(folder)/store"
    configuration.metricsListen = "127.0.0.1:0"
    let service = try Service(ServiceSetup(configuration: configuration))
    _ = try service.start()
    defer { service.stop() }
    try body(UnixHTTPClient(path: configuration.socketPath), configuration.socketPath)
  }

  /// Every tenth is of a meter that nobody knows.
  private static func event(_ number: Int, padding: Int = 0) -> String {
    let meter = number % 10 == 9 ? "unknown" : "credits"
    return "{\"id\":\"e\(number)\",\"transactionId\":\"t\",\"meter\":\"\(meter)\",\"quantity\":1"
      + ",\"attributes\":{\"note\":\"\(String(repeating: "x", count: 200))\"}"
      + String(repeating: " ", count: padding) + "}"
  }

  private static func post(
    _ client: UnixHTTPClient, _ body: String, lines: Bool
  ) throws -> (summary: String, node: JSONNode) {
    let answer = try client.send(
      ClientRequest("POST", "/v1/events", headers: lines ? ndjson : [], body: Array(body.utf8)))
    return (summary(answer), try JSONNode.parse(answer.body, dialect: .strict))
  }

  private static func used(_ client: UnixHTTPClient) throws -> String? {
    let answer = try client.send(ClientRequest("GET", "/v1/transactions/t/consumption"))
    let node = try JSONNode.parse(answer.body, dialect: .strict)
    return node["usage"]?.elements?.first?["used"]?.text
  }

  @Test(arguments: [true, false]) func theAnswerIsThatOfTheWhole(_ lines: Bool) throws {
    let count = 3_000
    let events = (0..<count).map { Self.event($0) }
    let body = lines ? events.joined(separator: "\n \n") : "[\(events.joined(separator: " ,"))]"
    #expect(body.utf8.count > 2 * IngestLimits.pieceBytes)
    try Self.serve { client, _ in
      for (good, accepted) in [("accepted", true), ("duplicates", false)] {
        let (summary, node) = try Self.post(client, body, lines: lines)
        #expect(summary == "422 events_rejected")
        #expect(node[good]?.integer == Int64(count * 9 / 10))
        #expect(node["rejected"]?.integer == Int64(count / 10))
        let places = node["results"]?.elements?.compactMap { $0["index"]?.integer }
        #expect(places == (0..<count / 10).map { Int64($0 * 10 + 9) }, "\(accepted)")
        #expect(node["results"]?.elements?.last?["id"]?.string == "e2999")
      }
      #expect(try Self.used(client) == "2700")
    }
  }

  @Test func nothingIsStoredOfWhatIsNoJSON() throws {
    let events = (0..<1_000).map { Self.event($0) }.joined(separator: ",")
    try Self.serve { client, _ throws in
      for (body, expected) in [
        ("[\(events)", "400 invalid_json"), ("[\(events)]]", "400 invalid_json"),
        ("[\(events),]", "400 invalid_json"),
        (
          "[" + String(repeating: "1,", count: Limits.eventsPerBody) + "1]", "413 too_large"
        ),
      ] { #expect(try Self.post(client, body, lines: false).summary == expected) }
      let lines = String(repeating: "1\n", count: Limits.eventsPerBody + 1)
      #expect(try Self.post(client, "\(events)\n" + lines, lines: true).summary == "413 too_large")
      let blank = String(repeating: "\n \r\n", count: 100_000)
      #expect(try Self.post(client, blank, lines: true).summary == "200")
      #expect(try client.send(ClientRequest("GET", "/v1/transactions/t")).status == 404)
    }
  }

  @Test(arguments: [true, false]) func oneEventHasABound(_ lines: Bool) throws {
    let bare = Self.event(0).utf8.count
    let body = [
      Self.event(0), Self.event(1, padding: Limits.eventBytes - bare),
      Self.event(2, padding: Limits.eventBytes - bare + 1),
    ]
    try Self.serve { client, _ in
      let (_, node) = try Self.post(
        client, lines ? body.joined(separator: "\n") : "[\(body.joined(separator: ","))]",
        lines: lines)
      #expect(node["accepted"]?.integer == 2)
      #expect(node["results"]?.elements?.first?["code"]?.string == "too_large")
    }
  }

  /// Lines that are no events: each commit takes few of them, and others come between.
  @Test func aStreamOfNonsenseIsTakenInPieces() throws {
    let count = 20_000
    try Self.serve { client, path in
      let stream = try UnixStreamConnection(path: path)
      try stream.write(Array(String(repeating: "{}\n", count: count).utf8))
      #expect(try Self.post(client, Self.event(0), lines: false).summary == "200")
      stream.finishWriting()
      var acknowledged: [Int64] = [0]
      var faults = 0
      while !stream.isEnded {
        for line in try stream.readLines(waitMilliseconds: nil) {
          let node = try JSONNode.parse(line, dialect: .strict)
          if let lines = node["lines"]?.integer { acknowledged.append(lines) } else { faults += 1 }
        }
      }
      #expect(acknowledged.last == Int64(count) && faults == count)
      let most = zip(acknowledged, acknowledged.dropFirst()).map { $1 - $0 }.max() ?? 0
      #expect(most <= Int64(Limits.batchEvents + IngestLimits.mostCarefulEvents))
      #expect(acknowledged.count > count / (Limits.batchEvents + IngestLimits.mostCarefulEvents))
    }
  }

  /// What comes in is bounded by what it makes.
  @Test func boundsFitEachOther() {
    // The shortest event there is fills a body at the bound of events, or nearly.
    let shortest = #"{"id":"1","customer":"1","meter":"","quantity":0}"#
    #expect(Wire.Limits.bodyBytes / (shortest.utf8.count + 1) < Limits.eventsPerBody)
    // One turn's careful work is no larger than a batch, and its sentences fit the batch's text.
    #expect(IngestLimits.mostCarefulEvents < Limits.batchEvents)
    #expect(
      IngestLimits.mostCarefulEvents * Limits.detailBytes < IngestLimits.batchTextBytes)
    #expect(IngestLimits.wholeBodyBytes <= RouteLimits.smallBodyBytes)
    #expect(Wire.Limits.lineBytes == Limits.eventBytes)
    // Bodies, what waits unread, and streams' held lines stay below half of what a process may use.
    let bytes =
      Wire.Limits.bodyPoolBytes + Wire.Limits.outputPoolBytes + Wire.Limits.streamHeldBytes
      + Wire.Limits.connections * Wire.Limits.headBytes + 4 * IngestLimits.batchTextBytes
    #expect(bytes < 210 << 20)
  }
}
