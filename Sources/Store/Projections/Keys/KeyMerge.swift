import Metering

/// Merges keys: the newest record of a key stays.
final class KeyMerge: RunMerge {
  let sources: [Run]
  private var cursors: [KeyCursor]
  private var writer: KeyRunWriter

  init(_ connection: Connection, _ runs: [Run]) throws {
    sources = runs
    // Newest first, so that the first of equal keys is the one that stays.
    cursors = try runs.sorted { $0.lastSequence > $1.lastSequence }
      .map { try KeyCursor(blocks: RunBlocks(connection, $0)) }
    writer = try KeyRunWriter(
      connection, Run(merging: runs), expected: runs.reduce(0) { $0 + Int($1.count) })
  }

  func copySlice() throws -> Bool {
    let end = writer.bytes + StoreLimits.mergeSliceBytes
    while writer.bytes < end {
      // Entries are compared, not cursors: a copy of one counts references.
      var best: KeyEntry?
      for number in cursors.indices {
        guard let next = cursors[number].current else { continue }
        if best.map({ next.precedes($0) }) ?? true { best = next }
      }
      guard let entry = best else { return false }
      try writer.add(entry)
      for number in cursors.indices where cursors[number].current?.key == entry.key {
        try cursors[number].advance()
      }
    }
    return true
  }

  func finish() throws -> Run { try writer.finish(isLive: true) }
}
