/// Usage, sent by backends that send again what wasn't acknowledged.
extension Simulation {
  mutating func sendBatch() throws {
    let events = (0..<seed.pick([1, 1, 2, 5, 12])).map { _ in nextEvent() }
    sent += events
    let now = now
    reference.floor = floor
    let expected = events.map { reference.take($0, now: now) }
    for (event, verdict) in zip(events, expected) where verdict == .rejected("unknown_meter") {
      kept.append((event, now))
    }
    let lines = events.map { $0.line() }
    tell(lines.joined(separator: " "))
    let (answer, isRepeated) = try attempt { try $0.send(lines) }
    judge(answer, BatchAnswer(expected), events, expected, isRepeated: isRepeated)
  }

  private mutating func judge(
    _ answer: BatchAnswer, _ expected: BatchAnswer, _ events: [ReferenceEvent],
    _ verdicts: [ReferenceVerdict], isRepeated: Bool
  ) {
    if answer == expected { return }
    if isRepeated {
      // It was durable before the machine failed: then all of it was. Marks have no id.
      var again = expected
      for (event, verdict) in zip(events, verdicts) where verdict == .accepted {
        if case .mark = event.body { continue }
        again.accepted -= 1
        again.duplicates += 1
      }
      if answer == again { return }
    }
    let wrong = (answer.results + expected.results).filter {
      !(answer.results.contains($0) && expected.results.contains($0))
    }
    fail("answered \(answer), expected \(expected); differs: \(wrong), again: \(isRepeated)")
  }

  private mutating func nextEvent() -> ReferenceEvent {
    serial += 1
    let key = ReferenceEvent.Key(source: seed.pick(["", "s", "\u{FC}"]), id: "\(serial)")
    switch seed.below(100) {
    case ..<8 where !sent.isEmpty: return seed.pick(sent)
    case ..<10 where !sent.isEmpty: return conflicting(with: seed.pick(sent))
    case ..<18 where !sent.isEmpty:
      return ReferenceEvent(key: key, body: .void(seed.pick(sent).key))
    case ..<22:
      let lag = Int64(seed.below(90)) * Calendar.minute
      return ReferenceEvent(
        key: .init(source: "marking", id: ""), body: .mark(through: now - lag))
    default: break
    }
    let time = time()
    let subject = who()
    let count = seed.chance(75) ? 1 : 2 + seed.below(2)
    let readings = (0..<count).map { _ in reading() }
    return ReferenceEvent(key: key, body: .usage(subject: subject, time: time, readings: readings))
  }

  private mutating func conflicting(with event: ReferenceEvent) -> ReferenceEvent {
    guard case .usage(let subject, let time, var readings) = event.body else { return event }
    readings[0].quantity = "7.125"
    return ReferenceEvent(
      key: event.key, body: .usage(subject: subject, time: time, readings: readings))
  }

  private mutating func who() -> ReferenceEvent.Subject {
    switch seed.below(10) {
    case ..<5: .transaction(seed.pick(LifeWorld.transactions))
    case ..<8: .chain(seed.pick(AppStoreLives.chains) + "-1")
    default: .customer(seed.pick(World.customers))
    }
  }

  private mutating func reading() -> ReferenceReading {
    if seed.chance(20) {
      var level = ReferenceReading(
        meter: "storage", quantity: "\(seed.below(4) * 400_000_000)")
      level.attributes["object"] = .string(seed.pick(["a", "b"]))
      return level
    }
    let choice = seed.pick(World.sums)
    let quantities = ["1", "0.1", "12.000000001", "1200", "2500", "0", "400000"]
    var reading = ReferenceReading(
      meter: choice.meter, quantity: seed.pick(quantities), quotedQuantity: true)
    reading.unit = seed.pick(choice.units)
    if choice.meter == "llm_tokens", seed.chance(70) {
      reading.attributes["model"] = .string(seed.pick(World.models))
      reading.attributes["direction"] = .string("output")
    }
    if choice.meter == "images", seed.chance(60) { reading.attributes["model"] = .string("gpt-4o") }
    if seed.chance(10) {
      reading.cost = (seed.pick(["0.0123", "1", "2.5"]), seed.pick(["USD", "EUR", "JPY"]))
    }
    return reading
  }

  /// Borders of what is known, both sides of the oldest time that is taken, or any time of the last
  /// weeks; no instant twice, so that nothing hangs on the order of equals.
  private mutating func time() -> Int64? {
    if seed.chance(5), times.insert(now).inserted { return nil }
    if seed.chance(12) {
      reference.floor = floor
      let oldest = reference.oldest(now: now) + Int64(seed.below(5) - 2)
      if oldest <= now, times.insert(oldest).inserted { return oldest }
    }
    let some = store.purchases.values.map { $0 }.sorted { $0.id < $1.id }
      .randomElement(using: &seed)
    let borders = [
      some.map { $0.purchased * 1000 }, some?.expires.map { $0 * 1000 },
      some?.expires.map { $0 * 1000 - 1 }, some?.revoked.map { $0 * 1000 },
      some?.revoked.map { $0 * 1000 - 1 },
      some?.expires.map { ($0 + 6 * AppStoreLives.day) * 1000 },
    ].compactMap { $0 }.filter { $0 <= now }
    if seed.chance(25), let border = borders.randomElement(using: &seed) { return fresh(border) }
    return fresh(now - Int64(seed.below(25 * 86_400)) * 1_000_000 - Int64(seed.below(9)))
  }

  mutating func fresh(_ time: Int64) -> Int64 {
    var time = time
    while !times.insert(time).inserted { time -= 1 }
    return time
  }
}
