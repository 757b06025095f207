import Metering
package import Wire

/// A refusal that renders itself, as RFC 9457 has it: a status, a stable code for programs and a
/// sentence for people.
package struct Problem: Error, Equatable, Sendable {
  /// The HTTP status.
  package var status: Int
  /// Stable; programs may branch on it.
  package var code: String
  /// A sentence for people; it may change.
  package var detail: String
  /// `Allow`, `Accept` or `Retry-After`, where the status asks for it.
  package var header: Header?

  /// One header of the answer.
  package struct Header: Equatable, Sendable {
    package var name: String
    package var value: String
  }

  /// Makes a refusal.
  package init(status: Int, code: String, detail: String, header: Header? = nil) {
    self.status = status
    self.code = code
    self.detail = detail
    self.header = header
  }

  /// The answer, `application/problem+json`.
  package var response: HTTPResponse {
    .problem(
      status: status, code: code, detail: detail,
      headers: header.map { [($0.name, $0.value)] } ?? [])
  }
}

extension Problem {
  /// 404 for a path that names nothing here.
  static let unknownPath = Problem(
    status: 404, code: "unknown_path", detail: "Nothing answers at this path.")

  /// 400 for an id, from the path or the query, that no event or purchase can have.
  static let invalidId = Problem(
    status: 400, code: "invalid_id",
    detail: "An id has 1 to \(RouteLimits.idBytes) bytes and no control characters.")

  /// 404 for a refund case that nobody opened.
  static let unknownCase = Problem(
    status: 404, code: "unknown_case", detail: "There is no refund case of this name.")

  /// 503 while the store takes no writes, for who only asks.
  package static let notReady = Problem(
    status: 503, code: "store_unavailable", detail: "The store can't take writes now.",
    header: Header(name: "Retry-After", value: String(RouteLimits.retryAfterSeconds)))

  /// 503 for events that the store didn't take to their end.
  package static let eventsUnavailable = Problem(
    status: 503, code: "store_unavailable",
    detail: "The store can't take writes now. Send the request again: what was kept of it counts "
      + "once.",
    header: Header(name: "Retry-After", value: String(RouteLimits.retryAfterSeconds)))

  /// 503 while the store takes no writes; what was sent is to be sent again.
  package static let storeUnavailable = Problem(
    status: 503, code: "store_unavailable",
    detail: "The store can't take writes now; nothing of this request was kept. Send it again.",
    header: Header(name: "Retry-After", value: String(RouteLimits.retryAfterSeconds)))

  /// The same with its reason, where the sender should know.
  static func storeUnavailable(because reason: String?) -> Problem {
    storeUnavailable.adding(reason)
  }

  /// 503 for events that the store didn't take, with its reason where the sender should know.
  static func eventsUnavailable(because reason: String?) -> Problem {
    eventsUnavailable.adding(reason)
  }

  private func adding(_ reason: String?) -> Problem {
    guard let reason else { return self }
    var problem = self
    problem.detail += " The cause: \(reason)."
    return problem
  }

  /// 503 for questions whose answer couldn't be read.
  static let readUnavailable = Problem(
    status: 503, code: "store_unavailable", detail: "The store can't be read now.",
    header: Header(name: "Retry-After", value: String(RouteLimits.retryAfterSeconds)))

  /// 503 for a question whose answer couldn't be read, with what the store says of it.
  static func unreadable(_ error: any Error) -> Problem {
    Problem(
      status: 503, code: "store_unavailable", detail: "The question can't be answered: \(error)",
      header: Header(name: "Retry-After", value: String(RouteLimits.retryAfterSeconds)))
  }

  /// 503 for a question that takes longer than any may.
  static let tooSlow = Problem(
    status: 503, code: "too_slow", detail: "The question takes longer than any may.",
    header: Header(name: "Retry-After", value: String(RouteLimits.retryAfterSeconds)))

  /// 503 for a question that came while the program ends.
  static let ending = Problem(
    status: 503, code: "ending", detail: "The program ends; ask again when it is back.",
    header: Header(name: "Retry-After", value: String(RouteLimits.retryAfterSeconds)))

  /// 413 for what is no fault of JSON but more than is taken, else 400 with where the fault is.
  init(_ fault: JSONFault) {
    let detail = "Line \(fault.line), column \(fault.column): \(fault.message)"
    switch fault.kind {
    case .tooMany: self.init(status: 413, code: "too_large", detail: detail)
    case .duplicateKey: self.init(status: 400, code: "duplicate_key", detail: detail)
    case .malformed, .tooDeep: self.init(status: 400, code: "invalid_json", detail: detail)
    }
  }

  /// 413 for a body of more lines than events can be in it.
  static let tooManyEvents = Problem(
    status: 413, code: "too_large",
    detail: "At most \(Metering.Limits.eventsPerBody) events in one body.")

  /// 503 when more questions wait than are answered in time.
  package static let busy = Problem(
    status: 503, code: "busy", detail: "Too many questions wait for their answer.",
    header: Header(name: "Retry-After", value: String(RouteLimits.retryAfterSeconds)))

  /// 501 for signed input that nobody could prove.
  static let notConfigured = Problem(
    status: 501, code: "not_configured",
    detail: "Signed input needs the configuration's appStore section.")

  /// 405 with what the path does take.
  static func methodNotAllowed(_ allowed: String) -> Problem {
    Problem(
      status: 405, code: "method_not_allowed", detail: "This path takes \(allowed).",
      header: Header(name: "Allow", value: allowed))
  }

  /// 415 with what the path does take.
  static func unsupportedMediaType(_ accepted: [String]) -> Problem {
    let list = accepted.joined(separator: ", ")
    return Problem(
      status: 415, code: "unsupported_media_type", detail: "This path takes \(list).",
      header: Header(name: "Accept", value: list))
  }

  /// 415 for a body that is compressed.
  static let unsupportedCoding = Problem(
    status: 415, code: "unsupported_content_encoding",
    detail: "Bodies are taken as they are, without a content encoding.",
    header: Header(name: "Accept-Encoding", value: "identity"))

  /// 400 for a query parameter.
  static func parameter(_ name: String, _ detail: String) -> Problem {
    Problem(status: 400, code: "invalid_parameter", detail: "\(name): \(detail)")
  }

  /// 422 for a body that is JSON but says nothing usable.
  static func unprocessable(_ code: String, _ detail: String) -> Problem {
    Problem(status: 422, code: code, detail: detail)
  }
}
