import Metering

/// Sorts by hashes, which are spread evenly: each goes to the bucket of its leading bits, and the
/// few in a bucket are sorted by insertion.
enum HashOrder {
  private struct Entry {
    var high: UInt64
    var number: Int32
  }

  /// The numbers 0..<count in ascending order of their hashes.
  @inline(__always)
  static func numbers(count: Int, hash: (Int) -> Hash128) -> ContiguousArray<Int32> {
    var bits: UInt64 = 1
    while 1 << bits < count { bits += 1 }
    let shift = 64 - bits
    var ends = ContiguousArray<Int32>(repeating: 0, count: 1 << bits)
    for number in 0..<count { ends[Int(hash(number).high >> shift)] += 1 }
    var total: Int32 = 0
    for bucket in ends.indices {
      total += ends[bucket]
      ends[bucket] = total
    }
    var entries = ContiguousArray(repeating: Entry(high: 0, number: 0), count: count)
    for number in (0..<count).reversed() {
      let high = hash(number).high
      let bucket = Int(high >> shift)
      ends[bucket] -= 1
      entries[Int(ends[bucket])] = Entry(high: high, number: Int32(number))
    }
    for place in entries.indices.dropFirst() {
      let entry = entries[place]
      var free = place
      while free > 0 {
        let before = entries[free - 1]
        if before.high < entry.high { break }
        if before.high == entry.high
          && hash(Int(before.number)).low <= hash(Int(entry.number)).low
        {
          break
        }
        entries[free] = before
        free -= 1
      }
      entries[free] = entry
    }
    return ContiguousArray(entries.map(\.number))
  }
}
