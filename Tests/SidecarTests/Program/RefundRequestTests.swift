import Foundation
import Metering
import Testing
import Wire

@testable import Sidecar

/// Refund requests against the built program, over its socket.
@Suite(.serialized) struct RefundRequestTests {
  private struct Answer {
    var status: Int
    var node: JSONNode

    var code: String? { node["code"]?.string?.string }
    var cases: [String] {
      (node["items"]?.elements ?? []).compactMap { item in
        item["case"]?.string.map { "\($0) \(item["state"]?.string?.string ?? "")" }
      }
    }
  }

  private static func send(
    _ method: String, _ path: String, _ body: String = "", to server: ServerChild
  ) throws -> Answer {
    let client = try UnixHTTPClient(path: server.socketPath)
    client.patienceMilliseconds = 20_000
    let response = try client.send(
      ClientRequest(method, "/v1/\(path)", body: Array(body.utf8)))
    let node = response.body.isEmpty ? "null" : String(decoding: response.body, as: UTF8.self)
    return Answer(
      status: response.status, node: try JSONNode.parse(Array(node.utf8), dialect: .strict))
  }

  /// A purchase of credits with consent, of which four fifths are used.
  private static func prepare(_ server: ServerChild) throws {
    let bought = Int64(Date().timeIntervalSince1970 - 86_400) * 1_000
    let purchase = """
      {"productId":"com.example.credits.5000","type":"Consumable","purchaseDate":\(bought),
      "price":9990,"currency":"USD","inAppOwnershipType":"PURCHASED","environment":"Production"}
      """
    let event = #"{"id":"1","transactionId":"a:b","meter":"credits","quantity":4000}"#
    for (method, path, body, status) in [
      ("PUT", "transactions/a%3Ab", purchase, 201), ("POST", "events", event, 200),
      ("PUT", "transactions/a%3Ab/customer", #"{"customer":"u"}"#, 204),
      ("PUT", "customers/u/consent", #"{"consented":true}"#, 204),
    ] {
      #expect(try send(method, path, body, to: server).status == status)
    }
  }

  @Test func fromTheRequestToTheAnswer() throws {
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    try Self.prepare(server)
    func post(_ path: String, _ body: String) throws -> Answer {
      try Self.send("POST", path, body, to: server)
    }
    let request = #"{"consumptionRequestReason":"UNSATISFIED_WITH_PURCHASE"}"#
    let opened = try post("transactions/a%3Ab/refund-request", request)
    #expect(opened.status == 201)
    #expect(opened.node["case"]?.string == "a:b:1")
    #expect(try post("transactions/a%3Ab/refund-request", request).status == 200)
    let list = try Self.send("GET", "refund-requests?state=open&wait=30", to: server)
    #expect(list.cases == ["a:b:1 open"])
    let proposal = list.node["items"]?.elements?.first?["consumption"]?["consumptionRequest"]
    #expect(proposal?["refundPreference"]?.string == "DECLINE")

    let path = "refund-requests/a%3Ab%3A1"
    #expect(try post("\(path)/claim", #"{"responder":"one","seconds":600}"#).status == 200)
    let held = try post("\(path)/claim", #"{"responder":"two"}"#)
    #expect(held.status == 409 && held.code == "claimed")
    let unknown = try post("refund-requests/a%3Ab%3A2/claim", #"{"responder":"one"}"#)
    #expect(unknown.status == 404 && unknown.code == "unknown_case")
    let failure = try post("\(path)/response", #"{"sent":{},"httpStatus":500,"errorCode":5000001}"#)
    #expect(failure.status == 200 && failure.node["state"]?.string == "open")
    let success = #"{"sent":{"refundPreference":"DECLINE"},"httpStatus":202,"errorCode":null}"#
    #expect(try post("\(path)/response", success).node["state"]?.string == "answered")
    #expect(try post("\(path)/response", success).status == 200)
    let other = try post("\(path)/response", #"{"sent":{},"httpStatus":202}"#)
    #expect(other.status == 409 && other.code == "already_answered")

    #expect(server.stop())
    try server.start()
    let answered = try Self.send("GET", "refund-requests?state=answered", to: server)
    #expect(answered.cases == ["a:b:1 answered"])
    let frozen = answered.node["items"]?.elements?.first?["response"]?["figures"]
    #expect(frozen?["consumptionPercentage"]?.integer == 80_000)
    let show = try Binary.run(["show", "a:b", "--socket", server.socketPath])
    for line in [
      "refund request a:b:1, answered", "reason     UNSATISFIED_WITH_PURCHASE",
      "gate       answered: nothing is to be sent", "the request is answered already",
    ] { #expect(show.output.contains(line)) }
  }

  /// A client that asks and reads its answer later.
  private struct Waiting {
    let stream: UnixStreamConnection

    init(_ query: String, _ server: ServerChild) throws {
      stream = try UnixStreamConnection(path: server.socketPath)
      try stream.write(
        Array("GET /v1/refund-requests?\(query) HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
    }

    /// The answer, if it comes sooner than the wait would end.
    func answer() throws -> Answer? {
      while true {
        let lines = try stream.readLines(waitMilliseconds: Patience.milliseconds)
        guard !lines.isEmpty else { return nil }
        for line in lines where line.first == UInt8(ascii: "{") {
          return Answer(status: 200, node: try JSONNode.parse(line, dialect: .strict))
        }
      }
    }
  }

  @Test func waitingClientsAreWoken() throws {
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    try Self.prepare(server)
    let open = "transactions/a%3Ab/refund-request"
    let first = try Waiting("state=open&wait=60", server)
    // The reader answers in order, so the first client waits before this is answered.
    #expect(try Self.send("GET", "refund-requests?state=open", to: server).cases == [])
    #expect(try Self.send("POST", open, "{}", to: server).status == 201)
    let answer = try #require(try first.answer())
    #expect(answer.cases == ["a:b:1 open"])

    let cursor = try #require(answer.node["cursor"]?.string?.string)
    let second = try Waiting("state=open&wait=60&after=\(cursor)", server)
    #expect(try Self.send("GET", "refund-requests?state=open", to: server).cases.count == 1)
    let event = #"{"id":"2","transactionId":"a:b","meter":"credits","quantity":1000}"#
    #expect(try Self.send("POST", "events", event, to: server).status == 200)
    let changed = try #require(try second.answer())
    let consumption = changed.node["items"]?.elements?.first?["consumption"]
    #expect(consumption?["consumptionPercentage"]?.integer == 100_000)

    let last = try #require(changed.node["cursor"]?.string?.string)
    let third = try Waiting("state=open&wait=60&after=\(last)", server)
    #expect(try Self.send("GET", "refund-requests?state=open", to: server).cases.count == 1)
    // An orderly end doesn't wait for those who wait.
    #expect(server.stop())
    #expect(try third.answer()?.cases == ["a:b:1 open"])
  }
}
