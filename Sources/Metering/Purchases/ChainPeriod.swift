/// One purchase of a chain with its intervals in time; all of them are half-open.
package struct ChainPeriod: Sendable {
  package var record: PurchaseRecord
  package var purchase: Purchase
  /// The product's terms at `purchaseDate`; nil for an unknown product.
  package var terms: ProductTerms?
  /// `purchaseDate` of the chain's next purchase; nil for the latest one.
  package var successor: Instant?

  package var transactionId: ByteString { record.transactionId }

  /// The start of the billing period; nil while the purchase's date isn't known.
  package var start: Instant? { purchase.purchaseDate }

  /// The end of the billing period that was paid for; nil when nothing but a revocation ends it.
  package var periodEnd: Instant? {
    if purchase.isOneTime { return nil }
    guard purchase.type == Purchase.nonRenewing, let start, let duration = terms?.duration else {
      return purchase.expiresDate
    }
    let end = duration.boundary(1, from: start)
    return purchase.expiresDate.map { min($0, end) } ?? end
  }

  /// The end by time alone: the period's, or that of a later grace period.
  package var lapse: Instant? {
    guard let periodEnd else { return nil }
    guard !purchase.isOneTime, purchase.expiresDate == periodEnd,
      let grace = purchase.gracePeriodExpiresDate
    else { return periodEnd }
    return max(periodEnd, grace)
  }

  /// The end of what could be used if nothing had been revoked: usage after a revocation and
  /// before this end is the purchase's leak. `Instant.distantFuture` when there is none.
  package var accrualEnd: Instant {
    let next = purchase.isOneTime ? nil : successor
    return min(lapse ?? .distantFuture, next ?? .distantFuture)
  }

  /// The end of being in force; `Instant.distantFuture` when there is none.
  package var end: Instant { min(accrualEnd, purchase.revocationDate ?? .distantFuture) }

  /// Whether the purchase is in force at an instant.
  package func isInForce(at time: Instant) -> Bool {
    guard let start else { return false }
    return start <= time && time < end
  }

  /// Whether usage at an instant is leak: after the revocation, before the end it would have had.
  package func leaks(at time: Instant) -> Bool {
    guard let start, let revoked = purchase.revocationDate else { return false }
    return max(start, revoked) <= time && time < accrualEnd
  }

  /// The state at an instant.
  package func state(at now: Instant) -> PurchaseState {
    if let revoked = purchase.revocationDate, revoked <= now {
      return purchase.refundedShare > .zero ? .refunded : .revoked
    }
    return record.pendingCase(at: now) == nil ? course(at: now) : .refundRequested
  }

  /// Where the purchase is in its time, whatever was revoked or asked for.
  func course(at now: Instant) -> PurchaseState {
    if purchase.isUpgraded == true { return .superseded }
    if !purchase.isOneTime, let successor, successor <= now { return .superseded }
    if let lapse, lapse <= now { return .expired }
    if let periodEnd, periodEnd <= now { return .grace }
    return .active
  }

  /// The first instant after `now` at which time alone changes the state; nil when none does.
  package func nextChange(after now: Instant) -> Instant? {
    let state = state(at: now)
    let next = purchase.isOneTime ? nil : successor
    let silence = record.cases.last?.lapsesAt(in: record.environment)
    return [purchase.revocationDate, next, periodEnd, lapse, silence].compactMap { $0 }
      .filter { $0 > now }.sorted()
      .first { self.state(at: $0) != state }
  }
}
