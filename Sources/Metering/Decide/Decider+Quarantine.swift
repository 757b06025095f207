/// Events that a reload may make valid are kept, each once.
extension Decider {
  /// Keeps an event that a reload may make valid; the oldest kept ones make room for it.
  func quarantine(
    _ event: DecodedEvent, _ code: RejectionCode, in batch: IngestBatch,
    knowing knowledge: any Knowledge
  ) throws {
    guard code == .unknownMeter || code == .unknownUnit || code == .unknownType else { return }
    let raw = batch.buffer(event.raw)
    guard raw.count <= Limits.quarantinedEventBytes, !kept.contains(event.keptIdentity) else {
      return
    }
    while !hasRoom(for: raw.count) {
      guard let oldest = try nextQuarantined(knowing: knowledge) else { return }
      if let identity = keptIdentity(ofRaw: oldest.raw) { setKept(identity, false) }
      release(location: oldest.location, bytes: oldest.raw.count, isDropped: true)
    }
    let frame = builder.frame(for: raw.count + 64)
    frame.writer.byte(FactTag.quarantine.rawValue)
    frame.writer.byte(code.rawValue)
    frame.writer.word(UInt64(bitPattern: now))
    frame.writer.span(raw)
    frame.located += 1
    pending.quarantineBytes += Int64(raw.count)
    setKept(event.keptIdentity, true)
  }

  private func hasRoom(for bytes: Int) -> Bool {
    quarantineBytes + pending.quarantineBytes + Int64(bytes) <= quarantineLimit
      && kept.count < Limits.quarantinedEvents
  }

  private func setKept(_ identity: UInt64, _ isKept: Bool) {
    guard kept.contains(identity) != isKept else { return }
    pending.kept.append((identity, !isKept))
    if isKept { kept.insert(identity) } else { kept.remove(identity) }
  }

  private func keptIdentity(ofRaw raw: [UInt8]) -> UInt64? {
    keptScratch.removeAll()
    var decoder = EventDecoder(key: hashKey)
    raw.withUnsafeBytes { decoder.decodeLine($0, into: keptScratch) }
    return keptScratch.events.first?.keptIdentity
  }

  /// Takes over what is kept since a former run, or no longer is.
  package func noteKept(_ event: DecodedEvent, isKept: Bool) {
    if isKept { kept.insert(event.keptIdentity) } else { kept.remove(event.keptIdentity) }
  }

  /// The oldest kept event that this commit hasn't let go; nil when none is left.
  private func nextQuarantined(knowing knowledge: any Knowledge) throws -> KeptEvent? {
    while oldestQuarantined.isEmpty {
      let known = try knowledge.quarantined(
        after: oldestPlace, limit: Limits.quarantineLookUp)
      guard let last = known.last else { return nil }
      oldestPlace = last.location
      oldestQuarantined = known.filter { !pending.releases.contains($0.location) }[...]
    }
    return oldestQuarantined.popFirst()
  }

  /// The next that makes room is looked up from the oldest on.
  func forgetOldest() {
    oldestQuarantined = []
    oldestPlace = nil
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
    pending.releases.insert(location)
    pending.quarantineBytes -= Int64(bytes)
  }
}

/// An event that is kept, and where.
package struct KeptEvent: Sendable {
  /// Raw location of its fact: later ones are larger.
  package var location: UInt64
  /// When it came, microseconds: the time of events that name none.
  package var receivedAt: Int64
  /// The event's JSON as sent.
  package var raw: [UInt8]

  /// A kept event at a place.
  package init(location: UInt64, receivedAt: Int64, raw: [UInt8]) {
    self.location = location
    self.receivedAt = receivedAt
    self.raw = raw
  }
}

extension DecodedEvent {
  /// Tells kept events apart by id and content. Of a quarter million two share one with a chance
  /// of one in a hundred million, and then one of the two isn't kept.
  package var keptIdentity: UInt64 { key.low &+ fingerprint &* 0x9E37_79B9_7F4A_7C15 }
}

extension Limits {
  /// Longest kept event, bytes: an event's limit.
  static let quarantinedEventBytes = eventBytes
  /// Events kept at most, however short: their identities are in memory, some megabytes.
  package static let quarantinedEvents = 262_144
  /// Kept events looked up at once when they have to make room.
  static let quarantineLookUp = 64
}
