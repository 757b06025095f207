/// A durable frame as apply needs it.
package struct DurableFrame {
  package var body: UnsafeRawBufferPointer
  package var address: UInt64
  package var sequence: UInt64
  package var chain: Hash128
  /// Base of the times in the frame, microseconds.
  package var receivedAt: Int64
  package var floor: Int64
  package var accepted: UInt32
  package var duplicates: UInt32
  package var conflicts: UInt32
  package var rejected: UInt32

  /// Takes what the journal's header says beside the body.
  package init(
    body: UnsafeRawBufferPointer, address: UInt64, sequence: UInt64, chain: Hash128,
    receivedAt: Int64, floor: Int64, accepted: UInt32, duplicates: UInt32, conflicts: UInt32,
    rejected: UInt32
  ) {
    self.body = body
    self.address = address
    self.sequence = sequence
    self.chain = chain
    self.receivedAt = receivedAt
    self.floor = floor
    self.accepted = accepted
    self.duplicates = duplicates
    self.conflicts = conflicts
    self.rejected = rejected
  }
}

/// Applies durable facts to a memtable and the totals: total, looks nothing up, and gives the same
/// state whatever the configuration or the clock is today.
package struct Applier: ~Copyable {
  let table: Memtable
  private let hashKey: HashKey
  private var seriesNumbers: [Int32] = []
  private var bookings: [AppliedBooking] = []
  private var frame = FrameContext()

  /// Works on `table`; `hashKey` is the store's.
  package init(table: Memtable, hashKey: HashKey) {
    self.table = table
    self.hashKey = hashKey
  }

  /// Applies one frame in order of sequence.
  package mutating func apply(_ durable: DurableFrame, totals: inout Totals) {
    precondition(durable.sequence == table.lastSequence + 1)
    seriesNumbers.removeAll(keepingCapacity: true)
    bookings.removeAll(keepingCapacity: true)
    frame = FrameContext(address: durable.address, base: durable.receivedAt)
    var reader = FactReader(durable.body)
    while !reader.isAtEnd {
      guard let tag = FactTag(rawValue: reader.byte()) else {
        preconditionFailure("unknown fact in a frame of this format")
      }
      apply(tag, &reader, &totals)
    }
    settle(&totals)
    totals.accepted += UInt64(durable.accepted)
    totals.duplicates += UInt64(durable.duplicates)
    totals.conflicts += UInt64(durable.conflicts)
    totals.rejected += UInt64(durable.rejected)
    totals.lastEvent = max(totals.lastEvent, frame.lastEvent)
    totals.floor = max(totals.floor, durable.floor)
    table.lastSequence = durable.sequence
    table.lastChain = durable.chain
  }

  private mutating func apply(
    _ tag: FactTag, _ reader: inout FactReader, _ totals: inout Totals
  ) {
    switch tag {
    case .usage: applyUsage(&reader, &totals)
    case .void: applyVoid(&reader, &totals)
    case .series:
      seriesNumbers.append(table.intern(series: Series(canonical: reader.span())))
    case .booking: define(&reader)
    case .mark:
      let source = reader.text()
      table.marks[source] = Int64(bitPattern: reader.word())
    case .record:
      let id = reader.text()
      let body = [UInt8](reader.span())
      table.looseBytes += body.count + id.count + 96
      table.records[id] = body
    case .link:
      let chain = reader.text()
      table.links[chain] = reader.text()
      table.looseBytes += 160
    case .consent:
      let customer = reader.text()
      let at = Int64(bitPattern: reader.word())
      table.consents[ConsentKey(customer: customer, at: at)] = reader.byte() != 0
      table.looseBytes += 160
    case .quarantine: applyQuarantine(&reader, &totals)
    case .release: applyRelease(&reader, &totals)
    case .move: applyMove(&reader, &totals)
    case .rejections:
      for _ in 0..<reader.varint() {
        let code = reader.byte()
        totals.rejections[code, default: 0] += reader.varint()
      }
    }
  }

  private mutating func define(_ reader: inout FactReader) {
    let series = Int(reader.varint())
    let flags = reader.byte()
    let epoch = Int64(bitPattern: reader.word())
    let product = reader.text()
    let label = Label(product: product, environment: reader.text())
    let unit = reader.text()
    let rate = reader.text()
    let number = seriesNumbers[series]
    let key = TotalKey(
      meter: table.series[Int(number)].meter, unit: unit, label: label,
      isLevel: flags & 1 != 0, rate: rate, isPriced: flags & 2 != 0, own: 0)
    bookings.append(
      AppliedBooking(
        series: number, epoch: epoch, isLevel: flags & 1 != 0, isEarly: label == .early,
        label: table.intern(label: label),
        sum: table.intern(sum: SumKey(series: number, own: 0, epoch: epoch)), total: key))
  }

  private mutating func applyUsage(_ reader: inout FactReader, _ totals: inout Totals) {
    let event = EventFact(reading: &reader, base: frame.base)
    let location = frame.nextLocation()
    table.keys.put(
      KeyEntry(
        key: event.key, fingerprint: event.fingerprint, location: location, isVoided: false,
        isVoid: false))
    frame.lastEvent = max(frame.lastEvent, event.time)
    apply(readings: &reader, of: event, location: location, sign: 1, &totals)
  }

  private mutating func applyVoid(_ reader: inout FactReader, _ totals: inout Totals) {
    let key = reader.hash()
    let fingerprint = reader.word()
    let location = frame.nextLocation()
    table.keys.put(
      KeyEntry(
        key: key, fingerprint: fingerprint, location: location, isVoided: false, isVoid: true))
    let target = Location(raw: reader.word())
    let event = EventFact(reading: &reader, base: frame.base)
    table.keys.put(
      KeyEntry(
        key: event.key, fingerprint: event.fingerprint, location: target, isVoided: true,
        isVoid: false))
    apply(readings: &reader, of: event, location: target, sign: -1, &totals)
  }

  private mutating func apply(
    readings reader: inout FactReader, of event: EventFact, location: Location, sign: Int128,
    _ totals: inout Totals
  ) {
    var subject: Int32 = -1
    if !event.isWaiting {
      let id = event.booked
      subject = Int32(table.intern(subject: id, hash: hashKey.hash128(id)))
      table.trail.append(TrailEntry(subject: subject, location: frame.lastLocation.raw))
    }
    for number in 0..<event.readingCount {
      let reading = ReadingFact(reading: &reader, hasExtra: event.hasExtra)
      let sums = reading.sums(at: event.time, sign: sign)
      if event.isWaiting {
        wait(reading, event, location, Int32(number), sign: sign, &totals)
      } else if bookings[reading.booking].isLevel {
        table.points.append(
          PointEntry(
            subject: subject, series: bookings[reading.booking].series, time: event.time,
            tie: location.raw, value: reading.quantity, isRemoved: sign < 0))
      }
      book(reading, sums, subject: subject, isWaiting: event.isWaiting, sign: sign, &totals)
    }
  }

  private mutating func book(
    _ reading: ReadingFact, _ sums: Sums, subject: Int32, isWaiting: Bool, sign: Int128,
    _ totals: inout Totals
  ) {
    let booking = bookings[reading.booking]
    if booking.isLevel {
      // Levels are points, not sums; the key only tells that the meter was used with this unit.
      totals.book(booking.total, quantity: 0, amount: 0)
      return
    }
    if reading.own == 0 && !isWaiting && sign > 0 {
      table.add(subject: Int(subject), key: booking.sum, sums)
      let early = booking.isEarly ? subject : -1
      bookings[reading.booking].gather(sums, early: early) { key, gathered in
        table.add(tally: key, gathered)
      }
      return
    }
    var total = booking.total
    total.own = reading.own
    var key = booking.sum
    if reading.own != 0 {
      key = table.intern(
        sum: SumKey(series: booking.series, own: reading.own, epoch: booking.epoch))
    }
    if !isWaiting { table.add(subject: Int(subject), key: key, sums) }
    let slot = Limits.tallySlot(of: sums.first)
    let isEarly = booking.isEarly && !isWaiting
    table.add(
      tally: TallyKey(
        slot: slot, label: isEarly ? -1 : booking.label, early: isEarly ? subject : -1, sum: key),
      sums)
    if sign > 0 {
      totals.book(total, quantity: sums.quantity, amount: sums.amount)
      totals.guardAdd(meter: total.meter, quantity: sums.quantity)
      if reading.own != 0 { totals.amountGuards[reading.own, default: 0] += sums.amount }
    } else {
      totals.takeBack(total, quantity: -sums.quantity, amount: -sums.amount)
    }
  }

  private mutating func wait(
    _ reading: ReadingFact, _ event: EventFact, _ location: Location, _ number: Int32,
    sign: Int128, _ totals: inout Totals
  ) {
    let key = WaitingKey(
      kind: event.subjectKind, subject: ByteString(event.subject), time: event.time,
      location: location.raw, number: number)
    let booking = bookings[reading.booking]
    table.looseBytes += 240
    if sign > 0 {
      table.waiting[key] = WaitingReading(
        series: table.series[Int(booking.series)], quantity: reading.quantity, own: reading.own,
        amount: reading.amount, isLevel: booking.isLevel)
      totals.waitingReadings += 1
    } else {
      table.waiting[key] = .some(nil)
      totals.waitingReadings -= 1
    }
  }

  /// Adds what the frame gathered per booking to tally and totals.
  private mutating func settle(_ totals: inout Totals) {
    for number in bookings.indices {
      bookings[number].flush { key, sums in table.add(tally: key, sums) }
      let all = bookings[number].all
      if all.count > 0 {
        totals.book(bookings[number].total, quantity: all.quantity, amount: 0)
        totals.guardAdd(meter: bookings[number].total.meter, quantity: all.quantity)
      }
    }
  }

  private mutating func applyQuarantine(_ reader: inout FactReader, _ totals: inout Totals) {
    let code = reader.byte()
    let receivedAt = Int64(bitPattern: reader.word())
    let raw = [UInt8](reader.span())
    table.quarantine[frame.nextLocation().raw] = .some(
      QuarantinedEvent(code: code, receivedAt: receivedAt, raw: raw))
    table.looseBytes += raw.count + 96
    totals.quarantinedEvents += 1
    totals.quarantineBytes += Int64(raw.count)
  }

  private mutating func applyRelease(_ reader: inout FactReader, _ totals: inout Totals) {
    let location = reader.word()
    let bytes = reader.varint()
    let isDropped = reader.byte() != 0
    table.quarantine[location] = .some(nil)
    table.looseBytes += 96
    totals.quarantinedEvents -= 1
    totals.quarantineBytes -= Int64(bytes)
    if isDropped { totals.quarantineDropped += 1 }
  }

  private mutating func applyMove(_ reader: inout FactReader, _ totals: inout Totals) {
    let id = reader.span()
    let name = ByteString(id)
    if table.moved.insert(name).inserted { table.looseBytes += 96 + name.count }
    let subject = table.subject(hash: hashKey.hash128(id))
    if subject >= 0 { _ = table.removeEarly(subject: subject) }
    for _ in 0..<reader.varint() {
      let booking = bookings[Int(reader.varint())]
      let slot = Int64(bitPattern: reader.word())
      let own = reader.half()
      var sums = Sums()
      sums.quantity = reader.wide()
      sums.amount = reader.wide()
      sums.count = reader.signed()
      sums.first = Int64(bitPattern: reader.word())
      sums.last = Int64(bitPattern: reader.word())
      let key = table.intern(
        sum: SumKey(series: booking.series, own: own, epoch: booking.epoch))
      table.add(
        tally: TallyKey(slot: slot, label: booking.label, early: -1, sum: key), sums)
      totals.move(booking.total, own: own, sums)
    }
  }
}
