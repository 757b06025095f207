import Metering
import Store
import Wire

/// Answers HTTP on the socket.
final class RouteService: HTTPService {
  private let service: Service

  init(_ service: Service) { self.service = service }

  func shouldReadBody(of head: HTTPRequestHead) -> Bool {
    service.takesEvents || !head.isPath("/v1/events")
  }

  func bodyLimit(of head: HTTPRequestHead) -> Int { Router.bodyLimit(of: head) }

  func handle(_ request: HTTPRequest, _ reply: HTTPReply) {
    let router = Router(configuration: service.current)
    switch router.route(request, now: SystemClock.now()) {
    case .events(let content): service.take(request.body, content, for: reply)
    case .command(let command): service.take(command, for: reply)
    case .signed(let input): service.take(input, for: reply)
    case .question(.cases(let question)) where question.waitSeconds > 0:
      service.wait(question, for: reply)
    case .question(let question): service.ask(question, for: reply)
    case let call: service.answer(open: call, reply)
    }
  }
}

/// Answers HTTP on the metrics listener.
final class MetricsService: HTTPService {
  private let service: Service
  private let isForThisMachine: Bool

  /// Answers for `service`, listening on `address`.
  init(_ service: Service, on address: String) {
    self.service = service
    isForThisMachine = PageAnswer.isLocal(host: address)
  }

  func handle(_ request: HTTPRequest, _ reply: HTTPReply) {
    let call = Router.routeMetricsAndPage(request, isForThisMachine: isForThisMachine)
    if case .page = call { return service.showPage(for: reply) }
    service.answer(open: call, reply)
  }
}

extension Service {
  /// Answers what both listeners take.
  func answer(open call: RoutedCall, _ reply: HTTPReply) {
    switch call {
    case .health: reply.send(HealthAnswer.health)
    case .readiness: reply.send(HealthAnswer.readiness(isReady: isReady))
    case .metrics(let format):
      reply.send(
        MetricsText.response(metrics(), process: ProcessMetrics.current(), format: format))
    case .answer(let response): reply.send(response)
    case .events, .command, .signed, .question, .page:
      preconditionFailure("only one of the listeners takes this")
    }
  }
}
