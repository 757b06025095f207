/// Open addressing from a hash to a number in a dense array that the caller owns. Never more than
/// half full.
///
/// A slot holds number + 1 in its lower half, so that zero is free, and the hash's upper half above
/// it: nearly every key that isn't there is told from the slots alone, without a look at the
/// caller's array, which would be another miss of the processor's caches.
struct IndexTable: ~Copyable {
  private var slots: UnsafeMutablePointer<UInt64>
  private var mask: Int
  private(set) var count = 0

  init(minimumCapacity: Int, _ advice: MemoryAdvice = { _ in }) {
    var size = 64
    while size < minimumCapacity * 2 { size *= 2 }
    slots = .allocate(large: size, advice)
    slots.initialize(repeating: 0, count: size)
    mask = size - 1
  }

  deinit { slots.deallocate() }

  private static let tagMask: UInt64 = 0xFFFF_FFFF_0000_0000

  /// The number with a hash that `isSame` confirms, else -1.
  @inline(__always)
  func number(_ hash: UInt64, _ isSame: (Int) -> Bool) -> Int {
    let found = slot(hash, isSame)
    return Int(UInt32(truncatingIfNeeded: slots[found])) - 1
  }

  /// The slot of the number with a hash that `isSame` confirms, else a free one for it.
  @inline(__always)
  func slot(_ hash: UInt64, _ isSame: (Int) -> Bool) -> Int {
    var slot = Int(truncatingIfNeeded: hash) & mask
    while true {
      let held = slots[slot]
      if held == 0 { return slot }
      if (held ^ hash) & Self.tagMask == 0,
        isSame(Int(UInt32(truncatingIfNeeded: held)) - 1)
      {
        return slot
      }
      slot = (slot &+ 1) & mask
    }
  }

  /// The word where the search for a hash begins, for a look ahead (see ``LookAhead``).
  @inline(__always)
  func glance(_ hash: UInt64) -> UInt64 { slots[Int(truncatingIfNeeded: hash) & mask] }

  /// The number that a hash most likely has, else -1, for a look ahead.
  @inline(__always)
  func likelyNumber(_ hash: UInt64) -> Int {
    let held = glance(hash)
    return (held ^ hash) & Self.tagMask == 0 ? Int(UInt32(truncatingIfNeeded: held)) - 1 : -1
  }

  /// The number in a slot, or -1 when the slot is free.
  @inline(__always)
  func number(at slot: Int) -> Int { Int(UInt32(truncatingIfNeeded: slots[slot])) - 1 }

  /// Fills a free slot; doubles the table when it would be more than half full.
  @inline(__always)
  mutating func fill(_ slot: Int, with number: Int, _ hash: UInt64, hashes: (Int) -> UInt64) {
    slots[slot] = hash & Self.tagMask | UInt64(number + 1)
    count += 1
    if count * 2 > mask { grow(hashes) }
  }

  /// Doubles the table; `hashes` gives each number's hash again.
  private mutating func grow(_ hashes: (Int) -> UInt64) {
    let oldSlots = slots
    let oldSize = mask + 1
    let size = oldSize * 2
    slots = .allocate(capacity: size)
    slots.initialize(repeating: 0, count: size)
    mask = size - 1
    for old in 0..<oldSize where oldSlots[old] != 0 {
      let hash = hashes(Int(UInt32(truncatingIfNeeded: oldSlots[old])) - 1)
      var slot = Int(truncatingIfNeeded: hash) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = oldSlots[old]
    }
    oldSlots.deallocate()
  }

  /// Empties the table, keeping its size; `hashes` gives each number's hash again.
  ///
  /// A few numbers are taken out one by one, the last filled first, so that the way to the others
  /// stays whole: a table that has grown costs no more than what is in it.
  mutating func removeAll(_ hashes: (Int) -> UInt64) {
    if count * 16 > mask {
      slots.update(repeating: 0, count: mask + 1)
    } else {
      for number in stride(from: count - 1, through: 0, by: -1) {
        var slot = Int(truncatingIfNeeded: hashes(number)) & mask
        while self.number(at: slot) != number { slot = (slot &+ 1) & mask }
        slots[slot] = 0
      }
    }
    count = 0
  }
}
