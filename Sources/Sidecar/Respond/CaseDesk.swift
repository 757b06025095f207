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

  /// Why a case is left alone.
  private struct Hold {
    var until: Instant
    /// Whether it is over as soon as the case is listed with another gate or body.
    var endsWithChange: Bool
  }

  /// Soonest `respondBy` first.
  package private(set) var cases: [OpenCase] = []
  private var plans: [ByteString: RetryPlan] = [:]
  private var holds: [ByteString: Hold] = [:]
  /// Apple limits calls by app, not by case: one refusal for their number holds all.
  private var quietUntil: [StoreEnvironment: Instant] = [:]
  private let fills: Bool
  private var told = CaseNotices()

  /// An empty desk. `fills`: whether Apple can be asked for unknown purchases.
  package init(fills: Bool) { self.fills = fills }

  /// Replaces the cases by those that are open at an instant.
  package mutating func take(_ open: [OpenCase], at now: Instant) {
    let before = Dictionary(cases.map { ($0.id, $0) }) { first, _ in first }
    cases = open.sorted { $0.respondBy < $1.respondBy }
    let ids = Set(open.map(\.id))
    for (id, gone) in before where !ids.contains(id) {
      told.leave(gone, plans[id], at: now)
    }
    plans = plans.filter { ids.contains($0.key) }
    holds = holds.filter { ids.contains($0.key) }
    for one in cases {
      if let old = before[one.id], holds[one.id]?.endsWithChange == true, one.asksOther(than: old) {
        holds[one.id] = nil
      }
      told.list(one, isFilled: fills)
      guard let environment = one.environment else { continue }
      if plans[one.id] == nil {
        plans[one.id] = RetryPlan(environment: environment, respondBy: one.respondBy)
      } else {
        plans[one.id]?.move(to: one.respondBy)
      }
    }
  }

  /// What to do at an instant: the most urgent case that is due.
  package func next(at now: Instant) -> Next {
    var wake: Instant?
    func wait(until instant: Instant) { wake = min(wake ?? instant, instant) }
    for one in cases {
      if let held = holds[one.id], held.until > now {
        wait(until: held.until)
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

  /// Leaves a case alone until an instant: another responder has it.
  package mutating func hold(_ id: ByteString, until instant: Instant) {
    holds[id] = Hold(until: instant, endsWithChange: false)
  }

  /// Leaves a case alone until an instant, or until it is listed with another gate or body.
  package mutating func holdUnchanged(_ id: ByteString, until instant: Instant = .distantFuture) {
    holds[id] = Hold(until: instant, endsWithChange: true)
  }

  /// When the time of the most urgent case that can still be answered is over.
  package func mostUrgent(at now: Instant) -> Instant? {
    cases.first { one in
      one.proposal != nil && one.respondBy > now && plans[one.id]?.isOver != true
    }?.respondBy
  }

  /// What people are to be told by an instant, each once.
  package mutating func takeNotices(at now: Instant) -> [CaseNotice] {
    for one in cases {
      if plans[one.id]?.hasFailed(at: now) == true { told.fail(one.id) }
    }
    return told.take()
  }
}
