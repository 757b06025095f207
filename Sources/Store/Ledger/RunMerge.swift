import Metering

/// Runs on their way to become one of the next level: copied in slices as a run that isn't live,
/// made live with the last, so that a crash or fault at any point leaves the old runs or the new.
///
/// A merge that has thrown is to be dropped; what it wrote goes with the dead runs.
package protocol RunMerge: AnyObject {
  /// The runs that it reads.
  var sources: [Run] { get }
  /// Copies about ``StoreLimits/mergeSliceBytes`` within the caller's transaction; false when
  /// everything is copied.
  func copySlice() throws -> Bool
  /// Makes the new run live, within the caller's transaction.
  func finish() throws -> Run
}

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

/// Merges usage: sums of one key add up, trails follow one another in order of sequence. A sum
/// whose readings were all taken back stays: the times of its readings are in it.
final class UsageMerge: RunMerge {
  let sources: [Run]
  private var cursors: [Cursor]
  private var writer: UsageRunWriter
  private var record = UsageRecord()

  init(_ connection: Connection, _ runs: [Run]) throws {
    sources = runs
    cursors = try runs.sorted { $0.lastSequence < $1.lastSequence }
      .map { try Cursor(blocks: RunBlocks(connection, $0)) }
    writer = try UsageRunWriter(connection, Run(merging: runs))
  }

  func copySlice() throws -> Bool {
    let end = writer.bytes + StoreLimits.mergeSliceBytes
    while writer.bytes < end {
      guard let hash = leastHash else { return false }
      record.removeAll()
      record.hash = hash
      for number in cursors.indices where cursors[number].isAt(hash) {
        record.add(cursors[number].current)
        try cursors[number].advance()
      }
      try writer.add(record)
    }
    return true
  }

  private var leastHash: Hash128? {
    var least: Hash128?
    for number in cursors.indices where !cursors[number].isAtEnd {
      let hash = cursors[number].current.hash
      if let best = least {
        if hash.high > best.high || hash.high == best.high && hash.low >= best.low { continue }
      }
      least = hash
    }
    return least
  }

  func finish() throws -> Run { try writer.finish(isLive: true) }

  private struct Cursor {
    private let blocks: RunBlocks
    private var reader: UsageBlock.Reader?
    private(set) var current = UsageRecord()
    private(set) var isAtEnd = false

    init(blocks: RunBlocks) throws {
      self.blocks = blocks
      try advance()
    }

    func isAt(_ hash: Hash128) -> Bool { !isAtEnd && current.hash == hash }

    mutating func advance() throws {
      while try reader?.next(&current) != true {
        guard try blocks.advance() else {
          isAtEnd = true
          return
        }
        reader = UsageBlock.Reader(blocks.bytes, id: blocks.id)
      }
    }
  }
}
