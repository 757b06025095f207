package import Metering

/// A pass over the kept events, a piece at a time between the commits of others.
package struct QuarantineReplay {
  /// Raw location of the event that was looked at last.
  fileprivate var place: UInt64?
  /// What was met in this pass: a second copy of the same isn't needed.
  fileprivate var met: Set<UInt64> = []

  /// A pass from the oldest on.
  package init() {}
}

extension Books {
  /// Decides a piece of the kept events again, those that the configuration in force may make
  /// valid; false when there are no more. Writer only. Throws as ``commit(_:steps:at:)`` does; the
  /// piece may then be tried again.
  package func replayQuarantine(
    _ replay: inout QuarantineReplay, at time: CommitTime
  ) throws -> Bool {
    let turn = writerWork.enter()
    defer { writerWork.leave(turn) }
    let piece = try quarantined(after: replay.place, limit: StoreLimits.replayedEvents)
    guard let last = piece.last else { return false }
    let batch = IngestBatch()
    var decoder = EventDecoder(key: hashKey)
    var steps: [BatchStep] = []
    var identities: Set<UInt64> = []
    var bytes = 0
    var end = last.location
    for kept in piece {
      if bytes >= StoreLimits.replayedBytes { break }
      end = kept.location
      bytes += kept.raw.count
      let before = batch.events.count
      kept.raw.withUnsafeBytes { decoder.decodeLine($0, into: batch) }
      var decoded = batch.events[before]
      let isCopy =
        replay.met.contains(decoded.keptIdentity)
        || !identities.insert(decoded.keptIdentity).inserted
      decider.noteKept(decoded, isKept: true)
      let release = BatchStep.release(
        location: kept.location, bytes: kept.raw.count, isDropped: false)
      if isCopy {
        batch.events.removeLast()
        steps.append(release)
      } else if decider.wouldQuarantine(decoded, in: batch) {
        batch.events.removeLast()
      } else {
        if decoded.time == .min { decoded.time = kept.receivedAt }
        batch.events[before] = decoded
        steps += [.events(1), release]
      }
    }
    if !steps.isEmpty { _ = try commit(batch, steps: steps, at: time) }
    for event in batch.events { decider.noteKept(event, isKept: false) }
    replay.met.formUnion(identities)
    replay.place = end
    return true
  }

  /// Decides all kept events again. Writer only.
  package func replayQuarantine(at time: CommitTime) throws {
    var replay = QuarantineReplay()
    while try replayQuarantine(&replay, at: time) {}
  }

  /// Kept events, oldest first, those behind a raw location or all; at most `limit`. Writer only.
  package func quarantined(after location: UInt64?, limit: Int) throws -> [KeptEvent] {
    try showWriterWhatStands()
    return try knowledge.quarantined(after: location, limit: limit)
  }
}
