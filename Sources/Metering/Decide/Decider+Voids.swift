extension Decider {
  func decideVoid(
    _ event: DecodedEvent, in batch: IngestBatch, knowing knowledge: any Knowledge
  ) throws -> Verdict {
    if let known = try lookUp(event.key, knowing: knowledge) {
      let frame = builder.frame(for: 1)
      if known.fingerprint == event.fingerprint {
        frame.duplicates += 1
        return .duplicate
      }
      frame.conflicts += 1
      return .conflict
    }
    guard let target = try lookUp(event.targetKey, knowing: knowledge), !target.isVoid else {
      return reject(.voidUnknown)
    }
    if target.isVoided {
      builder.frame(for: 1).duplicates += 1
      return .duplicate
    }
    let booked = try booked(target, knowing: knowledge)
    guard booked.time >= oldest else { return reject(.voidUnknown) }
    try write(void: event, of: target, booked, knowing: knowledge)
    return .accepted
  }

  private func lookUp(_ key: Hash128, knowing knowledge: any Knowledge) throws -> KeyEntry? {
    if let pending = pendingKeys.entry(of: key) { return pending }
    return try knowledge.entry(of: key)
  }

  private func isPending(_ target: KeyEntry) -> Bool {
    target.location.address >= Limits.pendingAddress
  }

  private func booked(_ target: KeyEntry, knowing knowledge: any Knowledge) throws -> BookedEvent {
    guard isPending(target) else { return try knowledge.event(at: target.location) }
    let frame = builder.frames[Int(target.location.address - Limits.pendingAddress)]
    guard
      let event = BookedEvent.find(
        number: target.location.number, in: frame.bytes, receivedAt: now)
    else { preconditionFailure("a pending key has its fact in this entry") }
    return event
  }

  private func write(
    void event: DecodedEvent, of target: KeyEntry, _ booked: BookedEvent,
    knowing knowledge: any Knowledge
  ) throws {
    var label: Label?
    if !booked.isWaiting && booked.readings.contains(where: { $0.label == .early }) {
      let record = try record(booked.booked, knowing: knowledge)
      label = record?.purchase.map { Label($0) }
    }
    let bytes = booked.readings.reduce(EventFact.headBytes * 2 + 1_024) {
      $0 + ReadingFact.readingBytes + Limits.bookingBytes + $1.series.canonical.count
    }
    let frame = builder.frame(for: bytes)
    let bookings = booked.readings.map { define($0, label: label, in: frame) }
    frame.writer.byte(FactTag.void.rawValue)
    frame.writer.hash(event.key)
    frame.writer.word(event.fingerprint)
    frame.writer.word(isPending(target) ? 0 : target.location.raw)
    booked.subject.bytes.withUnsafeBytes { subject in
      booked.booked.bytes.withUnsafeBytes { id in
        EventFact(
          key: booked.key, fingerprint: booked.fingerprint, time: booked.time,
          subjectKind: booked.subjectKind, isWaiting: booked.isWaiting, isTimeDefaulted: false,
          hasExtra: false, subject: subject, booked: id, readingCount: bookings.count
        ).write(to: &frame.writer, base: now)
      }
    }
    for (booking, reading) in zip(bookings, booked.readings) {
      ReadingFact(
        booking: booking, quantity: reading.quantity, own: reading.own, amount: reading.amount,
        extra: UnsafeRawBufferPointer(start: nil, count: 0)
      ).write(to: &frame.writer, hasExtra: false)
    }
    finish(void: event, of: target, in: frame)
  }

  private func finish(void event: DecodedEvent, of target: KeyEntry, in frame: FrameBody) {
    pendingKeys.put(
      KeyEntry(
        key: event.key, fingerprint: event.fingerprint,
        location: Location(
          address: Limits.pendingAddress + UInt64(builder.frames.count - 1),
          number: frame.located),
        isVoided: false, isVoid: true))
    var voided = target
    voided.isVoided = true
    pendingKeys.put(voided)
    frame.located += 1
    frame.accepted += 1
  }

  /// Defines a booking outside the shape table; such definitions are never shared in a frame.
  func define(_ reading: BookedReading, label: Label?, in frame: FrameBody) -> Int {
    let series = frame.seriesNumbers.count
    frame.seriesNumbers[-1 - frame.seriesNumbers.count] = series
    frame.writer.byte(FactTag.series.rawValue)
    reading.series.canonical.withUnsafeBytes { frame.writer.span($0) }
    let number = frame.bookingNumbers.count
    frame.bookingNumbers[BookingKey(shape: Int32(-1 - number), epoch: 0, label: 0)] = number
    frame.writer.byte(FactTag.booking.rawValue)
    Booking(
      series: series, isLevel: reading.isLevel, epoch: reading.epoch,
      label: reading.label == .early ? label ?? .early : reading.label, unit: reading.unit,
      rate: configuration.rateText(series: reading.series, epoch: reading.epoch),
      isPriced: configuration.hasRates(meter: reading.series.meter)
    ).write(to: &frame.writer)
    return number
  }

  func decideMark(_ event: DecodedEvent, in batch: IngestBatch) -> Verdict {
    let frame = builder.frame(for: 32 + Int(event.source.length))
    frame.writer.byte(FactTag.mark.rawValue)
    frame.writer.span(batch.buffer(event.source))
    frame.writer.word(UInt64(bitPattern: event.through))
    frame.accepted += 1
    return .accepted
  }

  /// Keeps an event that a reload may make valid.
  func quarantine(_ event: DecodedEvent, _ code: RejectionCode, in batch: IngestBatch) {
    guard code == .unknownMeter || code == .unknownUnit || code == .unknownType else { return }
    let raw = batch.buffer(event.raw)
    guard raw.count <= Limits.quarantinedEventBytes,
      quarantineBytes + pendingQuarantineBytes + Int64(raw.count) <= Limits.quarantineBytes
    else { return }
    let frame = builder.frame(for: raw.count + 64)
    frame.writer.byte(FactTag.quarantine.rawValue)
    frame.writer.byte(code.rawValue)
    frame.writer.word(UInt64(bitPattern: now))
    frame.writer.span(raw)
    frame.located += 1
    pendingQuarantineBytes += Int64(raw.count)
  }

  /// Whether a kept event would be kept again under the configuration in force.
  package func wouldQuarantine(_ event: DecodedEvent, in batch: IngestBatch) -> Bool {
    guard event.kind == .usage, event.rejection == nil else { return false }
    guard let code = plan(event, at: event.time, in: batch) else { return false }
    return code == .unknownMeter || code == .unknownUnit || code == .unknownType
  }

  /// Lets a kept event go after it was decided again.
  func release(location: UInt64, bytes: Int, isDropped: Bool) {
    let frame = builder.frame(for: 32)
    frame.writer.byte(FactTag.release.rawValue)
    frame.writer.word(location)
    frame.writer.varint(UInt64(bytes))
    frame.writer.byte(isDropped ? 1 : 0)
    pendingQuarantineBytes -= Int64(bytes)
  }
}

extension Limits {
  /// Longest kept event, bytes: a line's limit.
  static let quarantinedEventBytes = 64 << 10
}
