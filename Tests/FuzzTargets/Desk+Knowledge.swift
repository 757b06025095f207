@testable import Metering

/// What a desk knows is in its memtable and frames.
extension Desk {
  func entry(of key: Hash128) throws -> KeyEntry? { table.keys.entry(of: key) }

  func lookAhead(_ events: UnsafeBufferPointer<DecodedEvent>, _ ahead: inout LookAhead) {
    table.lookAhead(events, &ahead)
  }

  func record(_ id: ByteString) throws -> PurchaseRecord? {
    guard let body = table.records[id] else { return nil }
    guard let record = PurchaseRecord(encoded: body) else {
      preconditionFailure("a record that was written is read")
    }
    return record
  }

  func chain(_ original: ByteString) throws -> [PurchaseRecord] {
    Self.byDate(records.filter { $0.purchase?.chain == original })
  }

  private static func byDate(_ records: [PurchaseRecord]) -> [PurchaseRecord] {
    records.sorted {
      ($0.purchase?.purchaseDate ?? .distantPast, $0.transactionId)
        < ($1.purchase?.purchaseDate ?? .distantPast, $1.transactionId)
    }
  }

  func linkedCustomer(ofChain original: ByteString) throws -> ByteString? { table.links[original] }

  func transactions(ofCustomer key: ByteString) throws -> [ByteString] {
    let chains = table.linksByCustomer[key] ?? []
    let linked = try chains.flatMap { try chain($0) }.map(\.transactionId)
    return Array(Set(linked).union(table.recordsByToken[key] ?? []))
  }

  func hasSeen(notification id: ByteString) throws -> Bool { table.notifications[id] != nil }

  private func subject(_ id: ByteString) -> Int {
    table.subject(hash: HashKey(high: 1, low: 2).hash128(id))
  }

  func usage(of id: ByteString) throws -> [UsageLine] {
    let subject = subject(id)
    guard subject >= 0 else { return [] }
    var lines: [UsageLine] = []
    table.forEachUsage(subject: subject) { key, sums in
      guard sums.count > 0 else { return }
      lines.append(
        UsageLine(
          series: table.series[Int(key.series)], epoch: key.epoch, own: key.own,
          parts: key.parts, sums: sums))
    }
    return lines
  }

  func trail(of id: ByteString) throws -> [Location] {
    let subject = subject(id)
    guard subject >= 0 else { return [] }
    var locations: [Location] = []
    let last = table.subjects[subject].lastTrail
    _ = table.trail(from: last, most: .max) { locations.append(Location(raw: $0)) }
    return locations.reversed()
  }

  func hasTrail(_ id: ByteString) throws -> Bool { subject(id) >= 0 }

  func fact(at location: Location) throws -> FrameWalk.Fact {
    let fact = try frames[Int(location.address) - 1].withUnsafeBytes {
      try FrameWalk.fact(
        number: location.number, in: $0, address: location.address,
        receivedAt: Self.now.microseconds)
    }
    guard let fact else { preconditionFailure("a location leads to its fact") }
    return fact
  }

  func readings(bookedTo id: ByteString) throws -> [TrailReading] {
    var readings: [TrailReading] = []
    for location in try trail(of: id) {
      try fact(at: location).forEachChange { event, sign in
        for reading in event.readings where reading.booked == id && !reading.isLevel {
          let time = Instant(microseconds: event.time)
          readings.append(
            TrailReading(
              time: time, event: event.key, place: event.origin?.raw ?? 0,
              number: reading.number,
              line: UsageLine(
                series: reading.series, epoch: reading.epoch, own: reading.own,
                parts: reading.parts,
                sums: reading.sums(at: event.time, sign: sign))))
        }
      }
    }
    return readings
  }

  func levels(of id: ByteString) throws -> [LevelSeries] {
    let subject = subject(id)
    let points = table.points.filter { Int($0.subject) == subject }
      .sorted { ($0.time, $0.tie) < ($1.time, $1.tie) }
    return Dictionary(grouping: points, by: \.series).map { number, points in
      var kept: [LevelPoint] = []
      for point in points where !point.isRemoved {
        let time = Instant(microseconds: point.time)
        if kept.last?.time == time { kept.removeLast() }
        kept.append(LevelPoint(time: time, value: point.value, commit: point.tie))
      }
      let series = table.series[Int(number)]
      return LevelSeries(
        meter: series.meter, attributes: series.attributes.map { ($0.key, $0.value) },
        points: kept)
    }
  }

  func levelSubjects() throws -> [ByteString] {
    Set(table.points.map { table.id(of: Int($0.subject)) }).sorted()
  }

  func hasWaiting() throws -> Bool { totals.waitingReadings > 0 }

  func hasWaiting(_ subject: WaitingSubject) throws -> Bool {
    table.waiting[subject]?.isEmpty == false
  }

  func waiting(_ subject: WaitingSubject) throws -> [Location] {
    var locations: [Location] = []
    let waiting = (table.waiting[subject] ?? [:]).filter { $0.value != nil }
    for key in waiting.keys.sorted() where locations.last?.raw != key.location {
      locations.append(Location(raw: key.location))
    }
    return locations
  }

  func followUps() throws -> [(work: FollowUp, state: FollowUpState)] { [] }

  func quarantined(after location: UInt64?, limit: Int) throws -> [KeptEvent] {
    table.quarantine.compactMap { place, event in
      event.map { KeptEvent(location: place, receivedAt: $0.receivedAt, raw: $0.raw) }
    }
    .filter { kept in location.map { kept.location > $0 } ?? true }
    .sorted { $0.location < $1.location }.prefix(limit).map { $0 }
  }

  func ask<Answer>(_ question: (any StoreQueries) throws -> Answer) throws -> Answer {
    try question(self)
  }

  func customer(_ customer: ByteString) throws -> CustomerRecord {
    let key = customer.customerKey
    return CustomerRecord(
      transactions: try transactions(ofCustomer: key).sorted(),
      consent: try consent(of: key), unattributed: [:])
  }

  func records(
    customer: ByteString?, after cursor: ByteString?, limit: Int
  ) throws -> [PurchaseRecord] {
    Array(records.filter { $0.purchase != nil && $0.transactionId > cursor ?? "" }.prefix(limit))
  }

  func quarterHours(from: Instant, to: Instant) throws -> [QuarterHourLine] { [] }

  func consent(of customer: ByteString) throws -> [ConsentRecord] {
    (table.consents[customer.customerKey] ?? [:]).sorted { $0.key > $1.key }.map {
      ConsentRecord(consented: $0.value, at: Instant(microseconds: $0.key))
    }
  }

  func marks() throws -> [FeedMark] { [] }

  func cases(_ range: CaseRange, limit: Int) throws -> [ListedCase] {
    let all = records.flatMap { record in
      record.cases.map { ListedCase(record: record, refundCase: $0) }
    }
    let fitting = all.filter { range.contains($0.place, hasEnd: $0.refundCase.end != nil) }
    return Array(fitting.sorted { $0.place < $1.place }.prefix(limit))
  }

  func atRisk(after place: RiskPlace?, limit: Int) throws -> [RiskPlace] { [] }
}
