extension Decider {
  func decideVoid(
    _ event: DecodedEvent, in batch: IngestBatch, knowing knowledge: any Knowledge
  ) throws -> Verdict {
    if let known = try known(event.key, knowing: knowledge) {
      let frame = builder.frame(for: 1)
      if known.fingerprint == event.fingerprint {
        frame.duplicates += 1
        return .duplicate
      }
      frame.conflicts += 1
      return .conflict
    }
    guard let target = try known(event.targetKey, knowing: knowledge), !target.isVoid else {
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

  private func isPending(_ target: KeyEntry) -> Bool {
    target.location.address >= Limits.pendingAddress
  }

  func booked(_ target: KeyEntry, knowing knowledge: any Knowledge) throws -> BookedEvent {
    let fact: FrameWalk.Fact?
    if isPending(target) {
      let frame = builder.frames[Int(target.location.address - Limits.pendingAddress)]
      fact = try FrameWalk.fact(
        number: target.location.number, in: frame.bytes, address: 0, receivedAt: now)
    } else {
      fact = try knowledge.fact(at: target.location)
    }
    guard let event = fact?.standing, event.key == target.key else {
      throw MisplacedFact(location: target.location)
    }
    return event
  }

  private func write(
    void event: DecodedEvent, of target: KeyEntry, _ booked: BookedEvent,
    knowing knowledge: any Knowledge
  ) throws {
    let labels = try standingLabels(of: booked, knowing: knowledge)
    let frame = builder.frame(for: 2 * EventFact.headBytes + room(for: booked))
    let bookings = zip(booked.readings, labels).map {
      define($0, at: booked.time, label: $1, in: frame)
    }
    let origin: LocationReference
    if isPending(target) {
      let framesBack =
        UInt64(builder.frames.count - 1) - (target.location.address - Limits.pendingAddress)
      origin = .relative(framesBack: Int(framesBack), number: target.location.number)
    } else {
      origin = .absolute(booked.origin ?? target.location)
    }
    frame.writer.byte(FactTag.void.rawValue)
    frame.writer.hash(event.key)
    frame.writer.word(event.fingerprint)
    origin.write(to: &frame.writer)
    write(head: booked, in: frame)
    write(parts: booked.readings, bookings: bookings, in: frame)
    if isTrackingUse {
      for reading in booked.readings where !reading.isLevel && !reading.booked.isEmpty {
        note(
          -reading.quantity, of: reading.series.meter, at: booked.time, bookedTo: reading.booked)
      }
    }
    finish(void: event, of: target, in: frame)
  }

  private func finish(void event: DecodedEvent, of target: KeyEntry, in frame: FrameBody) {
    pending.keys.put(
      KeyEntry(
        key: event.key, fingerprint: event.fingerprint, location: pendingLocation(in: frame),
        isVoided: false, isVoid: true))
    var voided = target
    voided.isVoided = true
    pending.keys.put(voided)
    frame.located += 1
    frame.accepted += 1
  }
}
