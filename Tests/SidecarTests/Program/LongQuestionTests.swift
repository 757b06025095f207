import Foundation
import Metering
import Testing

@testable import Sidecar
@testable import Wire

/// Short and long questions against the built program.
@Suite struct LongQuestionTests {
  /// A part of whose money went back, so that each of its readings is looked at.
  private static func prepare(_ server: ServerChild, readings: Int) throws {
    let client = try UnixHTTPClient(path: server.socketPath)
    let now = Int64(Date().timeIntervalSince1970)
    let purchase = """
      {"productId":"com.example.credits.5000","type":"Consumable",
      "purchaseDate":\(now - 86_400)000,"price":9990,"currency":"USD",
      "inAppOwnershipType":"PURCHASED","environment":"Production",
      "revocationDate":\(now - 3_600)000,"revocationType":"REFUND_PRORATED",
      "revocationPercentage":50000}
      """
    let put = ClientRequest("PUT", "/v1/transactions/long", body: Array(purchase.utf8))
    #expect(try client.send(put).status == 201)
    for first in stride(from: 0, to: readings, by: 10_000) {
      let lines = (first..<min(readings, first + 10_000)).map {
        #"{"id":"\#($0)","transactionId":"long","meter":"credits","quantity":"0.01"}"#
      }
      let post = ClientRequest(
        "POST", "/v1/events", headers: [("Content-Type", "application/x-ndjson")],
        body: Array(lines.joined(separator: "\n").utf8))
      #expect(try client.send(post).status == 200)
    }
  }

  /// What was asked later about another purchase is answered before.
  @Test func nobodyWaitsForAnothersLongQuestion() throws {
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    try Self.prepare(server, readings: 40_000)
    let long = try ClientSocket(unix: server.socketPath)
    let questions = ["short", "long/consumption"].map {
      "GET /v1/transactions/\($0) HTTP/1.1\r\nHost: a\r\n\r\n"
    }
    try long.write(Array(questions.joined().utf8))
    func answers() -> Int {
      String(decoding: long.received, as: UTF8.self).components(separatedBy: "HTTP/1.1 ").count - 1
    }
    while answers() < 1 { _ = try long.waitForInput(milliseconds: nil) }
    // The long one's turn comes with the first answer; whatever is asked after another answer is
    // asked behind it.
    let client = try UnixHTTPClient(path: server.socketPath)
    for _ in 0..<2 {
      #expect(try client.send(ClientRequest("GET", "/v1/transactions/other")).status == 404)
    }
    try long.receive()
    #expect(answers() == 1)
    while answers() < 2 { _ = try long.waitForInput(milliseconds: nil) }
    #expect(String(decoding: long.received, as: UTF8.self).contains("HTTP/1.1 200 OK"))
  }
}
