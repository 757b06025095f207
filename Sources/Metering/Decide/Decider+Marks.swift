/// Marks of how far a source's usage is complete.
extension Decider {
  func decideMark(_ event: DecodedEvent, in batch: IngestBatch) -> Verdict {
    let source = batch.bytes(event.source)
    let isEnd = event.through == .min
    let wasMarked = markedSources.contains(source)
    // Each of them is looked at for each decision.
    if !wasMarked && !isEnd && markedSources.count >= Limits.markedSources {
      return reject(.tooManySources)
    }
    let frame = builder.frame(for: 32 + source.count)
    frame.accepted += 1
    // Nothing ends where nothing was.
    if isEnd && !wasMarked { return .accepted }
    frame.writer.byte(FactTag.mark.rawValue)
    frame.writer.text(source)
    frame.writer.word(UInt64(bitPattern: event.through))
    if wasMarked == isEnd {
      pending.marks.append((source, wasMarked))
      if isEnd { markedSources.remove(source) } else { markedSources.insert(source) }
    }
    return .accepted
  }

  /// What this commit changed of marks and of what is kept never happened.
  func takeBackMarksAndKept() {
    for (source, wasMarked) in pending.marks.reversed() {
      if wasMarked { markedSources.insert(source) } else { markedSources.remove(source) }
    }
    for (identity, wasKept) in pending.kept.reversed() {
      if wasKept { kept.insert(identity) } else { kept.remove(identity) }
    }
    pending.marks.empty()
    pending.kept.empty()
  }
}

extension Limits {
  /// Sources that send marks at once: more than backends have processes, and few enough to look at
  /// all of them for one answer. A source that is no more is retired by a mark of null.
  package static let markedSources = 4_096
}
