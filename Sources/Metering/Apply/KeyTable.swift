/// Exact set of event keys of one memtable (or one batch).
package struct KeyTable: ~Copyable {
  package private(set) var entries: ContiguousArray<KeyEntry> = []
  private var index: IndexTable

  init(capacity: Int, _ advice: MemoryAdvice = { _ in }) {
    index = IndexTable(minimumCapacity: capacity, advice)
    entries.reserve(capacity, advice)
  }

  /// The number of the key's entry, or -1.
  @inline(__always)
  func number(of key: Hash128) -> Int {
    entries.withUnsafeBufferPointer { all in index.number(key.low) { all[$0].key == key } }
  }

  /// The key's entry, nil when the table has none.
  @inline(__always)
  package func entry(of key: Hash128) -> KeyEntry? {
    let number = number(of: key)
    return number < 0 ? nil : entries[number]
  }

  /// Brings the place of a key nearer (see ``LookAhead``).
  @inline(__always)
  func glance(_ low: UInt64) -> UInt64 { index.glance(low) }

  /// Adds an entry or replaces the one with its key: the newest record of a key wins.
  mutating func put(_ entry: KeyEntry) {
    let key = entry.key
    let slot = entries.withUnsafeBufferPointer { all in
      index.slot(key.low) { all[$0].key == key }
    }
    let number = index.number(at: slot)
    if number >= 0 {
      entries[number] = entry
      return
    }
    entries.append(entry)
    entries.withUnsafeBufferPointer { all in
      index.fill(slot, with: all.count - 1, key.low) { all[$0].key.low }
    }
  }

  mutating func removeAll() {
    entries.withUnsafeBufferPointer { all in index.removeAll { all[$0].key.low } }
    entries.removeAll(keepingCapacity: true)
  }
}
