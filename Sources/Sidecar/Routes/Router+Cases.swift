import Metering
import Wire

/// Refund requests: opening, listing, claiming and answering their cases.
extension Router {
  func refundRequests(
    _ request: HTTPRequest, _ rest: [[UInt8]], now: Instant
  ) throws(Problem) -> RoutedCall {
    switch (rest.count, rest.last.map(Self.text)) {
    case (0, _):
      try Self.take(request, "GET")
      return .question(.cases(try casesPage(request)))
    case (2, "claim"):
      try Self.take(request, "POST")
      return .command(try claimCase(request, try Self.caseID(rest[0])))
    case (2, "response"):
      try Self.take(request, "POST")
      return .command(try answerCase(request, try Self.caseID(rest[0]), now: now))
    default: throw .unknownPath
    }
  }

  private static func caseID(_ segment: [UInt8]) throws(Problem) -> CaseID {
    guard let id = CaseID(ByteString(segment)), isId(id.transaction.bytes) else {
      throw .unknownCase
    }
    return id
  }

  private func casesPage(_ request: HTTPRequest) throws(Problem) -> CasesQuestion {
    try Self.onlyParameters(["state", "wait", "after", "limit", "cursor"], of: request)
    var question = CasesQuestion(limit: try Self.limit(of: request))
    if let text = Self.parameter("state", of: request) {
      guard let state = RefundCaseState(rawValue: text.string) else {
        let names = RefundCaseState.allCases.map(\.rawValue).joined(separator: ", ")
        throw .parameter("state", "one of \(names).")
      }
      question.state = state
    }
    if let text = Self.parameter("wait", of: request) {
      guard let seconds = Int(text.string), 0...RouteLimits.waitSeconds ~= seconds else {
        throw .parameter("wait", "0 to \(RouteLimits.waitSeconds) seconds.")
      }
      question.waitSeconds = seconds
    }
    if let text = Self.parameter("after", of: request) {
      guard Self.isId(text.bytes) else {
        throw .parameter("after", "the \"cursor\" of an answer before.")
      }
      question.known = text
    }
    if let text = Self.parameter("cursor", of: request) {
      guard let place = PageCursor.place(text) else {
        throw .parameter("cursor", "the \"next\" of the page before.")
      }
      question.place = place
    }
    return question
  }

  func openCase(
    _ request: HTTPRequest, _ id: ByteString, now: Instant
  ) throws(Problem) -> Command {
    let body = try Self.object(request, fields: ["consumptionRequestReason", "receivedAt"])
    let receivedAt = try Self.instant("receivedAt", of: body, now: now) ?? now
    guard let node = body["consumptionRequestReason"], !node.isNull else {
      return .openCase(id: id, CaseRequest(reason: nil, receivedAt: receivedAt))
    }
    // Apple adds reasons, so one that isn't known is taken as it is.
    guard let reason = node.string, Self.isId(reason.bytes),
      reason.count <= Metering.Limits.reasonBytes
    else {
      throw .unprocessable(
        "invalid_reason",
        "consumptionRequestReason is a string of 1 to \(Metering.Limits.reasonBytes) bytes without"
          + " control characters.")
    }
    return .openCase(id: id, CaseRequest(reason: reason, receivedAt: receivedAt))
  }

  private func claimCase(_ request: HTTPRequest, _ id: CaseID) throws(Problem) -> Command {
    let body = try Self.object(request, fields: ["responder", "seconds"])
    guard let responder = body["responder"]?.string, Self.isId(responder.bytes) else {
      throw .unprocessable(
        "invalid_claim",
        "responder is a string of 1 to \(RouteLimits.idBytes) bytes without control characters.")
    }
    var seconds = RouteLimits.defaultClaimSeconds
    if let node = body["seconds"] {
      guard let given = node.integer, 1...RouteLimits.claimSeconds ~= given else {
        throw .unprocessable(
          "invalid_claim", "seconds is an integer of 1 to \(RouteLimits.claimSeconds).")
      }
      seconds = given
    }
    return .claimCase(id, responder: responder, seconds: seconds)
  }

  private func answerCase(
    _ request: HTTPRequest, _ id: CaseID, now: Instant
  ) throws(Problem) -> Command {
    let body = try Self.object(request, fields: ["sent", "httpStatus", "errorCode", "at"])
    var report = try Self.report(body)
    report.at = try Self.instant("at", of: body, now: now)
    return .answerCase(id, report)
  }

  private static func report(_ body: JSONNode) throws(Problem) -> CaseReport {
    do throws(CaseReportFault) {
      return try CaseReport(payload: body)
    } catch {
      throw .unprocessable(CaseReportFault.code, error.detail)
    }
  }
}
