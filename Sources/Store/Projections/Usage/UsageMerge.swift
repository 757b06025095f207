import Metering

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
