package import Metering
package import Wire

/// Turns requests into calls: paths, methods, media types, parameters and small bodies are checked
/// here, and whatever is wrong with them is answered here. Pure.
package struct Router: Sendable {
  /// Whose meters, environments and products requests are checked against.
  package var configuration: Configuration

  /// Routes under a configuration.
  package init(configuration: Configuration) {
    self.configuration = configuration
  }

  /// What a request on the socket asks for. `now` is the wall clock.
  package func route(_ request: HTTPRequest, now: Instant) -> RoutedCall {
    do throws(Problem) {
      return try call(request, now: now)
    } catch {
      return .answer(error.response)
    }
  }

  /// What a request on the metrics listener asks for: nothing there tells of a single purchase.
  /// `isForThisMachine` when nobody else can connect: then metrics are told under local names only,
  /// since a web site that has its own name point here reads them through its visitor's browser.
  package static func routeMetrics(
    _ request: HTTPRequest, isForThisMachine: Bool
  ) -> RoutedCall {
    do throws(Problem) {
      guard let call = openCall(request) else { throw .unknownPath }
      try take(request, "GET")
      // Only programs leave the name out.
      if isForThisMachine, case .metrics = call, let host = request.header("Host"),
        !PageAnswer.isLocal(host: host)
      {
        return .answer(PageAnswer.misdirected)
      }
      return call
    } catch {
      return .answer(error.response)
    }
  }

  /// The same on the sidecar's listener, where the page is too.
  package static func routeMetricsAndPage(
    _ request: HTTPRequest, isForThisMachine: Bool
  ) -> RoutedCall {
    guard request.path == "/" else {
      return routeMetrics(request, isForThisMachine: isForThisMachine)
    }
    do throws(Problem) {
      try take(request, "GET")
    } catch {
      return .answer(error.response)
    }
    return PageAnswer.isLocal(host: request.header("Host"))
      ? .page : .answer(PageAnswer.misdirected)
  }

  /// Calls that both listeners take.
  private static func openCall(_ request: HTTPRequest) -> RoutedCall? {
    switch request.path {
    case "/healthz": .health
    case "/readyz": .readiness
    case "/metrics": .metrics(MetricsFormat.preferred(by: request.headers("Accept")))
    default: nil
    }
  }

  private func call(_ request: HTTPRequest, now: Instant) throws(Problem) -> RoutedCall {
    if let call = Self.openCall(request) {
      try Self.take(request, "GET")
      return call
    }
    let segments = request.segments
    guard segments.first.map(Self.text) == "v1", segments.count >= 2 else { throw .unknownPath }
    let rest = Array(segments[2...])
    switch Self.text(segments[1]) {
    case "events" where rest.isEmpty: return .events(try events(request))
    case "transactions": return try transactions(request, rest, now: now)
    case "customers": return try customers(request, rest, now: now)
    case "subscriptions" where rest.count == 1:
      try Self.take(request, "GET")
      try Self.onlyParameters([], of: request)
      return .question(.subscription(try Self.id(rest[0])))
    case "costs" where rest.isEmpty:
      try Self.take(request, "GET")
      return .question(.costs(try costs(request)))
    case "notifications" where rest.isEmpty:
      try Self.take(request, "POST")
      return .signed(.notification(try signed(request, "signedPayload")))
    case "at-risk" where rest.isEmpty:
      try Self.take(request, "GET")
      return .question(.atRisk(try atRisk(request)))
    case "refund-requests": return try refundRequests(request, rest, now: now)
    default: throw .unknownPath
    }
  }

  private func events(_ request: HTTPRequest) throws(Problem) -> EventsContent {
    try Self.take(request, "POST")
    try Self.onlyParameters([], of: request)
    let content: EventsContent
    switch try MediaType.of(request) {
    case nil, MediaType.json: content = .json
    case MediaType.ndjson: content = .ndjson
    default: throw .unsupportedMediaType([MediaType.json.text, MediaType.ndjson.text])
    }
    try Self.plainContent(request)
    return content
  }

  private func transactions(
    _ request: HTTPRequest, _ rest: [[UInt8]], now: Instant
  ) throws(Problem) -> RoutedCall {
    if rest.isEmpty {
      try Self.take(request, "GET", "POST")
      if request.method == "POST" {
        return .signed(.transaction(try signed(request, "signedTransactionInfo")))
      }
      return .question(.transactions(try page(request)))
    }
    if rest.count == 1 {
      try Self.take(request, "GET", "PUT")
      let id = try Self.id(rest[0])
      if request.method == "PUT" { return .command(try putTransaction(request, id)) }
      try Self.onlyParameters([], of: request)
      return .question(.transaction(id))
    }
    guard rest.count == 2 else { throw .unknownPath }
    switch Self.text(rest[1]) {
    case "consumption":
      try Self.take(request, "GET")
      try Self.onlyParameters([], of: request)
      return .question(.consumption(try Self.id(rest[0])))
    case "delivery":
      try Self.take(request, "PUT")
      return .command(try putDelivery(request, try Self.id(rest[0])))
    case "customer":
      try Self.take(request, "PUT")
      return .command(try putCustomer(request, try Self.id(rest[0])))
    case "allowance":
      try Self.take(request, "PUT")
      return .command(try putAllowance(request, try Self.id(rest[0])))
    case "opening":
      try Self.take(request, "PUT")
      return .command(try putOpening(request, try Self.id(rest[0]), now: now))
    case "refund-request":
      try Self.take(request, "POST")
      return .command(try openCase(request, try Self.id(rest[0]), now: now))
    default: throw .unknownPath
    }
  }

  private func customers(
    _ request: HTTPRequest, _ rest: [[UInt8]], now: Instant
  ) throws(Problem) -> RoutedCall {
    switch (rest.count, rest.last.map(Self.text)) {
    case (1, _):
      try Self.take(request, "GET")
      try Self.onlyParameters([], of: request)
      return .question(.customer(try Self.id(rest[0]).customerKey))
    case (2, "consent"):
      try Self.take(request, "PUT")
      return .command(try putConsent(request, try Self.id(rest[0]).customerKey, now: now))
    default: throw .unknownPath
    }
  }
}

extension Router {
  static func text(_ segment: [UInt8]) -> String { String(decoding: segment, as: UTF8.self) }

  /// Refuses other methods; where GET is taken, HEAD is too.
  static func take(_ request: HTTPRequest, _ methods: String...) throws(Problem) {
    let allowed = methods.flatMap { $0 == "GET" ? ["GET", "HEAD"] : [$0] }
    guard allowed.contains(request.method) else {
      throw .methodNotAllowed(allowed.joined(separator: ", "))
    }
  }

  /// Refuses a body that is compressed or otherwise coded: what it holds would be unbounded.
  static func plainContent(_ request: HTTPRequest) throws(Problem) {
    let codings = request.headers("Content-Encoding").flatMap { $0.split(separator: ",") }
      .map { MediaType.leading($0) }
    guard codings.allSatisfy({ $0.isEmpty || $0 == "identity" }) else {
      throw .unsupportedCoding
    }
  }

  /// The most bytes that a request's body may have, told by its head.
  package static func bodyLimit(of head: HTTPRequestHead) -> Int {
    head.isPath("/v1/events") ? Wire.Limits.bodyBytes : RouteLimits.smallBodyBytes
  }

  /// An id's bytes as they stand in the path or the query.
  static func id(_ bytes: [UInt8]) throws(Problem) -> ByteString {
    guard isId(bytes) else { throw .invalidId }
    return ByteString(bytes)
  }

  /// 1 to 256 bytes without control characters.
  static func isId(_ bytes: [UInt8]) -> Bool {
    !bytes.isEmpty && bytes.count <= RouteLimits.idBytes
      && !bytes.withUnsafeBytes { EventDecoder.hasControls($0) }
  }
}
