import Metering

/// A table's trail by subject: each subject's locations side by side, in order of commit.
struct GroupedTrail {
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
