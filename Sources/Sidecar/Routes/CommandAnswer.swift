package import Metering
package import Wire

/// Tells how a command ended.
package enum CommandAnswer {
  /// The answer to an outcome; every 2xx of them is on disk.
  package static func response(to outcome: CommandOutcome) -> HTTPResponse {
    switch outcome {
    case .created: applied(true, status: 201)
    case .updated(let isApplied): applied(isApplied, status: 200)
    case .stored: HTTPResponse(status: 204)
    case .environmentMismatch:
      Problem(
        status: 409, code: "environment_mismatch",
        detail: "This transaction belongs to the other environment."
      ).response
    case .idMismatch:
      Problem(
        status: 422, code: "id_mismatch", detail: "The payload names another transaction."
      ).response
    case .invalid(let code, let detail):
      Problem(status: 422, code: code, detail: detail).response
    case .refundCase(let outcome): response(to: outcome)
    case .notified(let outcome): response(to: outcome)
    case .unavailable: Problem.storeUnavailable.response
    }
  }

  private static func response(to outcome: CaseOutcome) -> HTTPResponse {
    switch outcome {
    case .opened(let standing): answer(standing, status: 201)
    case .joined(let standing), .claimed(let standing), .noted(let standing):
      answer(standing, status: 200)
    case .held(let claim):
      Problem(
        status: 409, code: "claimed",
        detail: "\(claim.responder.string) has this case until \(claim.until)."
      ).response
    case .alreadyAnswered:
      Problem(
        status: 409, code: "already_answered",
        detail: "Apple took an answer to this case already; it stands."
      ).response
    case .unknown: Problem.unknownCase.response
    }
  }

  private static func answer(_ standing: CaseStanding, status: Int) -> HTTPResponse {
    var writer = JSONWriter()
    standing.write(to: &writer)
    return .json(writer.bytes, status: status)
  }

  private static func response(to outcome: NotificationOutcome) -> HTTPResponse {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("notificationType")
    writer.string(outcome.type)
    writer.member("applied", outcome.isApplied)
    writer.member("duplicate", outcome.isDuplicate)
    writer.key("case")
    if let refundCase = outcome.refundCase {
      writer.string(refundCase.text)
    } else {
      writer.null()
    }
    writer.endObject()
    return .json(writer.bytes)
  }

  private static func applied(_ isApplied: Bool, status: Int) -> HTTPResponse {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("applied", isApplied)
    writer.endObject()
    return .json(writer.bytes, status: status)
  }
}

extension HTTPResponse {
  /// JSON, ended by a line break for people with a terminal.
  static func json(_ bytes: [UInt8], status: Int = 200) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: [("Content-Type", "application/json")],
      body: bytes + [UInt8(ascii: "\n")])
  }
}
