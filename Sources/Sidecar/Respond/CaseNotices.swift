package import Metering

/// What people are told of a case that isn't answered.
package enum CaseNotice: Equatable, Sendable, CustomStringConvertible {
  /// Nothing is sent as long as this gate is shut.
  case gated(ByteString, gate: ByteString, respondBy: Instant)
  /// Its time ended with failures.
  case failed(ByteString)
  /// Its time ended without an attempt; the gate that was shut, if one was.
  case unanswered(ByteString, gate: ByteString?)

  /// One line for people.
  package var description: String {
    switch self {
    case .gated(let id, let gate, let respondBy):
      "case \(id): nothing is sent: \(gate); there is time until \(respondBy)"
    case .failed(let id): "case \(id): missed; no attempt succeeded in time"
    case .unanswered(let id, let gate?): "case \(id): missed; nothing was sent: \(gate)"
    case .unanswered(let id, nil): "case \(id): missed; nothing was sent"
    }
  }
}

/// Tells of cases that aren't answered, of each once.
struct CaseNotices: Sendable {
  private var gates: [ByteString: ByteString] = [:]
  private var failed: Set<ByteString> = []
  private var waiting: [CaseNotice] = []

  /// A case is listed. Where Apple is asked for purchases, an unknown one is no gate yet.
  mutating func list(_ one: OpenCase, isFilled: Bool) {
    guard gates[one.id] != one.gate else { return }
    gates[one.id] = one.gate
    guard let gate = one.gate, !(isFilled && gate == OpenCase.unknownPurchase) else { return }
    waiting.append(.gated(one.id, gate: gate, respondBy: one.respondBy))
  }

  /// A case's time ended with failures.
  mutating func fail(_ id: ByteString) {
    if failed.insert(id).inserted { waiting.append(.failed(id)) }
  }

  /// A case is listed no more: answered, decided, or its time is over.
  mutating func leave(_ one: OpenCase, _ plan: RetryPlan?, at now: Instant) {
    gates[one.id] = nil
    if plan?.hasFailed(at: now) == true { fail(one.id) }
    guard failed.remove(one.id) == nil, (plan?.attempts ?? 0) == 0 else { return }
    // The sidecar ends it by its own clock, which may read a moment more.
    let latest = now.adding(microseconds: Self.slackMicroseconds)
    if one.respondBy <= latest { waiting.append(.unanswered(one.id, gate: one.gate)) }
  }

  private static let slackMicroseconds: Int64 = 1_000_000

  /// What is to be told now.
  mutating func take() -> [CaseNotice] {
    defer { waiting = [] }
    return waiting
  }
}
