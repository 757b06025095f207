/// A request for money back, as it reached the sidecar.
package struct CaseRequest: Equatable, Sendable {
  /// What the customer picked, in Apple's words or in one that Apple added since.
  package var reason: ByteString?
  package var receivedAt: Instant
  /// When Apple signed it; nil for a request without a notification.
  package var signedDate: Instant?

  /// A request; nil `signedDate` for one that no notification told of.
  package init(reason: ByteString?, receivedAt: Instant, signedDate: Instant? = nil) {
    self.reason = reason
    self.receivedAt = receivedAt
    self.signedDate = signedDate
  }

  /// The earlier of receipt and signature: nobody can have asked later than that.
  package var madeAt: Instant { min(receivedAt, signedDate ?? receivedAt) }
}

/// Who is about to answer a case, and until when others keep away.
package struct CaseClaim: Equatable, Sendable {
  package var responder: ByteString
  package var until: Instant

  /// A claim up to an instant.
  package init(responder: ByteString, until: Instant) {
    self.responder = responder
    self.until = until
  }

  /// Whether it keeps others away at an instant. One that ends later than any can was made while
  /// the clock ran ahead.
  func holds(at now: Instant) -> Bool {
    now < until && until <= now.adding(microseconds: Limits.claimSeconds * 1_000_000)
  }
}

/// What Apple decided, as far as it was told.
package struct CaseEnd: Equatable, Sendable {
  /// Numbers are stored.
  package enum Kind: UInt8, CaseIterable, Sendable {
    case granted = 1
    case declined = 2
    case reversed = 3
  }

  package var kind: Kind
  package var at: Instant
}

/// One request of a customer for the money of one purchase, from its opening to its outcome.
///
/// Apple repeats a request until it has decided, so requests join a case that has no outcome. Only
/// what was told is kept; the state follows from it and the time.
package struct RefundCase: Equatable, Sendable {
  /// Counted from 1 within the purchase.
  package let number: Int64
  /// The newest reason given.
  package internal(set) var reason: ByteString?
  /// The reason that the case was opened with, which it is counted under.
  package internal(set) var openingReason: ByteString?
  /// The earliest receipt of a request.
  package internal(set) var receivedAt: Instant
  /// The earliest signature of a request.
  package internal(set) var signedDate: Instant?
  /// When the newest request was made.
  package internal(set) var lastAsked: Instant
  package internal(set) var claim: CaseClaim?
  /// The answer that Apple took; there is one at most.
  package internal(set) var response: CaseResponse?
  /// Answers that didn't get through.
  package internal(set) var failures: CaseFailures?
  package internal(set) var end: CaseEnd?

  /// A case that a request opens.
  package init(number: Int64, _ request: CaseRequest) {
    self.number = number
    reason = request.reason
    openingReason = request.reason
    receivedAt = request.receivedAt
    signedDate = request.signedDate
    lastAsked = request.madeAt
  }

  init(number: Int64) {
    self.init(number: number, CaseRequest(reason: nil, receivedAt: .distantPast))
  }

  /// Until when an answer counts: twelve hours, in the sandbox five minutes, after the earlier of
  /// receipt and signature. A purchase that isn't known yet has Production's.
  package func respondBy(in environment: ByteString?) -> Instant {
    let time =
      environment == Purchase.sandbox
      ? Limits.sandboxAnswerMicroseconds : Limits.answerMicroseconds
    return firstAsked.adding(microseconds: time)
  }

  /// When silence ends the case: thirty days after an answer in time, else after
  /// ``respondBy(in:)``, but never before thirty days after the last request.
  package func lapsesAt(in environment: ByteString?) -> Instant {
    let answered = answeredInTime(in: environment)
    return max(answered ?? respondBy(in: environment), lastAsked)
      .adding(microseconds: Limits.caseSilenceMicroseconds)
  }

  /// When the first request was made.
  var firstAsked: Instant { min(receivedAt, signedDate ?? receivedAt) }

  /// When Apple took an answer that was in time; nil without one.
  func answeredInTime(in environment: ByteString?) -> Instant? {
    response.flatMap { $0.at < respondBy(in: environment) ? $0.at : nil }
  }

  /// The state at an instant, for a purchase of an environment.
  package func state(at now: Instant, in environment: ByteString?) -> RefundCaseState {
    switch end?.kind {
    case .granted: return .granted
    case .declined: return .declined
    case .reversed: return .reversed
    case nil: break
    }
    if now >= lapsesAt(in: environment) { return .lapsed }
    if answeredInTime(in: environment) != nil { return .answered }
    return now < respondBy(in: environment) ? .open : .missed
  }

  /// When the case was over, as seen from an instant; nil while it is not.
  func settled(at now: Instant, in environment: ByteString?) -> Instant? {
    if let end { return end.at }
    let lapse = lapsesAt(in: environment)
    return lapse <= now ? lapse : nil
  }

  /// Takes in a repetition: the newest reason stands; an earlier receipt or signature moves
  /// `respondBy` back, never forth, and not any more once the case is answered.
  mutating func join(_ request: CaseRequest) {
    if response == nil {
      receivedAt = min(receivedAt, request.receivedAt)
      if let signed = request.signedDate { signedDate = min(signedDate ?? signed, signed) }
    }
    if let given = request.reason, reason == nil || request.madeAt >= lastAsked { reason = given }
    lastAsked = max(lastAsked, request.madeAt)
  }
}
