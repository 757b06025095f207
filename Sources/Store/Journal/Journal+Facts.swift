package import Metering

extension Journal.Frame {
  /// Hands the frame to apply.
  package func withDurable<Value>(_ use: (DurableFrame) throws -> Value) rethrows -> Value {
    try body.withUnsafeBytes {
      try use(
        DurableFrame(
          body: $0, address: address, sequence: sequence, chain: chain,
          receivedAt: receivedAt.microseconds, floor: floor.microseconds,
          accepted: counts.accepted, duplicates: counts.duplicates, conflicts: counts.conflicts,
          rejected: counts.rejected))
    }
  }

  /// Throws a ``StoreFault`` that names the frame where its facts make no sense.
  func check(by check: inout FrameCheck) throws {
    do {
      try withDurable { try check.check($0, isLastOfCommit: isLastOfCommit) }
    } catch let damage as DamagedFrame {
      throw refusal(damage)
    }
  }

  /// Names the frame whose facts make no sense.
  func refusal(_ damage: DamagedFrame) -> StoreFault {
    .damaged("frame \(sequence): \(damage)")
  }
}

extension Journal {
  /// Appends what the decider wrote as one commit and hands each durable frame to `applied`; their
  /// bodies are the decider's. Throws as ``append(_:placed:)`` does.
  package func append(
    _ frames: [FrameBody], receivedAt: Int64, floor: Int64, applied: (DurableFrame) -> Void
  ) throws {
    let pending = frames.map { frame in
      PendingFrame(
        receivedAt: Instant(microseconds: receivedAt), floor: Instant(microseconds: floor),
        counts: FrameCounts(
          accepted: frame.accepted, duplicates: frame.duplicates, conflicts: frame.conflicts,
          rejected: frame.rejected),
        body: frame.bytes)
    }
    try append(pending) { placed in
      let frame = pending[placed.index]
      applied(
        DurableFrame(
          body: frame.body, address: placed.address, sequence: placed.sequence,
          chain: placed.chain, receivedAt: receivedAt, floor: floor,
          accepted: frame.counts.accepted, duplicates: frame.counts.duplicates,
          conflicts: frame.counts.conflicts, rejected: frame.counts.rejected,
          expected: frames[placed.index].expected))
    }
  }
}
