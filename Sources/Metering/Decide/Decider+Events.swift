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
    } else {
      switch event.kind {
      case .usage: verdict = try decideUsage(event, number, in: batch, knowing: knowledge)
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
      quarantine(event, code, in: batch)
      return reject(code)
    }
    guard reserve(event, in: batch) else { return reject(.overflow) }
    var head = EventFact(
      key: event.key, fingerprint: event.fingerprint, time: time,
      subjectKind: event.subjectKind.rawValue, isWaiting: false, isTimeDefaulted: isDefaulted,
      hasExtra: readings.contains { table.shapes[$0.shape].hasExtra },
      subject: batch.buffer(event.subject), booked: batch.buffer(event.subject),
      readingCount: readings.count)
    var label: Int32 = 0
    var booked: ByteString?
    var customer: ByteString?
    switch event.subjectKind {
    case .transaction:
      let purchase = try purchase(
        event.subject, hash: event.subjectHash, in: batch, knowing: knowledge)
      label = purchase.label
      if purchase.isRevoked { result.stopServing[number] = batch.bytes(event.subject) }
    case .chain:
      let chain = try chain(batch.bytes(event.subject), knowing: knowledge)
      if let record = chain.booked(at: Instant(microseconds: time), configuration) {
        booked = record.transactionId
        label = cached(record).label
        if cached(record).isRevoked { result.stopServing[number] = record.transactionId }
      } else {
        head.isWaiting = true
      }
    case .customer:
      head.isWaiting = true
      customer = batch.bytes(event.subject).customerKey
    }
    write(head, naming: customer ?? booked, label: label, event, in: batch)
    newest = max(newest, time)
    return .accepted
  }

  private func known(_ key: Hash128, knowing knowledge: any Knowledge) throws -> KeyEntry? {
    if let pending = pendingKeys.entry(of: key) { return pending }
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

  /// Finds what each reading means; the first reading that means nothing gives the code.
  func plan(_ event: DecodedEvent, at time: Int64, in batch: IngestBatch) -> RejectionCode? {
    readings.removeAll(keepingCapacity: true)
    for number in Int(event.firstReading)..<Int(event.firstReading) + Int(event.readingCount) {
      let reading = batch.readings[number]
      let shape = table.number(of: reading.shape) ?? table.resolve(reading, in: batch)
      let resolved = table.shapes[shape]
      if let code = resolved.rejection { return code }
      var quantity = reading.quantity
      if resolved.numerator != 1 || resolved.denominator != 1 {
        let (product, overflow) = quantity.multipliedReportingOverflow(by: resolved.numerator)
        if overflow { return .overflow }
        let (quotient, remainder) = product.quotientAndRemainder(dividingBy: resolved.denominator)
        if remainder != 0 { return .invalidQuantity }
        quantity = quotient
      }
      readings.append(
        PlannedReading(
          shape: shape, epoch: table.meters[resolved.meter].epoch(at: time), quantity: quantity))
    }
    return nil
  }

  /// Adds the event to the overflow guards; false, with nothing added, when a total would wrap.
  private func reserve(_ event: DecodedEvent, in batch: IngestBatch) -> Bool {
    for (done, reading) in readings.enumerated() {
      let meter = table.shapes[reading.shape].meter
      let (sum, overflow) = table.meters[meter].booked.addingReportingOverflow(reading.quantity)
      if overflow || !reserveAmount(batch.readings[Int(event.firstReading) + done]) {
        release(readings: done, of: event, in: batch)
        return false
      }
      table.meters[meter].booked = sum
    }
    return true
  }

  private func reserveAmount(_ reading: DecodedReading) -> Bool {
    guard reading.hasCost else { return true }
    let pending = pendingAmounts[reading.currency] ?? 0
    let (sum, overflow) = pending.addingReportingOverflow(reading.cost)
    let booked = amountGuards[reading.currency] ?? 0
    if overflow || booked.addingReportingOverflow(sum).overflow { return false }
    pendingAmounts[reading.currency] = sum
    return true
  }

  private func release(readings count: Int, of event: DecodedEvent, in batch: IngestBatch) {
    for number in 0..<count {
      table.meters[table.shapes[readings[number].shape].meter].booked -= readings[number].quantity
      let reading = batch.readings[Int(event.firstReading) + number]
      if reading.hasCost { pendingAmounts[reading.currency, default: 0] -= reading.cost }
    }
  }

  private func write(
    _ head: EventFact, naming name: ByteString?, label: Int32, _ event: DecodedEvent,
    in batch: IngestBatch
  ) {
    var bytes = EventFact.headBytes + head.subject.count + (name?.count ?? 0)
    for (number, reading) in readings.enumerated() {
      bytes += ReadingFact.readingBytes + Limits.bookingBytes
      bytes += table.shapes[reading.shape].canonical.count
      bytes += Int(batch.readings[Int(event.firstReading) + number].attributes.length)
    }
    let frame = builder.frame(for: bytes)
    for reading in readings { _ = booking(reading, label: label, in: frame) }
    frame.writer.byte(FactTag.usage.rawValue)
    if let name {
      name.bytes.withUnsafeBytes { bytes in
        var head = head
        // A customer is kept under its key, whatever case its UUID came in.
        if head.isWaiting { head.subject = bytes }
        head.booked = bytes
        head.write(to: &frame.writer, base: now)
      }
    } else {
      head.write(to: &frame.writer, base: now)
    }
    for (number, reading) in readings.enumerated() {
      let sent = batch.readings[Int(event.firstReading) + number]
      ReadingFact(
        booking: booking(reading, label: label, in: frame), quantity: reading.quantity,
        own: sent.hasCost ? sent.currency : 0, amount: sent.hasCost ? sent.cost : 0,
        extra: batch.buffer(sent.attributes)
      ).write(to: &frame.writer, hasExtra: head.hasExtra)
    }
    pendingKeys.put(
      KeyEntry(
        key: head.key, fingerprint: head.fingerprint,
        location: Location(
          address: Limits.pendingAddress + UInt64(builder.frames.count - 1),
          number: frame.located),
        isVoided: false, isVoid: false))
    frame.located += 1
    frame.accepted += 1
  }

  /// The frame's number for a reading's booking, defined when it is new.
  func booking(_ reading: PlannedReading, label: Int32, in frame: FrameBody) -> Int {
    let key = BookingKey(shape: Int32(reading.shape), epoch: Int32(reading.epoch), label: label)
    if let number = frame.bookingNumbers[key] { return number }
    let shape = table.shapes[reading.shape]
    var series = frame.seriesNumbers[reading.shape]
    if series == nil {
      series = frame.seriesNumbers.count
      frame.seriesNumbers[reading.shape] = series
      frame.writer.byte(FactTag.series.rawValue)
      shape.canonical.withUnsafeBytes { frame.writer.span($0) }
    }
    let meter = table.meters[shape.meter]
    let start = meter.start(ofEpoch: reading.epoch)
    frame.writer.byte(FactTag.booking.rawValue)
    Booking(
      series: series ?? 0, isLevel: shape.isLevel, epoch: start, label: labels[Int(label)],
      unit: meter.meter.unit, rate: rate(shape: reading.shape, epoch: reading.epoch),
      isPriced: meter.isPriced
    ).write(to: &frame.writer)
    frame.bookingNumbers[key] = frame.bookingNumbers.count
    return frame.bookingNumbers.count - 1
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
  /// Longest definition of a booking beside its series, bytes: four texts of at most 256 bytes.
  static let bookingBytes = 1_200
  /// Addresses of frames that are still being built; no journal gets this long.
  static let pendingAddress: UInt64 = 1 << 50
}
