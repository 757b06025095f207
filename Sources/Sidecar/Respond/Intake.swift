import Foundation
import Metering
import Store
import Wire

/// Takes Apple's POSTs and hands each to the sidecar; the sidecar's durable 200 is ours. For what
/// got 5xx Apple comes again after an hour, hence 503 is only for what may succeed then. What never
/// will gets 4xx: it stays among the failed deliveries, from which it is fetched once the cause is
/// mended.
final class Intake: HTTPService, @unchecked Sendable {
  // Unchecked: `lines` is guarded by `lock`; the rest never changes or is thread-safe.
  private let path: String
  private let state: ResponderState
  private let outage: @Sendable () -> Void
  private let forwarders: Forwarders
  private let lock = NSLock()
  private var lines = RepeatedLines()

  /// `outage` is told when a notification couldn't be handed over.
  init(
    path: String, forwarders: Forwarders, state: ResponderState,
    outage: @escaping @Sendable () -> Void
  ) {
    self.path = path
    self.forwarders = forwarders
    self.state = state
    self.outage = outage
  }

  func handle(_ request: HTTPRequest, _ reply: HTTPReply) {
    guard request.path == path else { return reply.send(Problem.unknownPath.response) }
    guard request.method == "POST" else {
      return reply.send(Problem.methodNotAllowed("POST").response)
    }
    let until = SystemClock.monotonic() + UInt64(RespondLimits.forwardMilliseconds) * 1_000_000
    forwarders.take(request.body, until: until) { [self] outcome in
      switch outcome {
      case .success(let answer)?: answered(answer, reply)
      case .failure, nil: unavailable(reply)
      }
    }
  }

  private func answered(_ answer: HTTPResponse, _ reply: HTTPReply) {
    switch answer.status {
    case 200..<300:
      state.note { $0.intake[.accepted, default: 0] += 1 }
      reply.send(HTTPResponse(status: 200))
    case 422 where Self.code(answer) == "unverified":
      // Nothing of Apple's: asking for it again would bring the same again.
      state.note { $0.intake[.unverified, default: 0] += 1 }
      tell("a notification isn't Apple's, or not for this app", Self.detail(answer))
      reply.send(.problem(status: 422, code: "unverified", detail: "The payload isn't believed."))
    case 400, 413, 415, 422:
      state.note { $0.intake[.malformed, default: 0] += 1 }
      tell("a body is no notification", Self.detail(answer))
      reply.send(
        .problem(
          status: answer.status, code: "malformed", detail: "The body is no notification."))
    case 400..<500, 501:
      refused(answer, reply)
    default:
      tell("a notification can't be taken now", SidecarConnection.reason(answer))
      unavailable(reply)
    }
  }

  /// The sidecar will say the same as long as nobody changes something. Of all statuses Apple is
  /// known not to come again after 400.
  private func refused(_ answer: HTTPResponse, _ reply: HTTPReply) {
    state.note { $0.intake[.refused, default: 0] += 1 }
    tell("a notification of Apple's is refused for good", SidecarConnection.reason(answer))
    reply.send(
      .problem(
        status: 400, code: Self.code(answer) ?? "refused",
        detail: "The notification can't be taken, now or later."))
  }

  private func unavailable(_ reply: HTTPReply) {
    state.note { $0.intake[.unavailable, default: 0] += 1 }
    reply.send(Problem.storeUnavailable.response)
    outage()
  }

  private func tell(_ kind: String, _ example: String) {
    let line = lock.withLock { lines.line(kind, example: example, at: SystemClock.monotonic()) }
    if let line { Log.write(line) }
  }

  private static func code(_ answer: HTTPResponse) -> String? {
    (try? JSONNode.parse(answer.body, dialect: .strict))?["code"]?.string?.string
  }

  /// The sidecar's own sentence, which names no payload.
  private static func detail(_ answer: HTTPResponse) -> String {
    let problem = try? JSONNode.parse(answer.body, dialect: .strict)
    return problem?["detail"]?.string?.string ?? "it doesn't say why"
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
          now: SystemClock.now()))
    case .answer(let response): reply.send(response)
    case .events, .command, .signed, .question, .page:
      preconditionFailure("the metrics listener takes nothing else")
    }
  }
}
