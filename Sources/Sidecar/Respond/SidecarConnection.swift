import Metering
import Wire

/// The sidecar's socket as any responder sees it: nothing here knows more than the contract says.
/// For one thread at a time.
final class SidecarConnection {
  /// Why the sidecar gave no usable answer.
  enum Fault: Error, CustomStringConvertible {
    /// Nothing listens, or the connection broke; it may come back.
    case unreachable(WireError)
    /// 503: the store can't take writes now.
    case unavailable
    /// Another status than hoped for.
    case refused(status: Int, code: String)
    /// No JSON, or JSON without what the contract promises.
    case malformed

    /// Whether the same may succeed later.
    var isTemporary: Bool {
      switch self {
      case .unreachable, .unavailable: true
      case .refused, .malformed: false
      }
    }

    var description: String {
      switch self {
      case .unreachable(let error): "\(error)"
      case .unavailable: "the sidecar's store isn't available"
      case .refused(let status, let code): "the sidecar answers \(status) \(code)"
      case .malformed: "the sidecar's answer can't be read"
      }
    }
  }

  private let path: String
  private var client: UnixHTTPClient?

  init(path: String) { self.path = path }

  /// One request; any 2xx is its body's JSON, nil when there is none.
  func send(
    _ method: String, _ target: String, body: [UInt8] = [],
    patienceMilliseconds: Int32 = RespondLimits.answerMilliseconds
  ) throws(Fault) -> JSONNode? {
    let answer = try exchange(
      ClientRequest(method, target, body: body), patienceMilliseconds: patienceMilliseconds)
    if answer.status == 503 { throw .unavailable }
    let node = try? JSONNode.parse(answer.body, dialect: .strict)
    guard (200..<300).contains(answer.status) else {
      throw .refused(status: answer.status, code: node?["code"]?.string?.string ?? "")
    }
    if !answer.body.isEmpty, node == nil { throw .malformed }
    return node
  }

  /// One request with its answer as it stands.
  func exchange(
    _ request: ClientRequest, patienceMilliseconds: Int32
  ) throws(Fault) -> HTTPResponse {
    do throws(WireError) {
      let client = try connected(patienceMilliseconds)
      client.patienceMilliseconds = patienceMilliseconds
      return try client.send(request)
    } catch {
      client = nil
      throw .unreachable(error)
    }
  }

  private func connected(_ patienceMilliseconds: Int32) throws(WireError) -> UnixHTTPClient {
    if let client { return client }
    let fresh = try UnixHTTPClient(path: path, patienceMilliseconds: patienceMilliseconds)
    client = fresh
    return fresh
  }

  /// The cases that are open, over all pages. Waits up to `seconds` for others than those of the
  /// answer that `cursor` came with; without a cursor for the first.
  func openCases(
    waitSeconds seconds: Int, after cursor: ByteString?
  ) throws(Fault) -> (cases: [OpenCase], cursor: ByteString?) {
    var target = "/v1/refund-requests?state=open&limit=\(RespondLimits.pageCases)"
    let known = cursor.map { "&after=\(PercentCoding.encode($0.bytes))" } ?? ""
    let patience = Int32(seconds) * 1000 + RespondLimits.answerMilliseconds
    var page = try self.page("\(target)&wait=\(seconds)\(known)", patience)
    let mark = page["cursor"]?.string
    var cases: [OpenCase] = []
    while true {
      cases += (page["items"]?.elements ?? []).compactMap { OpenCase($0) }
      guard let next = page["next"]?.string else { return (cases, mark) }
      target = "/v1/refund-requests?state=open&limit=\(RespondLimits.pageCases)"
      page = try self.page(
        "\(target)&cursor=\(PercentCoding.encode(next.bytes))", RespondLimits.answerMilliseconds)
    }
  }

  private func page(_ target: String, _ patience: Int32) throws(Fault) -> JSONNode {
    guard let page = try send("GET", target, patienceMilliseconds: patience),
      page["items"]?.elements != nil
    else { throw .malformed }
    return page
  }

  /// The consumption of a purchase as it is now.
  func consumption(of transaction: ByteString) throws(Fault) -> JSONNode {
    let id = PercentCoding.encode(transaction.bytes)
    guard let node = try send("GET", "/v1/transactions/\(id)/consumption") else {
      throw .malformed
    }
    return node
  }

  /// Why no notification at all would be taken, in the sidecar's words; nil where they may be.
  /// Asked with a body of a type that no notification has, which is looked at last.
  func refusalOfNotifications() throws(Fault) -> String? {
    let request = ClientRequest(
      "POST", SignedRoute.notification.target, headers: [("Content-Type", "text/plain")],
      body: [0x2D])
    let answer = try exchange(
      request, patienceMilliseconds: RespondLimits.answerMilliseconds)
    guard [403, 404, 501].contains(answer.status) else { return nil }
    return Self.reason(answer)
  }

  /// "501 not_configured: Signed input needs the configuration's appStore section."
  static func reason(_ answer: HTTPResponse) -> String {
    let problem = try? JSONNode.parse(answer.body, dialect: .strict)
    let code = problem?["code"]?.string?.string ?? "without a code"
    let detail = problem?["detail"]?.string.map { ": \($0.string)" } ?? ""
    return "the sidecar answers \(answer.status) \(code)\(detail)"
  }

  /// Gives a signed payload to a signed route.
  func feed(_ payload: ByteString, to route: SignedRoute) throws(Fault) {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key(route.field)
    writer.string(payload)
    writer.endObject()
    _ = try send("POST", route.target, body: writer.bytes)
  }

  /// Where signed payloads go.
  enum SignedRoute {
    case notification, transaction

    var target: String {
      switch self {
      case .notification: "/v1/notifications"
      case .transaction: "/v1/transactions"
      }
    }

    var field: String {
      switch self {
      case .notification: "signedPayload"
      case .transaction: "signedTransactionInfo"
      }
    }
  }
}
