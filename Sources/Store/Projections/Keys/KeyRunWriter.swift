import Metering

/// Writes sorted keys as a run: blocks are filled to a page, so that nearly nothing of it is lost.
struct KeyRunWriter: ~Copyable {
  private var rows: RunRows
  private let filter: Filter
  private var count = 0
  private var block = BlockBytes()
  private var pending: ContiguousArray<KeyEntry> = []
  private var widest: UInt64 = 0
  private let locationBytes: Int

  /// Begins the described run for about `expected` keys.
  init(_ connection: Connection, _ description: Run, expected: Int) throws {
    rows = try RunRows(connection, description)
    filter = Filter(count: expected)
    locationBytes = KeyBlock.locationBytes(in: description.locations)
    pending.reserveCapacity(StoreLimits.blockBytes / 16)
  }

  /// Bytes of blocks written so far.
  var bytes: Int { rows.bytes }

  /// Adds the next key in order.
  @inline(__always)
  mutating func add(_ entry: KeyEntry) throws {
    let before = pending.last.map(\.key.high) ?? entry.key.high
    let distance = entry.key.high - before
    let wider = max(widest, distance)
    let size = KeyBlock.size(
      count: pending.count + 1, keyBytes: BlockBytes.width(of: wider),
      locationBytes: locationBytes)
    if size > StoreLimits.blockBytes && entry.key.high >> 32 != before >> 32 {
      try flushBlock()
    } else {
      widest = wider
    }
    pending.append(entry)
    filter.insert(entry.key)
  }

  private mutating func flushBlock() throws {
    guard let first = pending.first else { return }
    let base = Run.base(startingWith: first.key)
    KeyBlock.write(
      pending, above: base, keyBytes: BlockBytes.width(of: max(widest, first.key.high - base)),
      locationBytes: locationBytes, leastLocation: rows.run.locations.lowerBound, to: &block)
    try rows.put(block.bytes, from: first.key)
    count += pending.count
    pending.removeAll(keepingCapacity: true)
    widest = 0
  }

  /// Writes the rest; when live, the run counts from the transaction's commit on.
  mutating func finish(isLive: Bool) throws -> Run {
    try flushBlock()
    return try rows.finish(count: count, filter: filter, isLive: isLive)
  }
}
