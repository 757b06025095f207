/// Where a refund case stands; see ``RefundCase/state(at:in:)``.
package enum RefundCaseState: String, CaseIterable, Sendable {
  /// It can be answered.
  case open
  /// It was answered in time; Apple hasn't decided yet.
  case answered
  /// The time to answer is over.
  case missed
  /// The money went back.
  case granted
  /// The request was refused.
  case declined
  /// Nothing was heard for so long that nothing more is expected.
  case lapsed
  /// The money went back and was taken again.
  case reversed

  /// Whether an outcome is still to come: the purchase's money may go back.
  package var isPending: Bool {
    switch self {
    case .open, .answered, .missed: true
    case .granted, .declined, .lapsed, .reversed: false
    }
  }
}
