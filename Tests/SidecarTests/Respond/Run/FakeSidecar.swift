import Foundation
import Metering
import Wire

@testable import Sidecar

/// The part of the socket's contract that a responder uses, in memory.
final class FakeSidecar: HTTPService, @unchecked Sendable {
  // Unchecked: everything that changes is guarded by `changed`.
  struct Case {
    var transaction: String
    var environment = "Production"
    var respondBy: Instant
    var request = FakeSidecar.request
    var gate: String?
    var isOpen = true
    var holder: String?
    /// What changes once the case has been listed: the body, or the gate.
    var later: (request: String, gate: String?)?

    /// The case as it is asked for by itself.
    var afterListing: Case {
      var one = self
      if let later { (one.request, one.gate) = later }
      return one
    }

    var consumption: String {
      let environment = gate == "unknown_purchase" ? "null" : "\"\(environment)\""
      let gate = gate.map { "\"\($0)\"" } ?? "null"
      return """
        {"transactionId":"\(transaction)","environment":\(environment),\
        "refundCase":{"case":"\(transaction):1","state":"open","respondBy":"\(respondBy)"},\
        "consumptionRequest":\(gate == "null" ? request : "null"),"gate":\(gate),\
        "because":["share 80000 at or above declineAt 70000"]}
        """
    }
  }

  static let request =
    #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"DELIVERED","#
    + #""consumptionPercentage":80000,"refundPreference":"DECLINE"}"#

  private struct Parked {
    var known: String
    var reply: HTTPReply
  }

  private let changed = NSCondition()
  private var cases: [String: Case] = [:]
  private var version = 0
  private var parked: [Parked] = []
  private var received: [String] = []
  private var loop: EventLoop?
  private var statuses: [String: Int] = [:]
  private var endsAt: String?
  private var isRestless = false
  let path: String

  init(path: String) throws {
    self.path = path
    try start()
  }

  /// Listens, as after a restart: what it knows is kept.
  func start() throws {
    let loop = try EventLoop()
    try loop.listen(.unix(path: path, mode: 0o600, group: nil), http: self)
    try loop.start()
    changed.withLock { self.loop = loop }
  }

  func stop() {
    let (loop, left) = changed.withLock { () -> (EventLoop?, [Parked]) in
      defer {
        self.loop = nil
        parked = []
      }
      return (self.loop, parked)
    }
    for one in left { one.reply.send(Problem.storeUnavailable.response) }
    loop?.stop(within: .milliseconds(200))
  }

  /// Adds or changes a case and wakes who waits for it.
  func open(_ one: Case) { change { cases[one.transaction + ":1"] = one } }

  /// From now on a call beginning so is answered with this status; 0 as usual again.
  func answer(_ call: String, with status: Int) {
    changed.withLock { statuses[call] = status == 0 ? nil : status }
  }

  /// From now on figures change all the time: every listing is another.
  func beRestless() { changed.withLock { isRestless = true } }

  /// Ends it once it has answered a call that begins so.
  func end(after call: String) { changed.withLock { endsAt = call } }

  /// Waits until so many calls that begin so were received; their texts.
  func calls(_ start: String, count: Int) -> [String] {
    let patience = Patience()
    return changed.withLock {
      while true {
        let found = received.filter { $0.hasPrefix(start) }
        if found.count >= count || patience.isOver { return found }
        _ = changed.wait(until: Date(timeIntervalSinceNow: 1))
      }
    }
  }

  private func change(_ body: () -> Void) {
    let left = changed.withLock { () -> [Parked] in
      body()
      version += 1
      defer { parked = [] }
      return parked
    }
    for one in left { one.reply.send(list()) }
  }

  func handle(_ request: HTTPRequest, _ reply: HTTPReply) {
    let query = request.query.map { "\($0.name)=\(String(decoding: $0.value, as: UTF8.self))" }
    let path = request.segments.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
    let body = String(decoding: request.body, as: UTF8.self)
    let call = "\(request.method) /\(path) \(body)"
    let (status, ends) = changed.withLock { () -> (Int?, Bool) in
      let ends = endsAt.map { call.hasPrefix($0) } ?? false
      if ends { endsAt = nil }
      return (statuses.first { call.hasPrefix($0.key) }?.value, ends)
    }
    if let status {
      let code = status == 422 ? "unverified" : "planned"
      reply.send(.problem(status: status, code: code, detail: "As the test wants it."))
    } else if path == "v1/refund-requests" {
      list(query, reply)
    } else {
      reply.send(answer(request.method, path, body))
    }
    // Only asked whether notifications are taken at all.
    if body == "-" { return }
    changed.withLock {
      received.append(call)
      changed.broadcast()
    }
    // Not from the loop's own thread, which it waits for.
    if ends { DispatchQueue.global().async { self.stop() } }
  }

  private func list(_ query: [String], _ reply: HTTPReply) {
    let known = query.first { $0.hasPrefix("after=") }.map { String($0.dropFirst(6)) }
    let wait = query.first { $0.hasPrefix("wait=") }.flatMap { Double($0.dropFirst(5)) } ?? 0
    guard query.contains("state=open") else {
      return reply.send(.json(Array(#"{"items":[],"next":null,"cursor":"x"}"#.utf8)))
    }
    let isParked = changed.withLock { () -> Bool in
      guard wait > 0, let known, known == "v\(version)" else { return false }
      parked.append(Parked(known: known, reply: reply))
      return true
    }
    guard isParked else { return reply.send(list()) }
    DispatchQueue.global().asyncAfter(deadline: .now() + wait) { [self] in
      let isOver = changed.withLock { () -> Bool in
        guard let index = parked.firstIndex(where: { $0.reply === reply }) else { return false }
        parked.remove(at: index)
        return true
      }
      if isOver { reply.send(list()) }
    }
  }

  private func list() -> HTTPResponse {
    changed.withLock {
      defer { if isRestless { version += 1 } }
      let items = cases.filter(\.value.isOpen).sorted { $0.value.respondBy < $1.value.respondBy }
        .map { id, one in
          """
          {"case":"\(id)","transactionId":"\(one.transaction)","state":"open",\
          "respondBy":"\(one.respondBy)","consumption":\(one.consumption)}
          """
        }
      let text =
        "{\"items\":[\(items.joined(separator: ","))],\"next\":null,\"cursor\":\"v\(version)\"}"
      return .json(Array(text.utf8))
    }
  }

  private func answer(_ method: String, _ path: String, _ body: String) -> HTTPResponse {
    let parts = path.split(separator: "/").map(String.init)
    let node = try? JSONNode.parse(Array(body.utf8), dialect: .strict)
    switch (method, parts.count > 1 ? parts[1] : "", parts.last ?? "") {
    case ("POST", "notifications", _), ("POST", "transactions", "transactions"):
      return .json(Array(#"{"applied":true}"#.utf8))
    case ("GET", "transactions", "consumption"):
      guard let one = changed.withLock({ cases[parts[2] + ":1"] }) else { break }
      return .json(Array(one.afterListing.consumption.utf8))
    case ("POST", "refund-requests", "claim"):
      let name = node?["responder"]?.text
      let holder = changed.withLock { () -> String? in
        let holder = cases[parts[2]]?.holder ?? name
        cases[parts[2]]?.holder = holder
        return holder
      }
      if holder == name { return .json(Array("{}".utf8)) }
      return .problem(status: 409, code: "claimed", detail: "Another has it.")
    case ("POST", "refund-requests", "response"):
      let isSuccess = (200..<300).contains(node?["httpStatus"]?.integer ?? 0)
      change { if isSuccess { cases[parts[2]]?.isOpen = false } }
      return .json(Array("{}".utf8))
    default: break
    }
    return .problem(status: 404, code: "unknown_path", detail: "Nothing answers here.")
  }
}
