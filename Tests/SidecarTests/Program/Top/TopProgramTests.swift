import Foundation
import Metering
import Testing
import Wire

@testable import Sidecar

/// `outlay top` of the built program, beside a real server.
@Suite(.serialized) struct TopProgramTests {
  /// A server with a purchase, its usage and a request for its money, all of it rolled up.
  private static func server() throws -> ServerChild {
    let server = try Binary.server()
    try server.start()
    let client = try server.address.connect()
    let now = CommandSystem.wallMicroseconds() / 1000
    let payload = """
      {"transactionId":"7001","originalTransactionId":"7001","type":"Consumable",\
      "productId":"com.example.credits.5000","quantity":1,"purchaseDate":\(now - 86_400_000),\
      "inAppOwnershipType":"PURCHASED","environment":"Production","price":9990,"currency":"USD"}
      """
    let event = #"{"id":"1","transactionId":"7001","meter":"credits","quantity":1234.5}"#
    for (method, target, body) in [
      ("PUT", "/v1/transactions/7001", payload), ("POST", "/v1/events", event),
      (
        "POST", "/v1/transactions/7001/refund-request",
        #"{"consumptionRequestReason":"UNINTENDED_PURCHASE"}"#
      ),
    ] {
      _ = try ServerAddress.send(
        ClientRequest(
          method, target, headers: [("Content-Type", "application/json")], body: Array(body.utf8)),
        by: client)
    }
    try waitForSurvey(server)
    return server
  }

  private static func waitForSurvey(_ server: ServerChild) throws {
    let isTold = try Patience.waits(pause: 20) {
      try MetricsPage(server.address).samples("outlay_cost_at_risk")
        .contains { $0.labels["risk"] == "requested" && $0.value == 12.345 }
    }
    #expect(isTold, "the rollup doesn't come")
  }

  @Test func printsOnceWithoutATerminal() throws {
    let server = try Self.server()
    defer { server.finish() }
    for options in [[], ["--once"]] {
      let run = try Binary.run(["top", "--socket", server.socketPath] + options)
      #expect(run.code == 0, "\(run.errors)")
      #expect(run.output.contains("open refund requests (1)\nleft"))
      #expect(run.output.contains("12.35 USD  not_consented  UNINTENDED_PURCHASE  7001"))
      #expect(run.output.contains("12.35 USD  6.99 USD  requested  24 %  7001"))
      #expect(!run.output.contains("\u{1B}"))
    }
  }

  @Test func jsonIsExact() throws {
    let server = try Self.server()
    defer { server.finish() }
    let run = try Binary.run(["top", "--json", "--socket", server.socketPath])
    let answer = try JSONNode.parse(Array(run.output.utf8), dialect: .strict)
    #expect(answer["totals"]?.elements?.first?["requested"]?.string == "12.345")
    let purchase = answer["purchases"]?.elements?.first
    #expect(purchase?["transactionId"]?.string == "7001")
    #expect(purchase?["atRisk"]?["cost"]?.elements?.first?["amount"]?.string == "12.345")
    #expect(answer["openCases"]?.elements?.first?["case"]?.string == "7001:1")
  }

  @Test(arguments: ["^C", "q"]) func leavesTheTerminalAsItWas(key: String) throws {
    let server = try Self.server()
    defer { server.finish() }
    let seen = try Self.onTerminal(columns: 60, key: key, ["--socket", server.socketPath])
    #expect(seen["code"]?.integer == 0)
    #expect(seen["restored"]?.bool == true)
    #expect(seen["echoed"]?.bool == false)
    let drawn = try #require(seen["drawn"]?.string?.string)
    #expect(drawn.contains("\u{1B}[?1049h\u{1B}[?25l"))
    #expect(drawn.hasSuffix("\u{1B}[?25h\u{1B}[?1049l"))
    #expect(drawn.contains("\u{1B}[1mopen refund requests (1)\u{1B}[0m"))
    // Each screen holds lines of at most 60 columns, whatever is in them.
    let screens = drawn.split(separator: "\u{1B}[H").dropFirst()
    let lines = screens.flatMap { $0.split(separator: "\r\n") }.map {
      $0.replacing(/\u{1B}\[[0-9;?]*[A-Za-z]/, with: "")
    }
    #expect(lines.count > 5)
    #expect(lines.filter { PlainText.width(String($0)) > 60 } == [])
  }

  @Test func coloursCanBeForbidden() throws {
    let server = try Self.server()
    defer { server.finish() }
    let seen = try Self.onTerminal(
      columns: 60, key: "q", ["--socket", server.socketPath], ["NO_COLOR": "1"])
    let drawn = try #require(seen["drawn"]?.string?.string)
    #expect(drawn.contains("open refund requests (1)\u{1B}[K"))
    #expect(!drawn.contains("\u{1B}[1m"))
  }

  private static func onTerminal(
    columns: Int, key: String, _ arguments: [String], _ settings: [String: String] = [:]
  ) throws -> JSONNode {
    try TerminalRun.run(
      ["top"] + arguments, columns: columns, text: "open refund requests", key: key, settings)
  }
}
