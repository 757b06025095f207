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
    let fact: FrameWalk.Fact?
    if isPending(target) {
      let frame = builder.frames[Int(target.location.address - Limits.pendingAddress)]
      fact = try FrameWalk.fact(
        number: target.location.number, in: frame.bytes, address: 0, receivedAt: now)
    } else {
      fact = try knowledge.fact(at: target.location)
    }
    guard let event = fact?.standing else { preconditionFailure("a key leads to its event") }
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
    pendingKeys.put(
      KeyEntry(
        key: event.key, fingerprint: event.fingerprint, location: pendingLocation(in: frame),
        isVoided: false, isVoid: true))
    var voided = target
    voided.isVoided = true
    pendingKeys.put(voided)
    frame.located += 1
    frame.accepted += 1
  }

  func decideMark(_ event: DecodedEvent, in batch: IngestBatch) -> Verdict {
    let frame = builder.frame(for: 32 + Int(event.source.length))
    frame.writer.byte(FactTag.mark.rawValue)
    frame.writer.span(batch.buffer(event.source))
    frame.writer.word(UInt64(bitPattern: event.through))
    frame.accepted += 1
    return .accepted
  }

  /// Keeps an event that a reload may make valid; the oldest kept ones make room for it.
  func quarantine(
    _ event: DecodedEvent, _ code: RejectionCode, in batch: IngestBatch,
    knowing knowledge: any Knowledge
  ) throws {
    guard code == .unknownMeter || code == .unknownUnit || code == .unknownType else { return }
    let raw = batch.buffer(event.raw)
    guard raw.count <= Limits.quarantinedEventBytes else { return }
    while quarantineBytes + pendingQuarantineBytes + Int64(raw.count) > quarantineLimit {
      guard let oldest = try nextQuarantined(knowing: knowledge) else { return }
      release(location: oldest.location, bytes: oldest.bytes, isDropped: true)
    }
    let frame = builder.frame(for: raw.count + 64)
    frame.writer.byte(FactTag.quarantine.rawValue)
    frame.writer.byte(code.rawValue)
    frame.writer.word(UInt64(bitPattern: now))
    frame.writer.span(raw)
    frame.located += 1
    pendingQuarantineBytes += Int64(raw.count)
  }

  /// The oldest kept event that this commit hasn't let go; nil when none is left.
  private func nextQuarantined(
    knowing knowledge: any Knowledge
  ) throws -> (location: UInt64, bytes: Int)? {
    if oldestQuarantined.isEmpty {
      let known = try knowledge.oldestQuarantined(
        limit: Limits.quarantineLookUp + pendingReleases.count)
      oldestQuarantined = known.filter { !pendingReleases.contains($0.location) }[...]
    }
    return oldestQuarantined.popFirst()
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
    pendingReleases.insert(location)
    pendingQuarantineBytes -= Int64(bytes)
  }
}

extension Limits {
  /// Longest kept event, bytes: a line's limit.
  static let quarantinedEventBytes = 64 << 10
  /// Kept events looked up at once when they have to make room.
  static let quarantineLookUp = 256
}
