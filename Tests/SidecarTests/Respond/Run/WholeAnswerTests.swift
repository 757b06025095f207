import Foundation
import Metering
import Testing
import Wire

@testable import Sidecar

/// All three real processes but Apple: events in, a request, the answer out, its outcome back.
@Suite(.serialized) struct WholeAnswerTests {
  private static let answered =
    #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"DELIVERED","#
    + #""consumptionPercentage":80000,"refundPreference":"DECLINE"}"#

  @discardableResult
  private static func send(
    _ method: String, _ path: String, _ body: String, to server: ServerChild
  ) throws -> HTTPResponse {
    let client = try UnixHTTPClient(path: server.socketPath)
    let answer = try client.send(ClientRequest(method, "/v1/\(path)", body: Array(body.utf8)))
    #expect((200..<300).contains(answer.status), "\(path): \(answer.status)")
    return answer
  }

  /// A purchase of 5,000 credits, of which 4,000 are used; a customer who consents or doesn't.
  private static func buy(
    _ id: String, consented: Bool, _ scene: RespondScene, _ server: ServerChild
  ) throws {
    try scene.store.purchase(id)
    let bought = Clock.now().microseconds / 1000 - 86_400_000
    let purchase = """
      {"productId":"com.example.credits.5000","type":"Consumable","purchaseDate":\(bought),
      "price":9990,"currency":"USD","inAppOwnershipType":"PURCHASED","environment":"Production"}
      """
    try send("PUT", "transactions/\(id)", purchase, to: server)
    try send("PUT", "transactions/\(id)/customer", #"{"customer":"u\#(id)"}"#, to: server)
    let event = #"{"id":"\#(id)","transactionId":"\#(id)","meter":"credits","quantity":4000}"#
    try send("POST", "events", event, to: server)
    if consented {
      try send("PUT", "customers/u\(id)/consent", #"{"consented":true}"#, to: server)
    }
  }

  /// What Apple's notification does.
  private static func request(_ id: String, _ server: ServerChild) throws {
    let body = #"{"consumptionRequestReason":"UNSATISFIED_WITH_PURCHASE"}"#
    try send("POST", "transactions/\(id)/refund-request", body, to: server)
  }

  private static func cases(_ state: String, _ server: ServerChild) throws -> [String] {
    let answer = try send("GET", "refund-requests?state=\(state)", "", to: server)
    let node = try AnswerJSON.parse(answer.body)
    return (node["items"]?.elements ?? []).compactMap { $0["case"]?.text }
  }

  @Test func aRequestIsAnsweredAndOneWithoutConsentIsNot() throws {
    let scene = try RespondScene()
    defer { scene.finish() }
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    try Self.buy("700001", consented: true, scene, server)
    try Self.buy("700002", consented: false, scene, server)
    let responder = try scene.respond(socket: server.socketPath)
    try Self.request("700002", server)
    try Self.request("700001", server)
    #expect(responder.line(with: "case 700001:1: answered") != nil)
    let calls = try scene.store.calls("sendConsumption", count: 1)
    #expect(calls.map(\.body) == [Self.answered])
    #expect(responder.stop() == 0)
    #expect(try Self.cases("answered", server) == ["700001:1"])
    #expect(try Self.cases("open", server) == ["700002:1"])
    #expect(try scene.store.calls("sendConsumption", count: 1).count == 1)
    let why = try Binary.run(
      ["respond", "--dry-run", "700002:1", "--socket", server.socketPath])
    #expect(why.output.contains("nothing    would be sent: not_consented"))
    // Consent that comes later opens the gate.
    let second = try scene.respond(socket: server.socketPath)
    try Self.send("PUT", "customers/u700002/consent", #"{"consented":true}"#, to: server)
    #expect(second.line(with: "case 700002:1: answered") != nil)
  }

  @Test func theSidecarMayDieInBetween() throws {
    let scene = try RespondScene()
    defer { scene.finish() }
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    try Self.buy("700001", consented: true, scene, server)
    // Apple takes the answer only after the sidecar has died.
    try scene.store.plan(#"{"endpoint":"sendConsumption","status":500,"code":5000001}"#)
    let responder = try scene.respond(socket: server.socketPath)
    try Self.request("700001", server)
    _ = try scene.store.calls("sendConsumption", count: 1)
    server.killNow()
    #expect(responder.line(with: "waiting for the sidecar") != nil)
    try server.start()
    #expect(responder.line(with: "case 700001:1: answered") != nil)
    #expect(responder.stop() == 0)
    #expect(try Self.cases("answered", server) == ["700001:1"])
    let calls = try scene.store.calls("sendConsumption", count: 2)
    #expect(calls.map(\.answer) == ["500", "202"])
  }

  @Test func ofTwoRespondersOneSends() throws {
    let scene = try RespondScene()
    defer { scene.finish() }
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    let both = [
      try scene.respond(socket: server.socketPath), try scene.respond(socket: server.socketPath),
    ]
    let ids = (1...6).map { "70000\($0)" }
    for id in ids {
      try Self.buy(id, consented: true, scene, server)
      try Self.request(id, server)
    }
    _ = try scene.store.calls("sendConsumption", count: ids.count)
    for one in both { #expect(one.stop() == 0) }
    #expect(try Self.cases("answered", server).sorted() == ids.map { "\($0):1" })
    #expect(try scene.store.calls("sendConsumption", count: ids.count).count == ids.count)
  }
}
