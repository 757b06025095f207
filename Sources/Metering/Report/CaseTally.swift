/// What the refund cases of one purchase were counted for.
///
/// A counter never falls, so what was counted once stays: a repeated request may name another
/// reason, an answer may be reported after its time, and old cases go from the record.
package struct CaseTally: Equatable, Sendable {
  /// What one case was counted for.
  struct Counted: Equatable, Sendable {
    var number: Int64
    /// A value of ``CaseTally/reason(_:)``.
    var reason: ByteString
    var isMissed: Bool
    /// The preference of the answer that Apple took; nil without one.
    var response: ByteString?
    /// Answers that didn't get through.
    var failures: Int64
    /// The preference that its outcomes are counted under; nil without an outcome.
    var settled: ByteString?
    /// Bits of ``CaseTally/outcomes``.
    var outcomes: UInt8
    /// What it was counted for, only because the clock ran ahead.
    var corrections: Set<Correction> = []
  }

  /// What a case may be counted for by a wrong clock; a counter never falls, so that is told beside
  /// it.
  package enum Correction: String, CaseIterable, Sendable {
    case missed
    case lapsed
  }

  /// Cases of the record, by number.
  private(set) var counted: [Counted] = []
  /// Counts of cases that the record doesn't hold any more.
  private(set) var gone: [RollupKey: Int64] = [:]

  init() {}

  init(counted: [Counted], gone: [RollupKey: Int64]) {
    self.counted = counted
    self.gone = gone
  }

  /// What the cases of a record are to be counted for at an instant.
  package init(_ record: PurchaseRecord?, at now: Instant) {
    guard let record else { return }
    counted = record.cases.map { Counted($0, in: record.environment, at: now) }
  }

  var isEmpty: Bool { counted.isEmpty && gone.isEmpty }

  /// What a record's cases are counted for at an instant, with everything that was counted before.
  init(_ record: PurchaseRecord?, at now: Instant, continuing earlier: CaseTally?) {
    self.init(record, at: now)
    guard let earlier, !earlier.isEmpty else { return }
    gone = earlier.gone
    for old in earlier.counted {
      guard let index = counted.firstIndex(where: { $0.number == old.number }) else {
        old.count { gone[$0, default: 0] += $1 }
        continue
      }
      counted[index].keep(old)
      if let record, let refundCase = record.cases.first(where: { $0.number == old.number }) {
        counted[index].correct(old, refundCase, in: record.environment, at: now)
      }
    }
  }

  /// What is counted, by counter.
  package var counts: [RollupKey: Int64] {
    var counts = gone
    for one in counted { one.count { counts[$0, default: 0] += $1 } }
    return counts
  }

  package static let outcomes: [RefundCaseState] = [.granted, .declined, .lapsed, .reversed]

  /// A reason as a label: Apple's own, else one for all others.
  static func reason(_ reason: ByteString?) -> ByteString {
    guard let reason else { return RollupKey.none }
    return Decisions.reasons.contains(reason) ? reason : RollupKey.other
  }

  /// A preference that was sent, as a label.
  static func preference(_ preference: ByteString?) -> ByteString {
    guard let preference else { return RollupKey.none }
    let isKnown = RefundPreference.allCases.contains { ByteString($0.rawValue) == preference }
    return isKnown ? preference : RollupKey.other
  }

  /// The preference of outcomes that came without an answer.
  package static let unanswered: ByteString = "unanswered"
}

extension CaseTally.Counted {
  fileprivate init(_ refundCase: RefundCase, in environment: ByteString?, at now: Instant) {
    let until = refundCase.end?.at ?? now
    number = refundCase.number
    reason = CaseTally.reason(refundCase.openingReason)
    isMissed =
      refundCase.answeredInTime(in: environment) == nil
      && refundCase.respondBy(in: environment) <= min(until, now)
    response = refundCase.response.map { CaseTally.preference($0.preference) }
    failures = refundCase.failures?.count ?? 0
    outcomes = 0
    // What was given back was granted before.
    if [.granted, .reversed].contains(refundCase.end?.kind) { mark(.granted) }
    if refundCase.end?.kind == .reversed { mark(.reversed) }
    if refundCase.end?.kind == .declined { mark(.declined) }
    if refundCase.lapsesAt(in: environment) <= min(until, now) { mark(.lapsed) }
    if outcomes != 0 { settled = response ?? CaseTally.unanswered }
  }

  private static func bit(of outcome: RefundCaseState) -> UInt8 {
    CaseTally.outcomes.firstIndex(of: outcome).map { 1 << UInt8($0) } ?? 0
  }

  private mutating func mark(_ outcome: RefundCaseState) { outcomes |= Self.bit(of: outcome) }

  /// Notes what was counted earlier that can't have happened yet.
  fileprivate mutating func correct(
    _ old: CaseTally.Counted, _ refundCase: RefundCase, in environment: ByteString?, at now: Instant
  ) {
    corrections = old.corrections
    if old.isMissed, now < refundCase.respondBy(in: environment) { corrections.insert(.missed) }
    let hasLapsed = old.outcomes & Self.bit(of: .lapsed) != 0
    if hasLapsed, now < refundCase.lapsesAt(in: environment) { corrections.insert(.lapsed) }
  }

  fileprivate mutating func keep(_ old: CaseTally.Counted) {
    reason = old.reason
    isMissed = isMissed || old.isMissed
    response = old.response ?? response
    failures = max(failures, old.failures)
    settled = old.settled ?? settled
    outcomes |= old.outcomes
  }

  fileprivate func count(_ add: (RollupKey, Int64) -> Void) {
    add(RollupKey(.requests, reason), 1)
    if isMissed { add(RollupKey(.missed, reason), 1) }
    for one in corrections { add(RollupKey(.miscounted, ByteString(one.rawValue)), 1) }
    if let response { add(RollupKey(.responses, response, "accepted"), 1) }
    // Which preference failed isn't kept with the failure.
    if failures > 0 { add(RollupKey(.responses, RollupKey.unknown, "failed"), failures) }
    guard let settled else { return }
    for (bit, outcome) in CaseTally.outcomes.enumerated() where outcomes & 1 << UInt8(bit) != 0 {
      add(RollupKey(.outcomes, settled, ByteString(outcome.rawValue)), 1)
    }
  }
}
