import Dispatch
import Metering
import Synchronization
import Wire

/// Takes Apple's POSTs and hands each to the sidecar; the sidecar's durable 200 is ours.
final class Intake: HTTPService {
  private let path: String
  private let socketPath: String
  private let state: ResponderState
  private let outage: @Sendable () -> Void
  private let forwarders = DispatchQueue(label: "intake", attributes: .concurrent)
  private let forwarding = Atomic<Int>(0)

  /// `outage` is told when a notification couldn't be handed over.
  init(
    path: String, socketPath: String, state: ResponderState,
    outage: @escaping @Sendable () -> Void
  ) {
    self.path = path
    self.socketPath = socketPath
    self.state = state
    self.outage = outage
  }

  func handle(_ request: HTTPRequest, _ reply: HTTPReply) {
    guard request.path == path else { return reply.send(Problem.unknownPath.response) }
    guard request.method == "POST" else {
      return reply.send(Problem.methodNotAllowed("POST").response)
    }
    guard forwarding.load(ordering: .relaxed) < RespondLimits.forwards else {
      return unavailable(reply)
    }
    forwarding.add(1, ordering: .relaxed)
    let arrival = Clock.monotonic()
    forwarders.async { [self] in
      defer { forwarding.subtract(1, ordering: .relaxed) }
      // Waiting for a thread counts, too.
      let waited = Int32(clamping: (Clock.monotonic() - arrival) / 1_000_000)
      let left = RespondLimits.forwardMilliseconds - waited
      if left > 0 { forward(request.body, reply, within: left) } else { unavailable(reply) }
    }
  }

  private func forward(_ body: [UInt8], _ reply: HTTPReply, within milliseconds: Int32) {
    let sidecar = SidecarConnection(path: socketPath)
    let request = ClientRequest(
      "POST", SidecarConnection.SignedRoute.notification.target,
      headers: [("Content-Type", "application/json")], body: body)
    guard
      let answer = try? sidecar.exchange(
        request, patienceMilliseconds: milliseconds)
    else { return unavailable(reply) }
    let problem = try? JSONNode.parse(answer.body, dialect: .strict)
    switch answer.status {
    case 200..<300:
      state.note { $0.intake[.accepted, default: 0] += 1 }
      reply.send(HTTPResponse(status: 200))
    case 422 where problem?["code"]?.string == "unverified":
      // Nothing of Apple's: asking for it again would bring the same again.
      state.note { $0.intake[.unverified, default: 0] += 1 }
      Log.write("a notification isn't Apple's, or not for this app: \(Self.detail(problem))")
      reply.send(.problem(status: 422, code: "unverified", detail: "The payload isn't believed."))
    case 400, 413, 415, 422:
      state.note { $0.intake[.malformed, default: 0] += 1 }
      reply.send(
        .problem(
          status: answer.status, code: "malformed", detail: "The body is no notification."))
    default:
      // A sidecar that isn't configured to take it may be so soon.
      Log.write("the sidecar answers \(answer.status) to a notification")
      unavailable(reply)
    }
  }

  private func unavailable(_ reply: HTTPReply) {
    state.note { $0.intake[.unavailable, default: 0] += 1 }
    reply.send(Problem.storeUnavailable.response)
    outage()
  }

  /// The sidecar's own sentence, which names no payload.
  private static func detail(_ problem: JSONNode?) -> String {
    problem?["detail"]?.string?.string ?? "it doesn't say why"
  }
}

/// Answers scrapes of the responder's own metrics.
final class ResponderMetricsService: HTTPService {
  private let state: ResponderState
  private let isForThisMachine: Bool

  /// Tells of `state`, listening on `address`.
  init(_ state: ResponderState, on address: String) {
    self.state = state
    isForThisMachine = PageAnswer.isLocal(host: address)
  }

  func handle(_ request: HTTPRequest, _ reply: HTTPReply) {
    switch Router.routeMetrics(request, isForThisMachine: isForThisMachine) {
    case .health: reply.send(HealthAnswer.health)
    case .readiness:
      reply.send(HealthAnswer.readiness(isReady: state.snapshot().isSidecarUp))
    case .metrics(let format):
      reply.send(
        state.snapshot().response(
          process: ProcessMetrics.current(), format: format, version: Release.version,
          now: Clock.now()))
    case .answer(let response): reply.send(response)
    case .events, .command, .signed, .question, .page:
      preconditionFailure("the metrics listener takes nothing else")
    }
  }
}
