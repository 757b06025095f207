import Metering

/// Writes purchases' sums and trails, sorted by hash, as a run. A purchase with more than fits a
/// page has a larger block to itself.
struct UsageRunWriter: ~Copyable {
  private var rows: RunRows
  private var count = 0
  private var block = BlockBytes()
  private var base: UsageBlock.Base?
  private var first = Hash128(high: 0, low: 0)
  private var last: UInt64 = 0

  /// Begins the described run.
  init(_ connection: Connection, _ description: Run) throws {
    rows = try RunRows(connection, description)
  }

  /// Bytes of blocks written so far.
  var bytes: Int { rows.bytes }

  /// Adds the next purchase in order.
  mutating func add(_ record: UsageRecord) throws {
    count += 1
    if let base {
      let end = block.count
      UsageBlock.write(record, after: last, base: base, to: &block)
      if block.count <= StoreLimits.blockBytes || record.hash.high >> 32 == last >> 32 {
        last = record.hash.high
        return
      }
      block.truncate(to: end)
      try flushBlock()
    }
    let base = UsageBlock.Base(startingWith: record, locations: rows.run.locations)
    base.write(to: &block)
    UsageBlock.write(
      record, after: Run.base(startingWith: record.hash), base: base, to: &block)
    self.base = base
    first = record.hash
    last = record.hash.high
  }

  private mutating func flushBlock() throws {
    guard base != nil else { return }
    try rows.put(block.bytes, from: first)
    block.truncate(to: 0)
    base = nil
  }

  /// Writes the rest; when live, the run counts from the transaction's commit on.
  mutating func finish(isLive: Bool) throws -> Run {
    try flushBlock()
    return try rows.finish(count: count, filter: nil, isLive: isLive)
  }
}
