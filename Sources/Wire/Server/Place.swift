/// What a connection's place at its listener is worth when a newcomer wants it.
///
/// Who waits for us keeps it. Of those that we wait for, whoever loses least gives way, and among
/// these the one that has been silent longest.
enum Place: Int, Comparable {
  /// It has said nothing whole yet, or nothing it says matters any more.
  case unused
  /// Between requests.
  case resting
  /// It doesn't take its answers.
  case unread
  /// A body or line has begun and doesn't go on.
  case unfinished
  /// A stream between events: it may be so for days, and costs its backend a new connection.
  case quiet

  static func < (left: Place, right: Place) -> Bool { left.rawValue < right.rawValue }
}

extension Connection {
  /// What its place is worth at an instant; nil while it is served.
  func place(at now: Int64) -> Place? {
    let isSilent = now - lastActivity >= Limits.quietNanoseconds
    switch speech {
    case .undecided, .lingering: return .unused
    case .stream:
      guard !isParked, held.isEmpty, !toldFinished else { return isStalled(isSilent) }
      if !hasSpoken { return .unused }
      guard isSilent, !awaitsAck || isOutputBlocked else { return nil }
      return isStalled(true) ?? (framer.isWithinLine ? .unfinished : .quiet)
    case .http:
      // There may be more of them than ever get room.
      if case .pool = block { return isSilent ? .unfinished : nil }
      if block != nil || isClosing || inFlight > 0 || !output.isEmpty { return isStalled(isSilent) }
      if parser.isInHead { return .unused }
      if parser.isIdle { return hasSpoken ? .resting : .unused }
      return isSilent ? .unfinished : nil
    }
  }

  private func isStalled(_ isSilent: Bool) -> Place? {
    isOutputBlocked && isSilent ? .unread : nil
  }
}
