/// Keys with a number each, by open addressing: what a dictionary does, without its hashing. Never
/// more than half full; what has grown large is given back when it is emptied.
struct NumberTable<Key: NumberedKey> {
  private var entries: ContiguousArray<(key: Key, number: Int)> = []
  /// An entry's place + 1, or 0 where a slot is free.
  private var slots = ContiguousArray<UInt32>(repeating: 0, count: Self.firstSlots)

  private static var firstSlots: Int { 64 }

  /// Keys with a number.
  var count: Int { entries.count }

  /// The key's number; nil when it has none. A number that was set stays.
  subscript(key: Key) -> Int? {
    @inline(__always) get {
      let mask = slots.count &- 1
      var slot = Int(truncatingIfNeeded: key.slotHash) & mask
      while true {
        let entry = Int(slots[slot]) &- 1
        if entry < 0 { return nil }
        if entries[entry].key == key { return entries[entry].number }
        slot = (slot &+ 1) & mask
      }
    }
    set {
      guard let number = newValue, self[key] == nil else {
        preconditionFailure("a number is given once and for good")
      }
      if (entries.count + 1) * 2 > slots.count { grow() }
      entries.append((key, number))
      fill(entries.count)
    }
  }

  private mutating func fill(_ value: Int) {
    let mask = slots.count &- 1
    var slot = Int(truncatingIfNeeded: entries[value - 1].key.slotHash) & mask
    while slots[slot] != 0 { slot = (slot &+ 1) & mask }
    slots[slot] = UInt32(value)
  }

  private mutating func grow() {
    slots = ContiguousArray(repeating: 0, count: slots.count * 2)
    for value in 1...entries.count { fill(value) }
  }

  /// Takes all numbers back.
  mutating func removeAll() {
    guard !entries.isEmpty else { return }
    if slots.count > Limits.keptElements {
      slots = ContiguousArray(repeating: 0, count: Self.firstSlots)
      entries.removeAll()
      return
    }
    for slot in slots.indices { slots[slot] = 0 }
    entries.removeAll(keepingCapacity: true)
  }
}

/// What can be numbered: equal keys have equal hashes, whose lower bits mostly differ otherwise.
protocol NumberedKey: Equatable {
  var slotHash: UInt64 { get }
}

extension Hash128: NumberedKey {
  var slotHash: UInt64 { low }
}

extension BookingKey: NumberedKey {
  var slotHash: UInt64 {
    let fields =
      UInt64(UInt32(bitPattern: shape)) ^ UInt64(UInt32(bitPattern: epoch)) &<< 20
      ^ UInt64(UInt32(bitPattern: label)) &<< 40
    return fields &* 0x9FB2_1C65_1E98_DF25 &>> 32
  }
}
