/// Open addressing from a hash to a number in a dense array that the caller owns; the caller
/// compares keys. Slots hold number + 1, so zero is free. Never more than half full.
struct IndexTable: ~Copyable {
  private var slots: UnsafeMutablePointer<UInt32>
  private var mask: Int
  private(set) var count = 0

  init(minimumCapacity: Int) {
    var size = 64
    while size < minimumCapacity * 2 { size *= 2 }
    slots = .allocate(capacity: size)
    slots.initialize(repeating: 0, count: size)
    mask = size - 1
  }

  deinit { slots.deallocate() }

  /// First slot to look at for a hash.
  @inline(__always)
  func home(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & mask }

  /// The number in a slot, or -1 when the slot is free.
  @inline(__always)
  func number(at slot: Int) -> Int { Int(slots[slot]) - 1 }

  @inline(__always)
  func next(_ slot: Int) -> Int { (slot + 1) & mask }

  /// Fills a free slot; true when the caller must grow the table before the next.
  @inline(__always)
  mutating func fill(_ slot: Int, with number: Int) -> Bool {
    slots[slot] = UInt32(number + 1)
    count += 1
    return count * 2 > mask
  }

  /// Doubles the table; `hash` gives each number's hash again.
  mutating func grow(hash: (Int) -> UInt64) {
    let oldSlots = slots
    let oldSize = mask + 1
    let size = oldSize * 2
    slots = .allocate(capacity: size)
    slots.initialize(repeating: 0, count: size)
    mask = size - 1
    for old in 0..<oldSize where oldSlots[old] != 0 {
      var slot = home(hash(Int(oldSlots[old]) - 1))
      while slots[slot] != 0 { slot = next(slot) }
      slots[slot] = oldSlots[old]
    }
    oldSlots.deallocate()
  }

  /// Empties the table, keeping its size.
  mutating func removeAll() {
    if count > 0 { slots.update(repeating: 0, count: mask + 1) }
    count = 0
  }
}
