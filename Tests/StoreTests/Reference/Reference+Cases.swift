/// A request for money back.
struct ReferenceCase {
  enum Outcome: String { case granted, declined, reversed, lapsed }

  var number: Int
  var reason: String?
  /// Microseconds, as all instants here.
  var received: Int64
  var signed: Int64?
  var lastAsked: Int64
  var response: Response?
  var failures = 0
  var end: Outcome?

  struct Response {
    var at: Int64
    var preference: String?
  }

  var firstAsked: Int64 { min(received, signed ?? received) }

  func respondBy(isSandbox: Bool) -> Int64 {
    firstAsked + (isSandbox ? 5 * Calendar.minute : 12 * Calendar.hour)
  }

  /// Reading: silence begins with what was heard last: the answer in time, else the end of the
  /// time to answer, or a later repetition of the request.
  func lapse(isSandbox: Bool) -> Int64 {
    let deadline = respondBy(isSandbox: isSandbox)
    let answered = response.flatMap { $0.at < deadline ? $0.at : nil }
    return max(answered ?? deadline, lastAsked) + 30 * Calendar.day
  }

  /// Reading: an answer after the deadline doesn't undo that it was missed.
  func state(isSandbox: Bool, now: Int64) -> String {
    if let end { return end.rawValue }
    if lapse(isSandbox: isSandbox) <= now { return "lapsed" }
    let deadline = respondBy(isSandbox: isSandbox)
    if let response, response.at < deadline { return "answered" }
    return now < deadline ? "open" : "missed"
  }

  func isPending(isSandbox: Bool, now: Int64) -> Bool {
    ["open", "answered", "missed"].contains(state(isSandbox: isSandbox, now: now))
  }
}

extension Reference {
  func isSandbox(_ id: String) -> Bool { purchases[id]?.environment == "Sandbox" }

  /// The case that has no outcome yet at an instant.
  func pendingCase(_ id: String, now: Int64) -> ReferenceCase? {
    cases[id]?.last.flatMap { $0.isPending(isSandbox: isSandbox(id), now: now) ? $0 : nil }
  }

  /// Takes a request in; `signed` is nil where no notification told of it.
  ///
  /// Reading: Apple repeats requests and its notifications come in any order, so one that Apple
  /// signed before its newest decision belongs to what was decided. Silence is no decision of
  /// Apple's: after it a request opens the next case, but for one that nobody can answer any more.
  mutating func ask(_ id: String, reason: String?, signed: Int64? = nil, now: Int64) -> Int {
    let made = min(now, signed ?? now)
    var list = cases[id] ?? []
    defer { cases[id] = list }
    if let last = list.indices.last {
      let isPending = list[last].isPending(isSandbox: isSandbox(id), now: now)
      if isPending {
        join(&list[last], reason: reason, signed: signed, now: now)
        return list[last].number
      }
      let isDecided = signed.map { $0 < decisions[id]?.signed ?? .min } ?? false
      let isOld = made < list[last].lapse(isSandbox: isSandbox(id))
      let hasLapsed = list[last].end == nil
      if isDecided || hasLapsed && isOld && isTooLate(id, made: made, now: now) {
        return list[last].number
      }
    }
    var next = ReferenceCase(
      number: (list.last?.number ?? 0) + 1, reason: reason, received: now, signed: signed,
      lastAsked: made)
    if let signed, let decision = decisions[id], signed < decision.signed {
      let isReversed = decision.outcome == .granted && reversals[id] ?? .min >= decision.signed
      next.end = isReversed ? .reversed : decision.outcome
    }
    list.append(next)
    return next.number
  }

  /// Whether the time to answer a request is over.
  private func isTooLate(_ id: String, made: Int64, now: Int64) -> Bool {
    made + (isSandbox(id) ? 5 * Calendar.minute : 12 * Calendar.hour) <= now
  }

  /// Reading: an answered case keeps the deadline that its answer met.
  private func join(
    _ one: inout ReferenceCase, reason: String?, signed: Int64?, now: Int64
  ) {
    let made = min(now, signed ?? now)
    if one.response == nil {
      one.received = min(one.received, now)
      if let signed { one.signed = min(one.signed ?? signed, signed) }
    }
    // The newest reason stands.
    if let reason, one.reason == nil || made >= one.lastAsked { one.reason = reason }
    one.lastAsked = max(one.lastAsked, made)
  }

  /// Takes in a decision that Apple signed, in milliseconds. An older one than known says nothing
  /// new; a refund or a refusal is about the requests made before it, a reversal about the refund
  /// before it, whichever of the two is told first.
  mutating func decide(
    _ id: String, _ outcome: ReferenceCase.Outcome, signed milliseconds: Int64,
    revoked: Int64? = nil
  ) {
    let signed = milliseconds * 1000
    guard note(id, outcome, signed: milliseconds) else { return }
    let last = cases[id]?.last
    switch outcome {
    case .granted:
      if let last, signed >= last.firstAsked { settle(id, .granted, at: signed) }
      if let reversal = reversals[id], reversal >= signed { settle(id, .reversed, at: reversal) }
    case .declined:
      if let last, signed >= last.lastAsked { settle(id, .declined, at: signed) }
    default: settle(id, .reversed, at: signed)
    }
  }

  private mutating func settle(_ id: String, _ outcome: ReferenceCase.Outcome, at time: Int64) {
    guard var list = cases[id], let last = list.indices.last else { return }
    switch outcome {
    case .granted: list[last].end = .granted
    case .declined:
      if list[last].isPending(isSandbox: isSandbox(id), now: time) { list[last].end = .declined }
    default:
      // A reversal is of a refund: the latest that was granted, and nothing else.
      if let granted = list.lastIndex(where: { $0.end == .granted }) {
        list[granted].end = .reversed
      }
    }
    cases[id] = list
  }

  /// Reading: a payload that shows money gone back, or given again, tells the same as the
  /// notification about it.
  mutating func settle(_ purchase: ReferencePurchase, before: ReferencePurchase?) {
    let earlier = before?.refunded ?? .zero
    let isChanged = purchase.refunded != earlier || purchase.revoked != before?.revoked
    if purchase.refunded > .zero, isChanged {
      _ = note(purchase.id, .granted, signed: purchase.signed)
      // Reading: as for notifications, what was decided before the request is no answer to it.
      if purchase.signed * 1000 >= cases[purchase.id]?.last?.firstAsked ?? .max {
        settle(purchase.id, .granted, at: purchase.signed * 1000)
      }
    } else if earlier > .zero, purchase.revoked == nil {
      _ = note(purchase.id, .reversed, signed: purchase.signed)
      settle(purchase.id, .reversed, at: purchase.signed * 1000)
    }
  }

  /// False where something newer is known: a reversal stands beside refunds and refusals, and is of
  /// none that is newer.
  private mutating func note(
    _ id: String, _ outcome: ReferenceCase.Outcome, signed milliseconds: Int64
  ) -> Bool {
    let signed = milliseconds * 1000
    let known = decisions[id]
    if outcome == .reversed {
      guard signed > reversals[id] ?? .min else { return false }
      reversals[id] = signed
      return known?.outcome != .granted || signed >= known?.signed ?? .min
    }
    guard signed > known?.signed ?? .min else { return false }
    decisions[id] = (outcome, signed)
    return true
  }

  /// Reports an answer to the latest case: true when it stands, false when another does.
  mutating func respond(
    _ id: String, number: Int, preference: String?, isSuccess: Bool, now: Int64
  ) -> Bool {
    guard let index = cases[id]?.firstIndex(where: { $0.number == number }),
      cases[id]?[index].response == nil
    else { return false }
    if isSuccess {
      cases[id]?[index].response = .init(at: now, preference: preference)
    } else {
      cases[id]?[index].failures += 1
    }
    return true
  }
}
