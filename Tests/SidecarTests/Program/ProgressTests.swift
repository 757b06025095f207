import Foundation
import Metering
import Testing
import Wire

@testable import Sidecar

/// Long work tells how far it is, on a terminal and nowhere else.
@Suite(.serialized) struct ProgressTests {
  @Test(
    arguments: [
      (0, 4, "sent 0 of 4, 0 %"), (1_999, 2_000, "sent 1,999 of 2,000, 99 %"),
      (4, 4, "sent 4 of 4, 100 %"), (0, 0, "sent 0 of 0, 100 %"),
    ])
  func says(done: Int, total: Int, text: String) {
    #expect(ProgressLine("sent", of: total).text(done) == text)
  }

  private static func expect(_ words: [String], shows told: String) throws {
    let seen = try TerminalRun.run(words)
    #expect(seen["code"]?.integer == 0)
    let drawn = try #require(seen["drawn"]?.string?.string)
    #expect(drawn.contains("\r\u{1B}[K") && drawn.contains(told), "\(words[0])")
    #expect(try !Binary.run(words).errors.contains("\u{1B}"), "\(words[0])")
  }

  @Test func sendAndVerifyAndBenchShowIt() throws {
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    let lines = (0..<20_000).map {
      #"{"id":"\#($0)","transactionId":"7","meter":"credits","quantity":1}"#
    }
    let file = "\(server.folder)/events.ndjson"
    try CommandSystem.writeFile(file, lines.joined(separator: "\n") + "\n")
    try Self.expect(["send", file, "--socket", server.socketPath], shows: " acknowledged, ")
    // More commits than verify counts at once, and all of them in the ledger.
    let client = try server.address.connect()
    for number in 0..<130 {
      let body = #"{"id":"single-\#(number)","transactionId":"7","meter":"credits","quantity":1}"#
      _ = try ServerAddress.send(
        ClientRequest(
          "POST", "/v1/events", headers: [("Content-Type", "application/json")],
          body: Array(body.utf8)), by: client)
    }
    #expect(server.stop())
    try Self.expect(["verify", "--store", server.storePath], shows: "verifying: ")
    try Self.expect(
      ["bench", "--events", "20000", "--purchases", "500", "--directory", "/tmp"],
      shows: "acknowledged ")
  }
}
