import AppStore
package import Metering

/// The open cases and what is planned for each, without clocks or sockets.
package struct CaseDesk: Sendable {
  /// What to do next.
  package enum Next: Sendable {
    /// Send this case's answer.
    case send(OpenCase, RetryPlan.Variant)
    /// Ask Apple for the purchase of this case, which nobody has told of.
    case fill(OpenCase)
    /// Nothing before this instant; nil: nothing until a case comes or changes.
    case wait(until: Instant?)
  }

  /// Soonest `respondBy` first.
  package private(set) var cases: [OpenCase] = []
  private var plans: [ByteString: RetryPlan] = [:]
  private var heldUntil: [ByteString: Instant] = [:]
  /// Apple limits calls by app, not by case: one refusal for their number holds all.
  private var quietUntil: [StoreEnvironment: Instant] = [:]
  private let fills: Bool

  /// An empty desk. `fills`: whether Apple can be asked for unknown purchases.
  package init(fills: Bool) { self.fills = fills }

  /// Replaces the cases by those that are open now.
  package mutating func take(_ open: [OpenCase]) {
    cases = open.sorted { $0.respondBy < $1.respondBy }
    let ids = Set(open.map(\.id))
    plans = plans.filter { ids.contains($0.key) }
    heldUntil = heldUntil.filter { ids.contains($0.key) }
    for one in cases where plans[one.id] == nil {
      guard let environment = one.environment else { continue }
      plans[one.id] = RetryPlan(environment: environment, respondBy: one.respondBy)
    }
  }

  /// What to do at an instant: the most urgent case that is due.
  package func next(at now: Instant) -> Next {
    var wake: Instant?
    func wait(until instant: Instant) { wake = min(wake ?? instant, instant) }
    for one in cases {
      if let held = heldUntil[one.id], held > now {
        wait(until: held)
        continue
      }
      if one.gate == OpenCase.unknownPurchase, fills, now < one.respondBy { return .fill(one) }
      guard one.proposal != nil, let plan = plans[one.id] else { continue }
      switch plan.action(at: now) {
      case .send(let variant):
        if let quiet = one.environment.flatMap({ quietUntil[$0] }), quiet > now {
          wait(until: min(quiet, one.respondBy))
          continue
        }
        return .send(one, variant)
      case .wait(let until): wait(until: until)
      case .end: continue
      }
    }
    return .wait(until: wake)
  }

  /// Takes in what an attempt came to; returns the end, if it is one.
  package mutating func record(
    _ outcome: RetryPlan.Outcome, of id: ByteString, at now: Instant
  ) -> RetryPlan.End? {
    plans[id]?.record(outcome, at: now)
    noteLimit(outcome, of: id, at: now)
    guard case .end(let end)? = plans[id]?.action(at: now) else { return nil }
    return end
  }

  private mutating func noteLimit(
    _ outcome: RetryPlan.Outcome, of id: ByteString, at now: Instant
  ) {
    guard case .refused(let refusal) = outcome, refusal.status == 429,
      let until = refusal.retryAfter,
      let environment = cases.first(where: { $0.id == id })?.environment
    else { return }
    let latest = now.adding(microseconds: RespondLimits.longestQuietMicroseconds)
    quietUntil[environment] = min(until, latest)
  }

  /// Leaves a case alone until an instant: another responder has it, or it can't be sent now.
  package mutating func hold(_ id: ByteString, until instant: Instant) {
    heldUntil[id] = instant
  }

  /// Leaves a case alone as long as it is listed.
  package mutating func drop(_ id: ByteString) { hold(id, until: .distantFuture) }

  /// When the time of the most urgent case that can still be answered is over.
  package func mostUrgent(at now: Instant) -> Instant? {
    cases.first { one in
      one.proposal != nil && one.respondBy > now && plans[one.id]?.isOver != true
    }?.respondBy
  }

  /// Cases whose time ran out here after a failure, each told once.
  package mutating func takeMissed(at now: Instant) -> [ByteString] {
    cases.compactMap { one in
      guard one.proposal != nil, let plan = plans[one.id], heldUntil[one.id] != .distantFuture,
        case .end(.tooLate) = plan.action(at: now)
      else { return nil }
      drop(one.id)
      return one.id
    }
  }
}
