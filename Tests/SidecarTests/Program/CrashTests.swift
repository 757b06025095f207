import Metering
import Testing
import Wire

@testable import Sidecar

/// The built program under SIGKILL (MA-34) and over a restart (MA-23).
@Suite(.serialized) struct CrashTests {
  private static let events = 1_000
  private static let chunkLines = 25

  private static func line(_ round: Int, _ index: Int) -> String {
    """
    {"id":"\(round)-\(index)","source":"crash","transactionId":"crash-\(round)",\
    "meter":"credits","quantity":1}

    """
  }

  private static func lines(_ round: Int, _ range: Range<Int>) -> [UInt8] {
    Array(range.map { line(round, $0) }.joined().utf8)
  }

  /// Sends lines and waits until all are acknowledged; returns the last acknowledgement.
  private static func send(_ round: Int, _ range: Range<Int>, to path: String) throws -> JSONNode? {
    guard !range.isEmpty else { return nil }
    let stream = try UnixStreamConnection(path: path)
    try stream.write(lines(round, range))
    while true {
      let answers = try stream.readLines(waitMilliseconds: Patience.milliseconds)
      guard let last = answers.last else { return nil }
      let node = try JSONNode.parse(last, dialect: .strict)
      if node["lines"]?.integer == Int64(range.count) { return node }
    }
  }

  /// Sends chunk after chunk without waiting and kills the server when so many lines have been
  /// written; returns how many were acknowledged until then.
  private static func interrupt(_ round: Int, _ server: ServerChild, at limit: Int) throws -> Int {
    let stream = try UnixStreamConnection(path: server.socketPath)
    var acknowledged = 0
    var sent = 0
    func take(wait: Int32) throws {
      for answer in try stream.readLines(waitMilliseconds: wait) {
        let node = try JSONNode.parse(answer, dialect: .strict)
        acknowledged = max(acknowledged, Int(node["lines"]?.integer ?? 0))
      }
    }
    while sent < limit {
      let next = min(sent + chunkLines, limit)
      try stream.write(lines(round, sent..<next))
      sent = next
      try take(wait: 0)
    }
    server.killNow()
    // What arrived before the end counts: it was promised.
    try? take(wait: 1_000)
    return acknowledged
  }

  @Test func nothingAcknowledgedIsLostAndNothingCountsTwice() throws {
    let server = try Binary.server()
    defer { server.finish() }
    var random = RandomSequence(seed: Binary.seed)
    try server.start()
    for round in 0..<10 {
      let limit = Int.random(in: 1...Self.events, using: &random)
      let acknowledged = try Self.interrupt(round, server, at: limit)
      try server.start()
      let again = try Self.send(round, 0..<acknowledged, to: server.socketPath)
      #expect(again?["duplicates"]?.integer ?? 0 == acknowledged, "round \(round)")
      _ = try Self.send(round, 0..<Self.events, to: server.socketPath)
      let answer = try AnswerJSON.parse(
        try ShowCommand.consumption(of: "crash-\(round)", address: server.address))
      let used = answer["usage"]?.elements?.first?["used"]?.string?.string
      #expect(used == "\(Self.events)", "round \(round), killed at \(limit)")
    }
  }

  @Test func restartKeepsCountersAndFigures() throws {
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    _ = try Self.send(0, 0..<250, to: server.socketPath)
    let accepted = #"outlay_events_total{verdict="accepted"}"#
    #expect(try MetricsPage(server.address).value(accepted) == 250)
    let before = try ShowCommand.consumption(of: "crash-0", address: server.address)
    #expect(server.stop())
    try server.start()
    #expect(try MetricsPage(server.address).value(accepted) == 250)
    let after = try ShowCommand.consumption(of: "crash-0", address: server.address)
    #expect(Self.withoutNow(before) == Self.withoutNow(after))
  }

  private static func withoutNow(_ answer: [UInt8]) -> String {
    let text = String(decoding: answer, as: UTF8.self)
    return text.replacing(#/"asOf":"[^"]*"/#, with: "")
  }
}
