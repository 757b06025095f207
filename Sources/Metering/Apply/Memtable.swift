/// Deltas since the last flush: keys, sums, points and replaced records. Bounded; one is active,
/// one may be frozen. Owned by the writer; readers look in under the books' lock.
package final class Memtable: @unchecked Sendable {
  // Unchecked: the writer mutates it under the books' lock, and once frozen nobody does. For the
  // same reason its hot properties do without dynamic checks of exclusive access.

  /// Accepted events since the last flush.
  @exclusivity(unchecked) package var keys: KeyTable
  @exclusivity(unchecked) package private(set) var subjects: ContiguousArray<SubjectEntry> = []
  @exclusivity(unchecked) package private(set) var usage: ContiguousArray<UsageEntry> = []
  @exclusivity(unchecked) package private(set) var sumKeys: ContiguousArray<SumKey> = []
  @exclusivity(unchecked) package private(set) var series: ContiguousArray<Series> = []
  package private(set) var labels: ContiguousArray<Label> = []
  @exclusivity(unchecked) package private(set) var quarterHours: [QuarterHourKey: Sums] = [:]
  package var points: ContiguousArray<PointEntry> = []
  /// In order of location.
  @exclusivity(unchecked) package private(set) var trail: ContiguousArray<TrailEntry> = []
  package private(set) var records: [ByteString: [UInt8]] = [:]
  /// Ids of those records that hold refund cases: they are few, and lists look for them.
  package private(set) var askedRecords: Set<ByteString> = []
  /// Transactions of the records by chain and by the key of their `appAccountToken`; a record that
  /// changed its chain stays under the old one too.
  package private(set) var recordsByChain: [ByteString: Set<ByteString>] = [:]
  package private(set) var recordsByToken: [ByteString: Set<ByteString>] = [:]
  package private(set) var links: [ByteString: ByteString] = [:]
  /// Chains by the key of the customer that they were linked to at some time.
  package private(set) var linksByCustomer: [ByteString: Set<ByteString>] = [:]
  package private(set) var consents: [ByteString: [Int64: Bool]] = [:]
  package private(set) var marks: [ByteString: Int64] = [:]
  /// Server notifications that were taken in, with their receipt, microseconds.
  package var notifications: [ByteString: Int64] = [:]
  /// Readings that wait, nil where one no longer does.
  package var waiting: [WaitingSubject: [WaitingKey: WaitingReading?]] = [:]
  /// By raw location, nil where one was let go.
  package var quarantine: [UInt64: QuarantinedEvent?] = [:]
  /// What changed beside usage and levels, in order.
  package private(set) var notes: ContiguousArray<Change> = []
  /// Work that is left, nil where it is done.
  package var followUps: [FollowUp: FollowUpState?] = [:]
  /// First journal sequence number that this table covers.
  package var firstSequence: UInt64
  /// Last covered sequence number and the chain there.
  package var lastSequence: UInt64
  package var lastChain = Hash128(high: 0, low: 0)
  /// Rough size of what isn't in the fixed tables, bytes.
  package var looseBytes = 0

  @exclusivity(unchecked) private var subjectIndex: IndexTable
  @exclusivity(unchecked) private var text: ContiguousArray<UInt8> = []
  private var sumNumbers: [SumKey: Int32] = [:]
  private var seriesNumbers: [Series: Int32] = [:]
  private var labelNumbers: [Label: Int32] = [:]

  /// An empty table that begins behind `sequence`; `capacity` is in events, `advice` is told of
  /// what is kept for them.
  package init(after sequence: UInt64, capacity: Int, _ advice: MemoryAdvice = { _ in }) {
    firstSequence = sequence + 1
    lastSequence = sequence
    keys = KeyTable(capacity: capacity, advice)
    subjectIndex = IndexTable(minimumCapacity: capacity, advice)
    usage.reserve(capacity, advice)
    subjects.reserve(capacity, advice)
    trail.reserve(capacity, advice)
  }

  /// Whether nothing was applied since it began.
  package var isEmpty: Bool { lastSequence < firstSequence }

  /// Whether it should be frozen, for a bound of `events` events.
  package func isFull(events: Int) -> Bool {
    keys.entries.count >= events || usage.count >= events * 2 || points.count >= events
      || quarterHours.count >= events || trail.count >= events * 2
      || looseBytes >= Limits.memtableLooseBytes
  }

  /// The id of a subject.
  package func id(of subject: Int) -> ByteString {
    let entry = subjects[subject]
    let start = Int(entry.idOffset)
    return ByteString(text[start..<start + Int(entry.idCount)])
  }

  /// The number of a subject, or -1.
  package func subject(hash: Hash128) -> Int {
    subjects.withUnsafeBufferPointer { all in
      subjectIndex.number(hash.low) { all[$0].hash == hash }
    }
  }

  /// Brings the keys of events nearer (see ``LookAhead``).
  package func lookAhead(
    _ events: UnsafeBufferPointer<DecodedEvent>, _ ahead: inout LookAhead
  ) {
    for event in events { ahead.note(keys.glance(event.key.low)) }
  }

  /// Brings what facts will be applied to nearer (see ``LookAhead``).
  func lookAhead(_ places: ArraySlice<ExpectedPlaces>, _ ahead: inout LookAhead) {
    for place in places {
      ahead.note(keys.glance(place.key) ^ subjectIndex.glance(place.subject))
    }
    subjects.withUnsafeBufferPointer { subjects in
      for place in places {
        let number = subjectIndex.likelyNumber(place.subject)
        if number >= 0 { ahead.note(UInt64(truncatingIfNeeded: subjects[number].lastTrail)) }
      }
      usage.withUnsafeBufferPointer { usage in
        for place in places {
          let number = subjectIndex.likelyNumber(place.subject)
          guard number >= 0, subjects[number].firstUsage >= 0 else { continue }
          ahead.note(UInt64(truncatingIfNeeded: usage[Int(subjects[number].firstUsage)].next))
        }
      }
    }
  }

  /// The number of a subject, added when it is new.
  func intern(subject id: UnsafeRawBufferPointer, hash: Hash128) -> Int {
    let slot = subjects.withUnsafeBufferPointer { all in
      subjectIndex.slot(hash.low) { all[$0].hash == hash }
    }
    let number = subjectIndex.number(at: slot)
    if number >= 0 { return number }
    subjects.append(
      SubjectEntry(
        hash: hash, idOffset: UInt32(text.count), idCount: UInt32(id.count), firstUsage: -1))
    text.append(contentsOf: id)
    // The fixed tables have room for usual ids.
    if id.count > Limits.usualIdBytes { looseBytes &+= id.count }
    subjects.withUnsafeBufferPointer { all in
      subjectIndex.fill(slot, with: all.count - 1, hash.low) { all[$0].hash.low }
    }
    return subjects.count - 1
  }

  func intern(series value: Series) -> Int32 {
    if let number = seriesNumbers[value] { return number }
    series.append(value)
    // As text, and as what it is found by.
    looseBytes += 200 + 2 * value.canonicalCount
    seriesNumbers[value] = Int32(series.count - 1)
    return Int32(series.count - 1)
  }

  func intern(label: Label) -> Int32 {
    if let number = labelNumbers[label] { return number }
    labels.append(label)
    looseBytes += 160 + label.product.count
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

  /// Remembers that a fact booked something to a subject; the same fact is remembered once.
  func leaveTrail(subject: Int, location: UInt64) {
    let previous = subjects[subject].lastTrail
    if previous >= 0 && trail[Int(previous)].location == location { return }
    trail.append(
      TrailEntry(subject: Int32(subject), previous: previous, location: location))
    subjects[subject].lastTrail = Int32(trail.count - 1)
  }

  /// Goes back through the facts that booked something to a subject, from a place in ``trail`` on
  /// and over `most` of them at most; returns the place to go on from, negative at the end. What
  /// lies behind a place never changes.
  package func trail(from place: Int32, most: Int, _ body: (UInt64) -> Void) -> Int32 {
    var place = place
    var left = most
    while place >= 0 && left > 0 {
      body(trail[Int(place)].location)
      place = trail[Int(place)].previous
      left -= 1
    }
    return place
  }

  /// Adds a delta to a quarter-hour.
  func add(quarterHour key: QuarterHourKey, _ sums: Sums) {
    quarterHours[key, default: Sums()].add(sums)
  }

  /// Replaces what is known about a transaction.
  func put(record id: ByteString, chain: ByteString, token: ByteString, body: [UInt8]) {
    looseBytes += body.count + id.count + 216
    records[id] = body
    notes.append(Change(.record, id))
    recordsByChain[chain, default: []].insert(id)
    if !token.isEmpty { recordsByToken[token, default: []].insert(id) }
    if PurchaseRecord.holdsCases(encoded: body) { askedRecords.insert(id) }
  }

  /// Links a chain to a customer.
  func put(link chain: ByteString, to customer: ByteString) {
    looseBytes += 264
    links[chain] = customer
    notes.append(Change(.link, chain))
    linksByCustomer[customer.customerKey, default: []].insert(chain)
  }

  /// Takes in that something has other figures now.
  func put(change: Change) {
    looseBytes += 96
    notes.append(change)
  }

  /// Takes in how far a source's usage is complete; `Int64.min` ends its marks.
  func put(mark source: ByteString, through: Int64) {
    if marks.updateValue(through, forKey: source) == nil { looseBytes += 96 + source.count }
  }

  /// Takes in what a customer said of sharing consumption data.
  func put(consent customer: ByteString, at time: Int64, isGiven: Bool) {
    looseBytes += 184
    consents[customer, default: [:]][time] = isGiven
    notes.append(Change(.consent, customer))
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

extension Limits {
  /// Bytes of an id that the fixed tables of a memtable are reckoned with.
  static let usualIdBytes = 64
}
