import Metering

extension Ledger {
  /// Writes the table's event keys as a run, nil without any.
  func flushKeys(_ table: Memtable) throws -> Run? {
    let entries = table.keys.entries
    guard let any = entries.first else { return nil }
    var least = any.location.raw
    var most = least
    for entry in entries {
      least = min(least, entry.location.raw)
      most = max(most, entry.location.raw)
    }
    var writer = try KeyRunWriter(
      connection, Run(kind: .keys, flushing: table, locations: least...most),
      expected: entries.count)
    try entries.withUnsafeBufferPointer { entries in
      let order = HashOrder.numbers(count: entries.count) { entries[$0].key }
      var ahead = LookAhead()
      for (place, number) in order.enumerated() {
        if place % LookAhead.window == 0 {
          for number in order[place...].prefix(LookAhead.window) {
            ahead.note(entries[Int(number)].fingerprint)
          }
        }
        try writer.add(entries[Int(number)])
      }
    }
    return try writer.finish(isLive: true)
  }

  /// Writes the table's sums and trails as a run, nil without any.
  func flushUsage(_ table: Memtable, sums numbers: [Int64]) throws -> Run? {
    let trails = GroupedTrail(table)
    guard let locations = trails.locations else {
      precondition(table.usage.isEmpty, "usage without a trail")
      return nil
    }
    let subjects = table.subjects
    let usage = table.usage
    var writer = try UsageRunWriter(
      connection, Run(kind: .usage, flushing: table, locations: locations))
    var record = UsageRecord()
    try subjects.withUnsafeBufferPointer { subjects in
      try usage.withUnsafeBufferPointer { usage in
        let order = HashOrder.numbers(count: subjects.count) { subjects[$0].hash }
        var ahead = LookAhead()
        for (place, number) in order.enumerated() {
          if place % LookAhead.window == 0 {
            let next = order[place...].prefix(LookAhead.window)
            for number in next { ahead.note(subjects[Int(number)].hash.low) }
            for number in next {
              let first = Int(subjects[Int(number)].firstUsage)
              if first >= 0 { ahead.note(UInt64(bitPattern: usage[first].sums.count)) }
              ahead.note(trails.glance(Int(number)))
            }
          }
          let subject = Int(number)
          record.removeAll()
          record.hash = subjects[subject].hash
          var place = subjects[subject].firstUsage
          while place >= 0 {
            let entry = usage[Int(place)]
            record.sums.append(NumberedSums(key: numbers[Int(entry.key)], sums: entry.sums))
            place = entry.next
          }
          if record.sums.count > 1 { record.sums.sort { $0.key < $1.key } }
          trails.append(subject, to: &record.trail)
          if !record.sums.isEmpty || !record.trail.isEmpty { try writer.add(record) }
        }
      }
    }
    return try writer.finish(isLive: true)
  }
}

/// A table's trail by subject: each subject's locations side by side, in order of commit.
private struct GroupedTrail {
  private var ends: ContiguousArray<Int32>
  private var grouped: ContiguousArray<UInt64>
  /// The least and the greatest location; nil without any.
  private(set) var locations: ClosedRange<UInt64>?

  init(_ table: Memtable) {
    let trail = table.trail
    ends = ContiguousArray(repeating: 0, count: table.subjects.count)
    grouped = ContiguousArray(repeating: 0, count: trail.count)
    for entry in trail { ends[Int(entry.subject)] += 1 }
    var total: Int32 = 0
    for subject in ends.indices {
      total += ends[subject]
      ends[subject] = total
    }
    var starts = ends
    for entry in trail.reversed() {
      starts[Int(entry.subject)] -= 1
      grouped[Int(starts[Int(entry.subject)])] = entry.location
    }
    // Entries come in order of commit, which is the order of locations.
    if let first = trail.first, let last = trail.last {
      locations = first.location...last.location
    }
  }

  /// Brings a subject's locations nearer (see ``LookAhead``).
  @inline(__always)
  func glance(_ subject: Int) -> UInt64 { grouped[max(0, Int(ends[subject]) - 1)] }

  @inline(__always)
  func append(_ subject: Int, to trail: inout ContiguousArray<UInt64>) {
    let start = subject == 0 ? 0 : Int(ends[subject - 1])
    for place in start..<Int(ends[subject]) { trail.append(grouped[place]) }
  }
}
