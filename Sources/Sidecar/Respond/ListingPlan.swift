import Metering

/// When the open cases are listed again, and for how long a listing may wait. It is fed instants
/// and says what to do; it reads no clock.
struct ListingPlan: Sendable {
  /// What to do now.
  enum Step: Equatable, Sendable {
    /// Do what is due.
    case work
    /// Do nothing for so long, or until something else wakes.
    case rest(milliseconds: Int)
    /// List the cases; wait so many seconds for another listing than the last.
    case list(seconds: Int)
  }

  /// When the last listing came, monotonic nanoseconds; nil before the first.
  private var listedAt: UInt64?
  private var tookNanoseconds: UInt64 = 0
  /// Whether the last listing can be waited by.
  private var hasCursor = false

  /// A listing has come.
  mutating func listed(from start: UInt64, to end: UInt64, hasCursor: Bool) {
    listedAt = end
    tookNanoseconds = end - start
    self.hasCursor = hasCursor
  }

  /// Nothing of the last listing holds any more.
  mutating func forget() { listedAt = nil }

  /// What to do. What is due is done whatever woke us; but in a long row of work it is looked now
  /// and then whether something more urgent has come.
  func step(_ next: CaseDesk.Next, at now: Instant, monotonic: UInt64) -> Step {
    guard let listedAt else { return .list(seconds: 0) }
    let age = monotonic - min(listedAt, monotonic)
    guard case .wait(let until) = next else {
      let longest = max(
        UInt64(RespondLimits.workSpacingMilliseconds) * 1_000_000,
        tookNanoseconds * RespondLimits.workFactor)
      return age < longest ? .work : .list(seconds: 0)
    }
    let left = until.map { max(0, $0.microseconds.saturatingSubtracting(now.microseconds)) }
    // Without a cursor there is nothing to wait by, so it is asked again and again.
    let spacing =
      hasCursor ? RespondLimits.listingSpacingMilliseconds : RespondLimits.reconnectMilliseconds
    let rested = Int(clamping: age / 1_000_000)
    let leftMilliseconds = left.map { Int($0 / 1000) + 1 } ?? .max
    if rested < spacing { return .rest(milliseconds: min(spacing - rested, leftMilliseconds)) }
    guard hasCursor else { return .list(seconds: 0) }
    guard let left else { return .list(seconds: RespondLimits.pollSeconds) }
    let seconds = Int(min(Int64(RespondLimits.pollSeconds), left / 1_000_000))
    // Less than a second can't be asked for.
    return seconds == 0 ? .rest(milliseconds: leftMilliseconds) : .list(seconds: seconds)
  }
}

extension Int64 {
  fileprivate func saturatingSubtracting(_ other: Int64) -> Int64 {
    let (difference, isOver) = subtractingReportingOverflow(other)
    return isOver ? (other < 0 ? .max : .min) : difference
  }
}
