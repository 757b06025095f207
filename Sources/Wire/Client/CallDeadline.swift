/// When a call has to be over, by a clock that never steps.
struct CallDeadline {
  private let end: Int64?

  /// So many milliseconds from now; nil: never.
  init(milliseconds: Int32?) {
    end = milliseconds.map { System.monotonicNanoseconds() + Int64($0) * 1_000_000 }
  }

  /// Never.
  static let never = CallDeadline(milliseconds: nil)

  /// Milliseconds left, rounded up so that a wait ends after the deadline; nil without one.
  var left: Int32? {
    guard let end else { return nil }
    let nanoseconds = max(0, end - System.monotonicNanoseconds())
    return Int32(clamping: (nanoseconds + 999_999) / 1_000_000)
  }
}
