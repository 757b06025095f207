/// Applies durable facts to a memtable and the totals: total, looks nothing up, and gives the same
/// state whatever the configuration or the clock is today.
package struct Applier: ~Copyable {
  let table: Memtable
  private let hashKey: HashKey
  private var seriesNumbers: [Int32] = []
  private var bookings: [AppliedBooking] = []
  /// What each of ``bookings`` adds to.
  private var bookingTotals: [TotalKey] = []
  private var frame = FrameContext()
  /// Addresses of the frames applied so far: facts refer to others of their commit by distance.
  private var addresses: [UInt64] = []
  private var expected: ContiguousArray<ExpectedPlaces> = []
  private var ahead = LookAhead()

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
    bookingTotals.removeAll(keepingCapacity: true)
    frame = FrameContext(address: durable.address, base: durable.receivedAt)
    addresses.append(durable.address)
    expected = durable.expected
    var reader = FactReader(durable.body)
    while !reader.isAtEnd {
      guard let tag = FactTag(rawValue: reader.byte()) else {
        preconditionFailure("unknown fact in a frame of this format")
      }
      apply(tag, &reader, &totals)
      precondition(!reader.isDamaged, "a durable frame is whole")
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
    case .split: applySplit(&reader, &totals)
    case .void: applyVoid(&reader, &totals)
    case .rebook: applyRebook(&reader, &totals)
    case .series:
      seriesNumbers.append(table.intern(series: Series(canonical: reader.span())))
    case .booking: define(&reader)
    case .mark:
      let source = reader.text()
      table.put(mark: source, through: Int64(bitPattern: reader.word()))
    case .record:
      let id = reader.text()
      let chain = reader.text()
      let token = reader.text()
      table.put(record: id, chain: chain, token: token, body: [UInt8](reader.span()))
    case .link:
      let chain = reader.text()
      table.put(link: chain, to: reader.text())
    case .consent:
      let customer = reader.text()
      let at = Int64(bitPattern: reader.word())
      table.put(consent: customer, at: at, isGiven: reader.byte() != 0)
    case .quarantine: applyQuarantine(&reader, &totals)
    case .release: applyRelease(&reader, &totals)
    case .relabel: applyRelabel(&reader, &totals)
    case .followUp: applyFollowUp(&reader)
    case .notification: applyNotification(&reader, &totals)
    case .opening:
      let sign: Int128 = reader.byte() == 0 ? -1 : 1
      let event = EventFact(reading: &reader, base: frame.base)
      let location = frame.nextLocation()
      apply(parts: &reader, of: event, at: location, origin: location, sign: sign, &totals)
    case .change:
      guard let kind = Change.Kind(rawValue: reader.byte()) else {
        preconditionFailure("a change of nothing known in a frame of this format")
      }
      table.put(change: Change(kind, reader.text()))
    case .rejections:
      for _ in 0..<reader.count() {
        let code = reader.byte()
        totals.rejections[code, default: 0] &+= reader.varint()
      }
    }
  }

  private mutating func define(_ reader: inout FactReader) {
    let series = reader.number()
    let flags = reader.byte()
    let epoch = Int64(bitPattern: reader.word())
    let product = reader.text()
    let label = Label(product: product, environment: reader.text())
    let unit = reader.text()
    let rate = reader.text()
    let parts = flags & Booking.fraction == 0 ? 1 : reader.wide()
    let number = seriesNumbers[series]
    let isLevel = flags & Booking.level != 0
    var total = label
    if flags & Booking.other != 0 { total.product = Label.otherProduct }
    let key = TotalKey(
      meter: table.series[Int(number)].meter, unit: unit, label: total, isLevel: isLevel,
      rate: rate, isPriced: flags & Booking.priced != 0, own: 0)
    bookings.append(
      AppliedBooking(
        series: number, epoch: epoch, isLevel: isLevel,
        label: table.intern(label: label),
        sum: table.intern(sum: SumKey(series: number, own: 0, epoch: epoch, parts: parts))))
    bookingTotals.append(key)
  }

  private mutating func applyUsage(_ reader: inout FactReader, _ totals: inout Totals) {
    if frame.usage % LookAhead.window == 0 && frame.usage < expected.count {
      let end = min(expected.count, frame.usage + LookAhead.window)
      table.lookAhead(expected[frame.usage..<end], &ahead)
    }
    frame.usage += 1
    let event = EventFact(reading: &reader, base: frame.base)
    let location = frame.nextLocation()
    remember(event, at: location)
    var place = PartPlace(location: location, origin: location)
    if !event.isWaiting { place.subject = subject(event.booked) }
    for number in 0..<event.readingCount {
      place.number = Int32(number)
      let reading = ReadingFact(reading: &reader, hasExtra: event.hasExtra)
      apply(reading, of: event, at: place, sign: 1, &totals)
    }
  }

  private mutating func remember(_ event: EventFact, at location: Location) {
    table.keys.put(
      KeyEntry(
        key: event.key, fingerprint: event.fingerprint, location: location, isVoided: false,
        isVoid: false))
    frame.lastEvent = max(frame.lastEvent, event.time)
  }

  private func subject(_ id: UnsafeRawBufferPointer) -> Int32 {
    Int32(table.intern(subject: id, hash: hashKey.hash128(id)))
  }

  private mutating func applySplit(_ reader: inout FactReader, _ totals: inout Totals) {
    let event = EventFact(reading: &reader, base: frame.base)
    let location = frame.nextLocation()
    remember(event, at: location)
    apply(parts: &reader, of: event, at: location, origin: location, sign: 1, &totals)
  }

  private mutating func applyVoid(_ reader: inout FactReader, _ totals: inout Totals) {
    let key = reader.hash()
    let fingerprint = reader.word()
    let location = frame.nextLocation()
    table.keys.put(
      KeyEntry(
        key: key, fingerprint: fingerprint, location: location, isVoided: false, isVoid: true))
    let origin = resolve(LocationReference(reading: &reader))
    let event = EventFact(reading: &reader, base: frame.base)
    table.keys.put(
      KeyEntry(
        key: event.key, fingerprint: event.fingerprint, location: origin, isVoided: true,
        isVoid: false))
    apply(parts: &reader, of: event, at: location, origin: origin, sign: -1, &totals)
  }

  private mutating func applyRebook(_ reader: inout FactReader, _ totals: inout Totals) {
    let location = frame.nextLocation()
    let origin = Location(raw: reader.word())
    let event = EventFact(reading: &reader, base: frame.base)
    table.keys.put(
      KeyEntry(
        key: event.key, fingerprint: event.fingerprint, location: location, isVoided: false,
        isVoid: false))
    for sign in [Int128(-1), 1] {
      apply(
        parts: &reader, of: event, at: location, origin: origin, sign: sign, isMove: true, &totals)
    }
  }

  private func resolve(_ reference: LocationReference) -> Location {
    switch reference {
    case .absolute(let location): return location
    case .relative(let framesBack, let number):
      return Location(address: addresses[addresses.count - 1 - framesBack], number: number)
    }
  }

  /// Books parts; with `isMove` they are what an event was and is booked to, so that nothing was
  /// used anew or taken back, and levels, which never move, stay.
  private mutating func apply(
    parts reader: inout FactReader, of event: EventFact, at location: Location, origin: Location,
    sign: Int128, isMove: Bool = false, _ totals: inout Totals
  ) {
    var place = PartPlace(location: location, origin: origin)
    place.isMove = isMove
    for _ in 0..<reader.count() {
      let part = PartFact(reading: &reader, hasExtra: event.hasExtra)
      if isMove && bookings[part.reading.booking].isLevel { continue }
      place.subject = part.booked.isEmpty ? -1 : subject(part.booked)
      place.number = Int32(part.number)
      apply(part.reading, of: event, at: place, sign: sign, &totals)
    }
  }

  private mutating func apply(
    _ reading: ReadingFact, of event: EventFact, at place: PartPlace, sign: Int128,
    _ totals: inout Totals
  ) {
    let booking = bookings[reading.booking]
    if booking.isLevel {
      precondition(place.subject >= 0, "a level always has a series")
      table.points.append(
        PointEntry(
          subject: place.subject, series: booking.series, time: event.time,
          tie: place.origin.raw, value: reading.quantity, isRemoved: sign < 0))
      // Levels are points, not sums; the key only tells that the meter was used with this unit.
      totals.book(bookingTotals[reading.booking], quantity: 0, amount: 0)
      return
    }
    let sums = reading.sums(at: event.time, sign: sign)
    if place.subject >= 0 {
      table.leaveTrail(subject: Int(place.subject), location: place.location.raw)
      if reading.own == 0 && sign > 0 && !place.isMove {
        table.add(subject: Int(place.subject), key: booking.sum, sums)
        bookings[reading.booking].gather(sums) { key, gathered in
          table.add(quarterHour: key, gathered)
        }
        return
      }
    } else {
      wait(reading, event, place, sign: sign, &totals)
    }
    book(reading, sums, at: place, sign: sign, &totals)
  }

  private mutating func book(
    _ reading: ReadingFact, _ sums: Sums, at place: PartPlace, sign: Int128,
    _ totals: inout Totals
  ) {
    let booking = bookings[reading.booking]
    let total = bookingTotals[reading.booking].costing(reading.own)
    var key = booking.sum
    let parts = table.sumKeys[Int(key)].parts
    if reading.own != 0 {
      key = table.intern(
        sum: SumKey(
          series: booking.series, own: reading.own, epoch: booking.epoch, parts: parts))
    }
    if place.subject >= 0 { table.add(subject: Int(place.subject), key: key, sums) }
    table.add(
      quarterHour: QuarterHourKey(
        slot: Limits.quarterHour(of: sums.first), label: booking.label, sum: key), sums)
    if parts != 1 {
      totals.book(total, rest: sums.amount, of: parts, isGross: sign > 0 && !place.isMove)
    } else if place.isMove {
      totals.shift(total, quantity: sums.quantity, amount: sums.amount)
    } else if sign > 0 {
      totals.book(total, quantity: sums.quantity, amount: sums.amount)
      totals.guardAdd(meter: total.meter, quantity: sums.quantity)
      if reading.own != 0 { totals.amountGuards[reading.own, default: 0] &+= sums.amount }
    } else {
      totals.takeBack(total, quantity: 0 &- sums.quantity, amount: 0 &- sums.amount)
    }
  }

  private mutating func wait(
    _ reading: ReadingFact, _ event: EventFact, _ place: PartPlace, sign: Int128,
    _ totals: inout Totals
  ) {
    let subject = WaitingSubject(kind: event.subjectKind, subject: ByteString(event.subject))
    let key = WaitingKey(time: event.time, location: place.origin.raw, number: place.number)
    let booking = bookings[reading.booking]
    table.looseBytes += 240
    if sign > 0 {
      table.waiting[subject, default: [:]][key] = WaitingReading(
        series: table.series[Int(booking.series)], quantity: reading.quantity, own: reading.own,
        amount: reading.amount)
      totals.waitingReadings += 1
    } else {
      table.waiting[subject, default: [:]][key] = .some(nil)
      totals.waitingReadings -= 1
    }
  }

  /// Adds what the frame gathered per booking to quarter-hours and totals.
  private mutating func settle(_ totals: inout Totals) {
    for number in bookings.indices {
      bookings[number].flush { key, sums in table.add(quarterHour: key, sums) }
      let all = bookings[number].all
      if all.count > 0 {
        let total = bookingTotals[number]
        totals.book(total, quantity: all.quantity, amount: 0)
        totals.guardAdd(meter: total.meter, quantity: all.quantity)
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
    totals.quarantineBytes &-= Int64(bytes)
    if isDropped { totals.quarantineDropped += 1 }
  }

  private mutating func applyRelabel(_ reader: inout FactReader, _ totals: inout Totals) {
    for _ in 0..<reader.count() {
      let fromNumber = reader.number()
      let toNumber = reader.number()
      let from = bookings[fromNumber]
      let to = bookings[toNumber]
      let slot = Int64(bitPattern: reader.word())
      let own = reader.half()
      var sums = Sums()
      sums.quantity = reader.wide()
      sums.amount = reader.wide()
      sums.count = reader.signed()
      sums.first = Int64(bitPattern: reader.word())
      sums.last = Int64(bitPattern: reader.word())
      let parts = table.sumKeys[Int(to.sum)].parts
      let key = table.intern(
        sum: SumKey(series: to.series, own: own, epoch: to.epoch, parts: parts))
      table.add(quarterHour: QuarterHourKey(slot: slot, label: to.label, sum: key), sums)
      totals.move(
        from: bookingTotals[fromNumber], to: bookingTotals[toNumber], own: own, sums,
        parts: parts)
      sums.negate()
      table.add(quarterHour: QuarterHourKey(slot: slot, label: from.label, sum: key), sums)
    }
  }

  private mutating func applyNotification(_ reader: inout FactReader, _ totals: inout Totals) {
    let id = reader.text()
    let type = reader.byte()
    let at = Int64(bitPattern: reader.word())
    table.notifications[id] = at
    table.looseBytes += id.count + 96
    totals.notifications[type, default: 0] += 1
    totals.lastNotification = max(totals.lastNotification, at)
  }

  private mutating func applyFollowUp(_ reader: inout FactReader) {
    guard let kind = FollowUp.Kind(rawValue: reader.byte()) else {
      preconditionFailure("unknown work in a frame of this format")
    }
    let work = FollowUp(kind: kind, subject: reader.text())
    let isLeft = reader.byte() != 0
    let product = reader.text()
    let from = Label(product: product, environment: reader.text())
    let state = FollowUpState(from: from, done: reader.word())
    table.looseBytes += 240
    table.followUps[work] = .some(isLeft ? state : nil)
  }
}
