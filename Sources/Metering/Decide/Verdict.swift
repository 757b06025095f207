/// What became of one event.
package enum Verdict: Equatable, Sendable {
  /// Counted, now and once.
  case accepted
  /// Known with the same content.
  case duplicate
  /// Known with other content: the first stands.
  case conflict
  /// Not counted and its id not burnt.
  case rejected(RejectionCode)
}

/// What a commit did, in the order of the batch.
package struct CommitResult: Sendable {
  /// One verdict for each event.
  package internal(set) var verdicts: ContiguousArray<Verdict> = []
  /// One outcome for each command.
  package internal(set) var outcomes: [CommandOutcome] = []
  /// Revoked purchases by the number of the event that named them or was booked to them.
  package private(set) var stopServing: [Int: [RevokedPurchase]] = [:]

  package init() {}

  mutating func reserve(_ events: Int) { verdicts.reserveCapacity(events) }

  mutating func add(_ outcome: CommandOutcome) { outcomes.append(outcome) }

  mutating func add(_ revoked: RevokedPurchase, at event: Int) {
    if stopServing[event]?.contains(revoked) != true {
      stopServing[event, default: []].append(revoked)
    }
  }
}

/// A step of a batch, in order of arrival.
package enum BatchStep: Sendable {
  /// The next `count` events of the batch.
  case events(Int)
  /// A command.
  case command(Command)
  /// A kept event goes: it was decided again, or is dropped.
  case release(location: UInt64, bytes: Int, isDropped: Bool)
}

/// The instants that a commit is decided at.
package struct CommitTime: Sendable {
  /// Wall clock.
  package var now: Instant
  /// Monotonic time since the last commit, microseconds: how far the floor may advance.
  package var elapsed: Int64

  package init(now: Instant, elapsed: Int64) {
    self.now = now
    self.elapsed = elapsed
  }
}

/// How far a batch was decided: a change that leaves follow-up work ends an entry early, and so
/// does as much as an entry may hold.
package struct BatchCursor: Equatable, Sendable {
  /// Steps that are decided, and the events among them.
  package internal(set) var step = 0
  package internal(set) var event = 0
  /// Events of the step that are decided, where an entry was full before its end.
  package internal(set) var ofStep = 0

  /// Before the first step.
  package init() {}
}
