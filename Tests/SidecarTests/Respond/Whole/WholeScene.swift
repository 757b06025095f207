import Foundation
import Metering
import Store
import Testing
import Wire

@testable import Sidecar

/// Sidecar and responders as real processes; only Apple is played, which signs what it tells and
/// tells it to a responder's own door.
final class WholeScene {
  let store: FakeStore
  let server: ServerChild
  private var responders: [ResponderProcess] = []

  init() throws {
    store = try FakeStore()
    server = try Binary.server(believing: store)
    try server.start()
  }

  /// Ends everything; no responder may ever have told a secret or a customer.
  func finish() {
    for one in responders {
      one.finish()
      #expect(!one.text.contains(Self.customer("")))
    }
    server.finish()
    store.finish()
  }

  func respond(
    mode: String = "send", hasTwoApps: Bool = false
  ) throws -> ResponderProcess {
    let one = try ResponderProcess(
      configuration: try store.responderConfiguration(
        mode: mode, socket: server.socketPath, hasTwoApps: hasTwoApps))
    responders.append(one)
    _ = try one.addresses()
    return one
  }

  @discardableResult
  func send(_ method: String, _ path: String, _ body: String = "") throws -> JSONNode {
    let client = try UnixHTTPClient(path: server.socketPath)
    client.patienceMilliseconds = 40_000
    let answer = try client.send(ClientRequest(method, "/v1/\(path)", body: Array(body.utf8)))
    #expect((200..<300).contains(answer.status), "\(path): \(answer.status)")
    return try AnswerJSON.parse(answer.body.isEmpty ? Array("null".utf8) : answer.body)
  }

  /// Who buys a purchase.
  static func customer(_ purchase: String) -> String { "customer-of-\(purchase)" }

  /// What Apple knows of a purchase of 5,000 credits, with further fields.
  func sell(_ id: String, in environment: String = "Production", _ fields: String = "") throws {
    let bought = SystemClock.now().microseconds / 1000 - 86_400_000
    try store.purchase(
      id, in: environment,
      #""purchaseDate":\#(bought),"price":9990,"currency":"USD""# + fields)
  }

  /// A purchase of which 4,000 credits are used, as the backend tells of it: what it is will be
  /// told by Apple.
  func buy(_ id: String, in environment: String = "Production", consented: Bool = true) throws {
    try sell(id, in: environment)
    let customer = Self.customer(id)
    try send("PUT", "transactions/\(id)/customer", #"{"customer":"\#(customer)"}"#)
    let event = #"{"id":"\#(id)","transactionId":"\#(id)","meter":"credits","quantity":4000}"#
    try send("POST", "events", event)
    if consented { try consent(id) }
  }

  func consent(_ id: String) throws {
    try send("PUT", "customers/\(Self.customer(id))/consent", #"{"consented":true}"#)
  }

  /// Has Apple deliver a notification once, signed so many seconds ago; the status it got.
  @discardableResult
  func notify(
    _ kind: String, of id: String, in environment: String = "Production", age: Int = 0,
    _ more: String = "", to responder: ResponderProcess
  ) throws -> Int64? {
    let url = try responder.addresses().intake
    let members = """
      "url":"\(url)","environment":"\(environment)","kind":"\(kind)","transactionId":"\(id)",
      "age":\(age)\(more)
      """.replacing("\n", with: "")
    return try store.command("notify", members)["status"]?.integer
  }

  /// Has Apple deliver a request for a refund.
  @discardableResult
  func ask(
    _ id: String, in environment: String = "Production", age: Int = 0,
    to responder: ResponderProcess
  ) throws -> Int64? {
    try notify(
      "CONSUMPTION_REQUEST", of: id, in: environment, age: age,
      #","consumptionRequestReason":"UNSATISFIED_WITH_PURCHASE""#, to: responder)
  }

  /// Signed requests for refunds of so many purchases with consent, as Apple posts them.
  func requests(_ count: Int) throws -> [String] {
    try (1...count).map { number in
      let id = "\(800_000 + number)"
      try sell(id)
      let answer = try store.command(
        "sign", #""environment":"Production","kind":"CONSUMPTION_REQUEST","transactionId":"\#(id)""#
      )
      return #"{"signedPayload":"\#(try #require(answer["signedPayload"]?.text))"}"#
    }
  }

  /// Posts all at the same time, as Apple does after an outage; what each was answered.
  func post(_ bodies: [String], to responder: ResponderProcess) throws -> [Int] {
    try post(bodies, to: try responder.addresses().intake)
  }

  /// Posts all at the same time to a URL.
  func post(_ bodies: [String], to url: String) throws -> [Int] {
    let url = url.dropFirst("http://".count)
    let path = String(url.drop { $0 != "/" })
    let address = String(url.prefix { $0 != "/" })
    let statuses = Statuses()
    for body in bodies {
      let thread = Thread {
        let client = try? UnixHTTPClient(tcp: address, patienceMilliseconds: Patience.milliseconds)
        let answer = try? client?.send(ClientRequest("POST", path, body: Array(body.utf8)))
        statuses.add(answer?.status ?? 0)
      }
      thread.start()
    }
    return statuses.all(bodies.count)
  }

  private final class Statuses: @unchecked Sendable {
    // Unchecked: `found` is guarded by `changed`.
    private let changed = NSCondition()
    private var found: [Int] = []

    func add(_ status: Int) {
      changed.withLock {
        found.append(status)
        changed.broadcast()
      }
    }

    func all(_ count: Int) -> [Int] {
      changed.withLock {
        while found.count < count { changed.wait() }
        return found
      }
    }
  }

  /// Waits until so many cases are in a state; all that are.
  func cases(_ state: String, count: Int = 0) throws -> [JSONNode] {
    let patience = Patience()
    var after = ""
    while true {
      let page = try send("GET", "refund-requests?state=\(state)\(after)")
      let items = try #require(page["items"]?.elements)
      if items.count >= count || patience.isOver { return items }
      let cursor = PercentCoding.encode(page["cursor"]?.string?.bytes ?? [])
      // Other requests than those of this state don't wake; hence no long wait.
      after = "&wait=1&after=\(cursor)"
    }
  }

  /// The ids of ``cases(_:count:)``, sorted.
  func names(_ state: String, count: Int = 0) throws -> [String] {
    try cases(state, count: count).compactMap { $0["case"]?.text }.sorted()
  }

  /// A purchase's consumption answer.
  func consumption(_ id: String) throws -> JSONNode {
    try send("GET", "transactions/\(id)/consumption")
  }

  /// Waits until a sample of the sidecar's metrics has a value; the value it has then. A busy
  /// machine may take longer than the 15 seconds that gauges may lag.
  func metric(_ sample: String, becomes value: Double) throws -> Double? {
    var seen: Double?
    _ = Patience.waits(pause: 50) {
      seen = try? MetricsPage(server.address).value(sample)
      return seen == value
    }
    return seen
  }

  /// The bodies that Apple took for a purchase.
  func taken(_ id: String) throws -> [String] {
    try store.calls("sendConsumption", count: 0)
      .filter { $0.path.hasSuffix("/\(id)") && $0.answer == "202" }.map(\.body)
  }
}
