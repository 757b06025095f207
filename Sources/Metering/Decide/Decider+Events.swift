/// A reading whose meaning under the configuration is known.
struct PlannedReading {
  var shape: Int
  var epoch: Int
  /// Raw 10^-9 base units.
  var quantity: Int128
}

extension Decider {
  func decide(event number: Int, in batch: IngestBatch, knowing knowledge: any Knowledge) throws {
    let event = batch.events[number]
    let verdict: Verdict
    if let code = event.rejection {
      verdict = reject(code)
      if !event.subject.isEmpty { try warn(about: event, number, in: batch, knowing: knowledge) }
    } else {
      switch event.kind {
      case .usage:
        verdict = try decideUsage(event, number, in: batch, knowing: knowledge)
        if verdict != .accepted { try warn(about: event, number, in: batch, knowing: knowledge) }
      case .void: verdict = try decideVoid(event, in: batch, knowing: knowledge)
      case .mark: verdict = decideMark(event, in: batch)
      case .rejected: preconditionFailure("a rejected event has a code")
      }
    }
    result.verdicts.append(verdict)
  }

  private func decideUsage(
    _ event: DecodedEvent, _ number: Int, in batch: IngestBatch, knowing knowledge: any Knowledge
  ) throws -> Verdict {
    let isDefaulted = event.time == .min
    let time = isDefaulted ? now : event.time
    if time < oldest { return reject(.tooOld) }
    if let known = try known(event.key, knowing: knowledge) {
      return repeated(known, fingerprint: event.fingerprint)
    }
    if time > now + Limits.futureMicroseconds { return reject(.timeInFuture) }
    if let code = plan(event, at: time, in: batch) {
      try quarantine(event, code, in: batch, knowing: knowledge)
      return reject(code)
    }
    guard reserve(event, in: batch) else { return reject(.overflow) }
    let head = EventFact(
      key: event.key, fingerprint: event.fingerprint, time: time,
      subjectKind: event.subjectKind.rawValue, isWaiting: false, isTimeDefaulted: isDefaulted,
      hasExtra: readings.contains { table.shapes[$0.shape].hasExtra },
      subject: batch.buffer(event.subject), booked: batch.buffer(event.subject),
      readingCount: readings.count)
    let isBooked =
      switch event.subjectKind {
      case .transaction:
        try book(head, toTransactionOf: event, number, in: batch, knowing: knowledge)
      case .chain:
        try book(head, toChainOf: event, number, in: batch, knowing: knowledge)
      case .customer:
        try book(head, toCustomerOf: event, number, in: batch, knowing: knowledge)
      }
    guard isBooked else {
      release(readings: readings.count, of: event, in: batch)
      return reject(.beforeOpening)
    }
    newest = max(newest, time)
    return .accepted
  }

  // Each of these returns false, with nothing done, for usage that an opening balance holds.

  private func book(
    _ head: EventFact, toTransactionOf event: DecodedEvent, _ number: Int, in batch: IngestBatch,
    knowing knowledge: any Knowledge
  ) throws -> Bool {
    let purchase = try purchase(
      event.subject, hash: event.subjectHash, in: batch, knowing: knowledge)
    if purchase.hasOpening,
      let record = try record(batch.bytes(event.subject), knowing: knowledge),
      record.isBeforeOpening(head.time)
    {
      return false
    }
    if purchase.isRevoked {
      try stopServing(batch.bytes(event.subject), at: number, knowing: knowledge)
    }
    if !purchase.isKnown { pending.early.insert(batch.bytes(event.subject)) }
    if isTrackingUse {
      let id = batch.bytes(event.subject)
      for reading in readings where !table.shapes[reading.shape].isLevel {
        note(
          reading.quantity, of: table.shapes[reading.shape].series.meter, at: head.time,
          bookedTo: id)
      }
    }
    write(head, label: purchase.label, event, in: batch)
    return true
  }

  private func book(
    _ head: EventFact, toChainOf event: DecodedEvent, _ number: Int, in batch: IngestBatch,
    knowing knowledge: any Knowledge
  ) throws -> Bool {
    let original = batch.bytes(event.subject)
    let chain = try chain(original, knowing: knowledge)
    let record = chain.booked(at: Instant(microseconds: head.time), configuration)
    if let record, record.isBeforeOpening(head.time) { return false }
    let attribution = attribution(
      of: attributed(event, in: batch), toChain: original, record: record)
    if let record, cached(record).isRevoked {
      try stopServing(record.transactionId, at: number, knowing: knowledge)
    }
    write(head, attribution, event, in: batch)
    return true
  }

  /// Sums go to the chain's purchase, levels stand under the chain.
  func attribution(
    of readings: [AttributedReading], toChain original: ByteString, record: PurchaseRecord?
  ) -> Attribution {
    let label = record.map { cached($0).label } ?? 0
    var attribution = Attribution()
    attribution.parts = readings.map { reading in
      AttributedPart(
        number: reading.number,
        booked: reading.isLevel ? original : record?.transactionId ?? "",
        label: reading.isLevel ? 0 : label, quantity: reading.quantity, amount: reading.amount)
    }
    return attribution
  }

  private func book(
    _ head: EventFact, toCustomerOf event: DecodedEvent, _ number: Int, in batch: IngestBatch,
    knowing knowledge: any Knowledge
  ) throws -> Bool {
    // A customer is kept under its key, whatever case its UUID came in.
    let key = batch.bytes(event.subject).customerKey
    let readings = attributed(event, in: batch)
    var attribution = try attribute(
      readings, ofCustomer: key, at: head.time, knowing: knowledge)
    if attribution?.isBeforeOpening == true { return false }
    for revoked in attribution?.revoked ?? [] { result.add(revoked, at: number) }
    if attribution == nil {
      var waiting = Attribution()
      waiting.parts = readings.filter { !$0.isLevel }.map {
        AttributedPart(
          number: $0.number, booked: "", label: 0, quantity: $0.quantity, amount: $0.amount)
      }
      waiting.add(levels: readings, under: key.customerSeries)
      attribution = waiting
    }
    key.bytes.withUnsafeBytes { subject in
      var head = head
      head.subject = subject
      write(head, attribution ?? Attribution(), event, in: batch)
    }
    return true
  }

  /// The planned readings as attribution sees them.
  private func attributed(_ event: DecodedEvent, in batch: IngestBatch) -> [AttributedReading] {
    readings.enumerated().map { number, reading in
      let shape = table.shapes[reading.shape]
      let sent = batch.readings[Int(event.firstReading) + number]
      return AttributedReading(
        number: number, meter: shape.series.meter, isLevel: shape.isLevel,
        quantity: reading.quantity, amount: sent.hasCost ? sent.cost : 0)
    }
  }

  func known(_ key: Hash128, knowing knowledge: any Knowledge) throws -> KeyEntry? {
    if let entry = pending.keys.entry(of: key) { return entry }
    return try knowledge.entry(of: key)
  }

  private func repeated(_ known: KeyEntry, fingerprint: UInt64) -> Verdict {
    let frame = builder.frame(for: 1)
    if known.fingerprint == fingerprint {
      frame.duplicates += 1
      return .duplicate
    }
    frame.conflicts += 1
    return .conflict
  }

  /// Writes an event whose readings all go to its own transaction.
  private func write(
    _ head: EventFact, label: Int32, _ event: DecodedEvent, in batch: IngestBatch
  ) {
    let frame = builder.frame(for: room(for: head, event, in: batch))
    for reading in readings { _ = booking(reading, label: label, in: frame) }
    frame.writer.byte(FactTag.usage.rawValue)
    head.write(to: &frame.writer, base: now)
    for number in readings.indices {
      fact(number, label: label, event, in: batch, frame)
        .write(to: &frame.writer, hasExtra: head.hasExtra)
    }
    frame.expected.append(ExpectedPlaces(key: event.key.low, subject: event.subjectHash.low))
    finish(head, in: frame)
  }

  /// Writes an event that was attributed.
  private func write(
    _ head: EventFact, _ attribution: Attribution, _ event: DecodedEvent, in batch: IngestBatch
  ) {
    var head = head
    let parts = attribution.parts
    let isWhole = attribution.isWhole(readings: readings.count)
    var bytes = room(for: head, event, in: batch)
    for part in parts {
      bytes += part.booked.count + PartFact.partBytes + Limits.bookingBytes
      if isTrackingUse && !part.booked.isEmpty
        && !table.shapes[readings[part.number].shape].isLevel
      {
        note(
          part.quantity, of: table.shapes[readings[part.number].shape].series.meter,
          at: head.time, bookedTo: part.booked)
      }
    }
    if parts.contains(where: { $0.booked.isEmpty }) {
      pending.waiting.insert(
        WaitingSubject(kind: head.subjectKind, subject: ByteString(head.subject)))
    }
    let frame = builder.frame(for: bytes)
    let bookings = parts.map { booking(of: $0, in: frame) }
    frame.writer.byte((isWhole ? FactTag.usage : .split).rawValue)
    if isWhole {
      head.isWaiting = parts[0].booked.isEmpty
      parts[0].booked.bytes.withUnsafeBytes { booked in
        head.booked = booked
        head.write(to: &frame.writer, base: now)
      }
      for part in parts {
        fact(part.number, label: part.label, event, in: batch, frame)
          .write(to: &frame.writer, hasExtra: head.hasExtra)
      }
    } else {
      head.hasParts = true
      head.readingCount = 1
      head.write(to: &frame.writer, base: now)
      frame.writer.varint(UInt64(parts.count))
      var earlier = -1
      for (part, booking) in zip(parts, bookings) {
        var reading = fact(part.number, label: part.label, event, in: batch, frame)
        reading.booking = booking
        reading.quantity = part.quantity
        reading.amount = part.amount
        // What belongs to the whole reading is kept once.
        if part.number == earlier {
          reading.extra = UnsafeRawBufferPointer(start: nil, count: 0)
        }
        earlier = part.number
        part.booked.bytes.withUnsafeBytes { booked in
          PartFact(booked: booked, number: part.number, reading: reading)
            .write(to: &frame.writer, hasExtra: head.hasExtra)
        }
      }
    }
    finish(head, in: frame)
  }

  /// Most bytes that an event with whole readings takes.
  private func room(for head: EventFact, _ event: DecodedEvent, in batch: IngestBatch) -> Int {
    var bytes = EventFact.headBytes + head.subject.count * 2
    for (number, reading) in readings.enumerated() {
      bytes += ReadingFact.readingBytes + Limits.bookingBytes
      bytes += table.shapes[reading.shape].canonical.count
      bytes += Int(batch.readings[Int(event.firstReading) + number].attributes.length)
    }
    return bytes
  }

  private func fact(
    _ number: Int, label: Int32, _ event: DecodedEvent, in batch: IngestBatch, _ frame: FrameBody
  ) -> ReadingFact {
    let sent = batch.readings[Int(event.firstReading) + number]
    return ReadingFact(
      booking: booking(readings[number], label: label, in: frame),
      quantity: readings[number].quantity, own: sent.hasCost ? sent.currency : 0,
      amount: sent.hasCost ? sent.cost : 0, extra: batch.buffer(sent.attributes))
  }

  private func finish(_ head: EventFact, in frame: FrameBody) {
    pending.keys.put(
      KeyEntry(
        key: head.key, fingerprint: head.fingerprint, location: pendingLocation(in: frame),
        isVoided: false, isVoid: false))
    frame.located += 1
    frame.accepted += 1
  }

  /// Where the next fact of the newest frame will be, in the terms of this commit.
  func pendingLocation(in frame: FrameBody) -> Location {
    Location(
      address: Limits.pendingAddress + UInt64(builder.frames.count - 1), number: frame.located)
  }

  /// The frame's number for a part's booking, defined when it is new.
  private func booking(of part: AttributedPart, in frame: FrameBody) -> Int {
    let reading = readings[part.number]
    guard part.parts != 1 else { return booking(reading, label: part.label, in: frame) }
    let shape = table.shapes[reading.shape]
    let meter = table.meters[shape.meter]
    let start = meter.start(ofEpoch: reading.epoch)
    return define(
      BookedReading(
        number: part.number, booked: part.booked, series: shape.series, isLevel: false,
        epoch: start, label: labels[Int(part.label)], unit: meter.meter.unit, quantity: 0, own: 0,
        amount: 0, parts: part.parts),
      at: start, label: labels[Int(part.label)], in: frame)
  }

  /// The frame's number for a reading's booking, defined when it is new.
  func booking(_ reading: PlannedReading, label: Int32, in frame: FrameBody) -> Int {
    let key = BookingKey(shape: Int32(reading.shape), epoch: Int32(reading.epoch), label: label)
    if let number = frame.bookingNumbers[key] { return number }
    let shape = table.shapes[reading.shape]
    var series = frame.seriesNumbers[reading.shape]
    if series == nil {
      series = frame.seriesCount
      frame.seriesNumbers[reading.shape] = series
      frame.seriesCount += 1
      frame.writer.byte(FactTag.series.rawValue)
      shape.canonical.withUnsafeBytes { frame.writer.span($0) }
    }
    let meter = table.meters[shape.meter]
    let start = meter.start(ofEpoch: reading.epoch)
    frame.writer.byte(FactTag.booking.rawValue)
    Booking(
      series: series ?? 0, isLevel: shape.isLevel, epoch: start, label: labels[Int(label)],
      unit: meter.meter.unit, rate: rate(shape: reading.shape, epoch: reading.epoch),
      isPriced: meter.isPriced, isOther: labels[Int(label)].isOther(in: configuration)
    ).write(to: &frame.writer)
    let number = frame.bookingCount
    frame.bookingNumbers[key] = number
    frame.bookingCount += 1
    return number
  }

  private func rate(shape number: Int, epoch: Int) -> ByteString {
    if let known = table.shapes[number].rates[epoch] { return known }
    let series = table.shapes[number].series
    let start = table.meters[table.shapes[number].meter].start(ofEpoch: epoch)
    let text = configuration.rateText(series: series, epoch: start)
    table.setRate(text, shape: number, epoch: epoch)
    return text
  }
}

extension Configuration {
  /// Exact price of one base unit and currency, `n/d|CUR`, of the rate that a series has from an
  /// epoch's start; empty without one.
  package func rateText(series: Series, epoch: Int64) -> ByteString {
    let rate = rate(
      meter: series.meter, attributes: series.attributes.map { (key: $0.key, value: $0.value) },
      at: Instant(microseconds: epoch))
    guard let rate else { return "" }
    let price = rate.price
    return ByteString("\(price.numerator)/\(price.denominator)|\(rate.currency.string)")
  }
}

extension Limits {
  /// Addresses of frames that are still being built; no journal gets this long.
  static let pendingAddress: UInt64 = 1 << 50
}
