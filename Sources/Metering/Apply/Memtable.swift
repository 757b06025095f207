/// Deltas since the last flush: keys, sums, points and replaced records. Bounded; one is active,
/// one may be frozen. Owned by the writer; readers look in under the books' lock.
package final class Memtable: @unchecked Sendable {
  // Unchecked: the writer mutates it under the books' lock, and once frozen nobody does.

  /// Accepted events since the last flush.
  package var keys: KeyTable
  package private(set) var subjects: ContiguousArray<SubjectEntry> = []
  package private(set) var usage: ContiguousArray<UsageEntry> = []
  package private(set) var sumKeys: ContiguousArray<SumKey> = []
  package private(set) var series: ContiguousArray<Series> = []
  package private(set) var labels: ContiguousArray<Label> = []
  package private(set) var tally: [TallyKey: Sums] = [:]
  package var points: ContiguousArray<PointEntry> = []
  /// Which facts booked readings to which subject, in order of commit.
  package var trail: ContiguousArray<TrailEntry> = []
  package var records: [ByteString: [UInt8]] = [:]
  package var links: [ByteString: ByteString] = [:]
  package var consents: [ConsentKey: Bool] = [:]
  package var marks: [ByteString: Int64] = [:]
  package var waiting: [WaitingKey: WaitingReading?] = [:]
  package var quarantine: [UInt64: QuarantinedEvent?] = [:]
  package var moved: Set<ByteString> = []
  /// First journal sequence number that this table covers.
  package var firstSequence: UInt64
  /// Last covered sequence number and the chain there.
  package var lastSequence: UInt64
  package var lastChain = Hash128(high: 0, low: 0)
  /// Rough size of what isn't in the fixed tables, bytes.
  package var looseBytes = 0

  private var subjectIndex: IndexTable
  private var text: ContiguousArray<UInt8> = []
  private var sumNumbers: [SumKey: Int32] = [:]
  private var seriesNumbers: [Series: Int32] = [:]
  private var labelNumbers: [Label: Int32] = [:]

  /// An empty table that begins behind `sequence`; `capacity` is in events.
  package init(after sequence: UInt64, capacity: Int) {
    firstSequence = sequence + 1
    lastSequence = sequence
    keys = KeyTable(capacity: capacity)
    subjectIndex = IndexTable(minimumCapacity: capacity)
    usage.reserveCapacity(capacity)
    subjects.reserveCapacity(capacity)
    trail.reserveCapacity(capacity)
  }

  /// Whether nothing was applied since it began.
  package var isEmpty: Bool { lastSequence < firstSequence }

  /// Whether it should be frozen, for a bound of `events` events.
  package func isFull(events: Int) -> Bool {
    keys.entries.count >= events || usage.count >= events * 2 || trail.count >= events
      || points.count >= events || tally.count >= events || looseBytes >= Limits.memtableLooseBytes
  }

  /// The id of a subject.
  package func id(of subject: Int) -> ByteString {
    let entry = subjects[subject]
    let start = Int(entry.idOffset)
    return ByteString(text[start..<start + Int(entry.idCount)])
  }

  /// The number of a subject, or -1.
  package func subject(hash: Hash128) -> Int {
    var slot = subjectIndex.home(hash.low)
    while true {
      let number = subjectIndex.number(at: slot)
      if number < 0 || subjects[number].hash == hash { return number }
      slot = subjectIndex.next(slot)
    }
  }

  /// The number of a subject, added when it is new.
  func intern(subject id: UnsafeRawBufferPointer, hash: Hash128) -> Int {
    var slot = subjectIndex.home(hash.low)
    while true {
      let number = subjectIndex.number(at: slot)
      if number < 0 { break }
      if subjects[number].hash == hash { return number }
      slot = subjectIndex.next(slot)
    }
    subjects.append(
      SubjectEntry(
        hash: hash, idOffset: UInt32(text.count), idCount: UInt32(id.count), firstUsage: -1))
    text.append(contentsOf: id)
    if subjectIndex.fill(slot, with: subjects.count - 1) {
      subjects.withUnsafeBufferPointer { all in subjectIndex.grow { all[$0].hash.low } }
    }
    return subjects.count - 1
  }

  func intern(series value: Series) -> Int32 {
    if let number = seriesNumbers[value] { return number }
    series.append(value)
    looseBytes += 200
    seriesNumbers[value] = Int32(series.count - 1)
    return Int32(series.count - 1)
  }

  func intern(label: Label) -> Int32 {
    if let number = labelNumbers[label] { return number }
    labels.append(label)
    labelNumbers[label] = Int32(labels.count - 1)
    return Int32(labels.count - 1)
  }

  func intern(sum: SumKey) -> Int32 {
    if let number = sumNumbers[sum] { return number }
    sumKeys.append(sum)
    looseBytes += 80
    sumNumbers[sum] = Int32(sumKeys.count - 1)
    return Int32(sumKeys.count - 1)
  }

  /// Adds a delta to a subject's sum.
  func add(subject: Int, key: Int32, _ sums: Sums) {
    var number = subjects[subject].firstUsage
    while number >= 0 {
      if usage[Int(number)].key == key {
        usage[Int(number)].sums.add(sums)
        return
      }
      number = usage[Int(number)].next
    }
    usage.append(UsageEntry(next: subjects[subject].firstUsage, key: key, sums: sums))
    subjects[subject].firstUsage = Int32(usage.count - 1)
  }

  /// Adds a delta to a quarter-hour.
  func add(tally key: TallyKey, _ sums: Sums) {
    tally[key, default: Sums()].add(sums)
  }

  /// Takes the early quarter-hours of a subject out and gives them back.
  func removeEarly(subject: Int) -> [TallyKey: Sums] {
    let early = tally.filter { $0.key.early == Int32(subject) }
    for key in early.keys { tally.removeValue(forKey: key) }
    return early
  }

  /// Calls `body` with each sum of a subject.
  package func forEachUsage(subject: Int, _ body: (SumKey, Sums) -> Void) {
    var number = subjects[subject].firstUsage
    while number >= 0 {
      let entry = usage[Int(number)]
      body(sumKeys[Int(entry.key)], entry.sums)
      number = entry.next
    }
  }
}

/// A customer's answer at one instant.
package struct ConsentKey: Hashable, Sendable {
  package var customer: ByteString
  /// When it was given, microseconds.
  package var at: Int64
}

/// Where a reading waits for a purchase.
package struct WaitingKey: Hashable, Sendable {
  package var kind: UInt8
  package var subject: ByteString
  /// Event time, microseconds.
  package var time: Int64
  /// Location of the event, raw.
  package var location: UInt64
  /// Number of the reading in its event.
  package var number: Int32

  package init(
    kind: UInt8, subject: ByteString, time: Int64, location: UInt64, number: Int32
  ) {
    self.kind = kind
    self.subject = subject
    self.time = time
    self.location = location
    self.number = number
  }
}

/// A reading that no purchase takes yet.
package struct WaitingReading: Sendable, Equatable {
  package var series: Series
  /// Raw 10^-9 base units.
  package var quantity: Int128
  /// Own cost's currency, packed, and raw 10^-15 amount.
  package var own: UInt32
  package var amount: Int128
  package var isLevel: Bool
}

/// An event kept until a reload makes it valid.
package struct QuarantinedEvent: Sendable, Equatable {
  /// Number of the rejection's code.
  package var code: UInt8
  /// When it came, microseconds: the time of events that name none.
  package var receivedAt: Int64
  /// The event's JSON as sent.
  package var raw: [UInt8]

  package init(code: UInt8, receivedAt: Int64, raw: [UInt8]) {
    self.code = code
    self.receivedAt = receivedAt
    self.raw = raw
  }
}
