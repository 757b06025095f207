/// A case as it stands at an instant.
package struct CaseStanding: Equatable, Sendable {
  package var id: CaseID
  package var refundCase: RefundCase
  package var state: RefundCaseState
  package var respondBy: Instant
  /// The claim that holds at that instant.
  package var claim: CaseClaim?
}

extension PurchaseRecord {
  /// A case of the purchase at an instant.
  package func standing(of refundCase: RefundCase, at now: Instant) -> CaseStanding {
    CaseStanding(
      id: CaseID(transaction: transactionId, number: refundCase.number), refundCase: refundCase,
      state: refundCase.state(at: now, in: environment),
      respondBy: refundCase.respondBy(in: environment),
      claim: refundCase.claim.flatMap { $0.holds(at: now) ? $0 : nil })
  }

  /// The latest case at an instant; nil when there was none.
  package func latestCase(at now: Instant) -> CaseStanding? {
    cases.last.map { standing(of: $0, at: now) }
  }

  /// The case whose outcome is still to come at an instant.
  package func pendingCase(at now: Instant) -> CaseStanding? {
    latestCase(at: now).flatMap { $0.state.isPending ? $0 : nil }
  }

  /// The record with what was said of the purchase only.
  var withoutCases: PurchaseRecord {
    var record = self
    record.cases = []
    return record
  }

  /// The place of a case among ``cases``; nil when there is no such case, or not any more.
  func index(ofCase number: Int64) -> Int? { cases.firstIndex { $0.number == number } }

  /// Takes a request in at `now`: it joins the case that has no outcome yet, else opens the next.
  /// A signed one that Apple made before it decided about the latest case came late: it belongs to
  /// that case and changes nothing. So does one from before silence ended that case, unless it can
  /// still be answered: silence is no decision of Apple's.
  package mutating func ask(
    _ request: CaseRequest, at now: Instant
  ) -> (number: Int64, isNew: Bool) {
    if let latest = cases.indices.last {
      guard let settled = cases[latest].settled(at: now, in: environment) else {
        cases[latest].join(request)
        return (cases[latest].number, false)
      }
      if isLate(request, for: cases[latest], settled: settled, at: now) {
        return (cases[latest].number, false)
      }
    }
    let number = (cases.last?.number ?? 0) + 1
    cases.append(RefundCase(number: number, request))
    // A request that comes after the decision about it is over as it begins.
    if let lastDecision, let signed = request.signedDate, signed < lastDecision.at {
      cases[cases.count - 1].end = lastDecision
      reverseAgain()
    }
    if cases.count > Limits.cases { cases.removeFirst() }
    for index in cases.indices.dropLast(Limits.casesWithFigures) {
      cases[index].response?.figures = nil
    }
    return (number, true)
  }

  /// Whether a request belongs to a case that was settled at an instant.
  private func isLate(
    _ request: CaseRequest, for settled: RefundCase, settled over: Instant, at now: Instant
  ) -> Bool {
    guard let signed = request.signedDate else { return false }
    if signed < lastDecision?.at ?? .distantPast { return true }
    switch settled.end?.kind {
    // It decides about a refund, not about a request that was made after that.
    case .reversed: return false
    case .granted, .declined: return signed < over
    case nil:
      return signed < over && now >= RefundCase(number: 1, request).respondBy(in: environment)
    }
  }

  /// Takes in what Apple decided: a refund settles the latest case whatever its state, a refusal
  /// only one that waits for its outcome, a reversal only the latest that was granted. Without such
  /// a case nothing happens.
  package mutating func settleCase(_ kind: CaseEnd.Kind, at instant: Instant) {
    guard let latest = cases.indices.last else { return }
    switch kind {
    case .granted:
      guard cases[latest].end?.kind != .granted else { return }
      cases[latest].end = CaseEnd(kind: .granted, at: instant)
    case .declined:
      guard cases[latest].settled(at: instant, in: environment) == nil else { return }
      cases[latest].end = CaseEnd(kind: .declined, at: instant)
    case .reversed:
      guard let index = cases.lastIndex(where: { $0.end?.kind == .granted }) else { return }
      cases[index].end = CaseEnd(kind: .reversed, at: instant)
    }
  }

  /// Takes in a decision that Apple signed at an instant; one that is older than what is known, or
  /// than the latest request, changes no case. `revoked` is when the money went back.
  mutating func settle(_ kind: CaseEnd.Kind, at revoked: Instant?, signed: Instant) {
    guard note(kind, signed: signed) else { return }
    if isMeant(by: kind, signed: signed) {
      settleCase(kind, at: kind == .granted ? revoked ?? signed : signed)
    }
    if kind == .granted { reverseAgain() }
  }

  /// Whether a decision signed at an instant is about the latest case: what was decided before the
  /// request is no answer to it.
  private func isMeant(by kind: CaseEnd.Kind, signed: Instant) -> Bool {
    switch kind {
    case .granted: cases.last.map { signed >= $0.firstAsked } ?? false
    case .declined: cases.last.map { signed >= $0.lastAsked } ?? false
    case .reversed: true
    }
  }

  /// A refund that is told of after its reversal was reversed all the same.
  private mutating func reverseAgain() {
    guard let lastDecision, lastDecision.kind == .granted, let lastReversal,
      lastReversal >= lastDecision.at
    else { return }
    settleCase(.reversed, at: lastReversal)
  }

  /// What payloads say of a revocation tells of a case, too: money that went back grants it, a
  /// revocation that is gone reverses it. `before` is what they said until now.
  mutating func settleCases(after before: Purchase?) {
    guard let purchase else { return }
    let share = purchase.refundedShare
    let earlier = before?.refundedShare ?? .zero
    if share > .zero, let revoked = purchase.revocationDate {
      guard share != earlier || revoked != before?.revocationDate else { return }
      if let signed = purchase.signedDate {
        _ = note(.granted, signed: signed)
        guard isMeant(by: .granted, signed: signed) else { return }
      }
      settleCase(.granted, at: revoked)
    } else if earlier > .zero, let was = before?.revocationDate, purchase.revocationDate == nil {
      if let signed = purchase.signedDate { _ = note(.reversed, signed: signed) }
      settleCase(.reversed, at: purchase.signedDate ?? was)
    }
  }

  /// Remembers a decision unless a newer one is known; false when it says nothing new. Of two that
  /// were signed at one instant the refund counts, in whatever order they come.
  private mutating func note(_ kind: CaseEnd.Kind, signed: Instant) -> Bool {
    if kind == .reversed {
      guard signed > lastReversal ?? .distantPast else { return false }
      lastReversal = signed
      // A refund that is newer than this reversal stands.
      return lastDecision.map { $0.kind != .granted || signed >= $0.at } ?? true
    }
    if let known = lastDecision {
      let isRefund = kind == .granted && known.kind != .granted
      guard signed > known.at || (signed == known.at && isRefund) else { return false }
    }
    lastDecision = CaseEnd(kind: kind, at: signed)
    return true
  }
}
