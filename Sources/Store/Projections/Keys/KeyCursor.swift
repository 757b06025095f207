import Metering

/// Goes through the keys of a run in order.
struct KeyCursor {
  private let blocks: RunBlocks
  private var entries: ContiguousArray<KeyEntry> = []
  private var number = 0
  private(set) var current: KeyEntry?

  init(blocks: RunBlocks) throws {
    self.blocks = blocks
    try advance()
  }

  @inline(__always)
  mutating func advance() throws {
    number += 1
    if number >= entries.count {
      guard try fetch() else { return }
    }
    current = entries[number]
  }

  private mutating func fetch() throws -> Bool {
    current = nil
    number = 0
    entries.removeAll(keepingCapacity: true)
    guard try blocks.advance() else { return false }
    var reader = KeyBlock.Reader(blocks.bytes, id: blocks.id)
    while let entry = reader.next() { entries.append(entry) }
    guard !reader.isDamaged && !entries.isEmpty else {
      throw StoreFault.ledger("a block of keys in ledger.db is damaged")
    }
    return true
  }
}

extension KeyEntry {
  /// Whether its key comes before another's in a run.
  @inline(__always)
  func precedes(_ other: KeyEntry) -> Bool {
    key.high < other.key.high || key.high == other.key.high && key.low < other.key.low
  }
}
