/// The answer to a refund request that Apple took, with what was known when it was reported.
package struct CaseResponse: Equatable, Sendable {
  /// The body sent, as JSON; nil when the responder doesn't tell it.
  package var sent: ByteString?
  package var httpStatus: Int64?
  package var errorCode: Int64?
  package var at: Instant
  /// `refundPreference` of the body sent; nil when it stated none.
  package var preference: ByteString?
  /// The consumption answer of that moment as JSON, with the figures and the rule behind the
  /// proposal; nil when it was too large or the case is one of the older ones.
  package internal(set) var figures: ByteString?
}

/// Answers that didn't get through: how many, and the last.
package struct CaseFailures: Equatable, Sendable {
  package var count: Int64
  package var lastStatus: Int64?
  package var lastErrorCode: Int64?
  package var lastAt: Instant
}

/// What a responder reports: the body it sent and what came back.
package struct CaseReport: Equatable, Sendable {
  /// The body sent as JSON in canonical spacing; nil when nothing was sent.
  package var sent: ByteString?
  package var preference: ByteString?
  /// Nil when there was no answer at all.
  package var httpStatus: Int64?
  /// Apple's `errorCode`.
  package var errorCode: Int64?
  /// Nil when the responder leaves it to the receipt.
  package var at: Instant?

  /// What a responder reports of one attempt.
  package init(
    sent: ByteString? = nil, preference: ByteString? = nil, httpStatus: Int64?,
    errorCode: Int64? = nil, at: Instant? = nil
  ) {
    self.sent = sent
    self.preference = preference
    self.httpStatus = httpStatus
    self.errorCode = errorCode
    self.at = at
  }

  /// Whether Apple took the answer.
  package var isSuccess: Bool { httpStatus.map { (200..<300).contains($0) } ?? false }
}

/// What a report did to its case.
enum ReportEffect: Equatable {
  /// It is noted.
  case taken
  /// It was noted before.
  case known
  /// The case has another answer, which stands.
  case alreadyAnswered
}

/// What a claim did to its case.
enum ClaimEffect: Equatable {
  /// The responder has the case.
  case taken
  /// Another has it.
  case held(CaseClaim)
  /// Nobody needs it any more.
  case alreadyAnswered
}

extension RefundCase {
  /// Notes a report made at `now`. A success answers the case, once; a failure leaves it open. The
  /// same report again is known, one without its own `at` by the rest.
  mutating func take(_ report: CaseReport, at now: Instant) -> ReportEffect {
    let at = report.at ?? now
    if let response {
      let isSame =
        response.sent == report.sent && response.httpStatus == report.httpStatus
        && response.errorCode == report.errorCode
        && report.at.map { $0 == response.at } ?? true
      return isSame ? .known : .alreadyAnswered
    }
    guard !report.isSuccess else {
      response = CaseResponse(
        sent: report.sent, httpStatus: report.httpStatus, errorCode: report.errorCode, at: at,
        preference: report.preference)
      return .taken
    }
    let failure = CaseFailures(
      count: failures?.count ?? 0, lastStatus: report.httpStatus,
      lastErrorCode: report.errorCode, lastAt: at)
    if report.at != nil, failure == failures { return .known }
    failures = failure
    failures?.count += 1
    return .taken
  }

  /// Gives the case to a responder, who may renew it; an expired claim may be taken over.
  mutating func claim(
    by responder: ByteString, seconds: Int64, at now: Instant
  ) -> ClaimEffect {
    if response != nil { return .alreadyAnswered }
    if let claim, claim.holds(at: now), claim.responder != responder { return .held(claim) }
    claim = CaseClaim(responder: responder, until: now.adding(microseconds: seconds * 1_000_000))
    return .taken
  }
}
