/// What a change of a purchase leaves to do with usage that was booked or waits.
///
/// The work is noted in the same commit and done in entries of its own, bounded each, before
/// anything else is decided: so an answer never stands between a change and its consequences.
extension Decider {
  /// Notes what follows from a changed purchase.
  func followUp(
    _ known: PurchaseRecord?, _ record: PurchaseRecord, before: ChainView,
    knowing knowledge: any Knowledge
  ) throws {
    guard let purchase = record.purchase else { return }
    let id = record.transactionId
    let (from, to) = (labels[Int(cached(known).label)], labels[Int(cached(record).label)])
    if from != to, try hasTrail(id, isKnown: known?.purchase != nil, knowing: knowledge) {
      note(FollowUp(kind: .relabel, subject: id), FollowUpState(from: from))
    }
    guard let chain = purchase.chain else { return }
    let others = before.periods.map(\.record)
    let after = others.filter { $0.transactionId != id && $0.chain == chain } + [record]
    let view = ChainView(after, configuration: configuration)
    let changed = Self.changed(ChainView(others, configuration: configuration), view)
    for (old, new) in changed {
      if let old, try mayMove(old, view.spans(of: new), knowing: knowledge) {
        note(FollowUp(kind: .rebook, subject: old.transactionId))
      }
    }
    let isMoved = known?.purchase?.accountToken != purchase.accountToken
    guard !changed.isEmpty || isMoved else { return }
    // Looking for whose they may be costs more than knowing that nothing waits.
    guard try knowledge.hasWaiting() || !pending.waiting.isEmpty else { return }
    if try hasWaiting(WaitingSubject(kind: SubjectKind.chain.rawValue, subject: chain), knowledge) {
      note(FollowUp(kind: .attributeChain, subject: chain))
    }
    let customer = try link(chain, knowing: knowledge)?.customerKey ?? purchase.accountToken
    if let customer { try offerWaiting(ofCustomer: customer, knowing: knowledge) }
  }

  /// Notes that a customer's waiting readings may find a purchase.
  func offerWaiting(ofCustomer key: ByteString, knowing knowledge: any Knowledge) throws {
    let subject = WaitingSubject(kind: SubjectKind.customer.rawValue, subject: key)
    if try hasWaiting(subject, knowledge) {
      note(FollowUp(kind: .attributeCustomer, subject: key))
    }
  }

  func hasWaiting(_ subject: WaitingSubject, _ knowledge: any Knowledge) throws -> Bool {
    if pending.waiting.contains(subject) { return true }
    return try knowledge.hasWaiting(subject)
  }

  /// Whether anything may be booked to a transaction, this commit's events among it.
  private func hasTrail(
    _ id: ByteString, isKnown: Bool, knowing knowledge: any Knowledge
  ) throws -> Bool {
    if isKnown ? hasPendingEvents : pending.early.contains(id) { return true }
    return try knowledge.hasTrail(id)
  }

  var hasPendingEvents: Bool {
    pending.hasOpening || builder.frames.contains { $0.accepted > 0 }
  }

  /// Periods that begin or end elsewhere than before, and new ones.
  private static func changed(
    _ before: ChainView, _ after: ChainView
  ) -> [(old: ChainPeriod?, new: ChainPeriod)] {
    after.periods.compactMap { new in
      let old = before.period(of: new.transactionId)
      if let old, old.start == new.start, old.end == new.end, old.accrualEnd == new.accrualEnd,
        before.spans(of: old) == after.spans(of: new)
      {
        return nil
      }
      return (old, new)
    }
  }

  /// Whether chain-addressed events of a period may lie outside of what is the period's now.
  private func mayMove(
    _ old: ChainPeriod, _ spans: [Range<Instant>], knowing knowledge: any Knowledge
  ) throws -> Bool {
    if hasPendingEvents { return true }
    guard try knowledge.hasTrail(old.transactionId) else { return false }
    return try knowledge.usage(of: old.transactionId).contains { line in
      !spans.contains { $0.lowerBound <= line.firstTime && line.lastTime < $0.upperBound }
    }
  }

  func note(_ work: FollowUp, _ state: FollowUpState = FollowUpState()) {
    guard !pending.followUps.contains(where: { $0.work == work }) else { return }
    write(work, state)
    pending.followUps.append((work, state))
  }

  private func write(_ work: FollowUp, _ state: FollowUpState?) {
    let from = state?.from ?? .early
    let frame = builder.frame(
      for: 32 + work.subject.count + from.product.count + from.environment.count)
    frame.writer.byte(FactTag.followUp.rawValue)
    frame.writer.byte(work.kind.rawValue)
    frame.writer.text(work.subject)
    frame.writer.byte(state == nil ? 0 : 1)
    frame.writer.text(from.product)
    frame.writer.text(from.environment)
    frame.writer.word(state?.done ?? 0)
  }

  /// Whether work is left that must be done before anything else is decided.
  package var hasFollowUps: Bool { !followUps.isEmpty }

  /// Takes over work that a former process left.
  package func resume(_ left: [(work: FollowUp, state: FollowUpState)]) { followUps = left }

  /// Decides one entry of follow-up work. Throws what `knowledge` throws; then call
  /// ``abandon(totals:)``.
  package func decideFollowUp(at time: CommitTime, knowing knowledge: any Knowledge) throws {
    guard let (work, state) = followUps.first else { return }
    self.time = time
    if progress == nil {
      forgetCustomers()
      let locations = try locations(of: work, state, knowing: knowledge)
      progress = FollowUpProgress(locations: locations[...])
    }
    isTrackingUse = true
    let part = progress?.locations.prefix(Limits.followUpEvents) ?? []
    let count =
      switch work.kind {
      case .relabel: try relabel(work.subject, from: state.from, part, knowing: knowledge)
      case .rebook:
        try untilFull(part) { try rebook(work.subject, at: $0, knowing: knowledge) }
      case .attributeChain, .attributeCustomer:
        try untilFull(part) { try attribute(at: $0, knowing: knowledge) }
      }
    let isDone = count == progress?.locations.count
    var next = state
    next.done = part.prefix(count).last?.raw ?? state.done
    if isDone {
      write(work, nil)
    } else if work.kind == .relabel {
      write(work, next)
    }
    pending.progress = FollowUpStep(isDone: isDone, state: next, count: count)
  }

  /// Goes through locations until the entry is full; returns how many it came through.
  private func untilFull(
    _ locations: ArraySlice<Location>, _ body: (Location) throws -> Void
  ) rethrows -> Int {
    var count = 0
    for location in locations {
      if isFull { break }
      try body(location)
      count += 1
    }
    return count
  }

  /// The journal facts that a piece of work goes through.
  private func locations(
    of work: FollowUp, _ state: FollowUpState, knowing knowledge: any Knowledge
  ) throws -> [Location] {
    switch work.kind {
    case .relabel:
      return try knowledge.trail(of: work.subject).filter { $0.raw > state.done }
    case .rebook: return try knowledge.trail(of: work.subject)
    case .attributeChain, .attributeCustomer:
      let kind: SubjectKind = work.kind == .attributeChain ? .chain : .customer
      return try knowledge.waiting(WaitingSubject(kind: kind.rawValue, subject: work.subject))
    }
  }

  /// What was decided is durable and applied.
  func confirmFollowUp() {
    followUps += pending.followUps
    guard let step = pending.progress, let first = followUps.first else { return }
    if step.isDone {
      followUps.removeFirst()
      progress = nil
    } else {
      followUps[0] = (first.work, step.state)
      progress?.locations.removeFirst(step.count)
    }
  }

  // MARK: The work

  /// Moves the quarter-hours of facts to the label of their purchase, as many as an entry holds;
  /// returns of how many facts.
  private func relabel(
    _ id: ByteString, from: Label, _ locations: ArraySlice<Location>,
    knowing knowledge: any Knowledge
  ) throws -> Int {
    var sums: [RelabelKey: Sums] = [:]
    var bytes = 0
    var count = 0
    for location in locations where bytes < entryBytes {
      try knowledge.fact(at: location).forEachChange { event, sign in
        for reading in event.readings where reading.booked == id && !reading.isLevel {
          let key = RelabelKey(
            slot: Limits.quarterHour(of: event.time), series: reading.series, epoch: reading.epoch,
            own: reading.own, parts: reading.parts, unit: reading.unit)
          if sums[key] == nil { bytes += key.lineBytes }
          sums[key, default: Sums()].add(reading.sums(at: event.time, sign: sign))
        }
      }
      count += 1
    }
    let to = try standingLabel(of: id, knowing: knowledge)
    var lines: [(key: RelabelKey, value: Sums)] = []
    var lineBytes = 0
    for line in sums.sorted(by: { $0.key.slot < $1.key.slot }) {
      let more = line.key.lineBytes
      if !lines.isEmpty && lineBytes + more > Limits.frameBytes {
        write(relabel: lines, from, to, bytes: lineBytes)
        lines = []
        lineBytes = 0
      }
      lines.append(line)
      lineBytes += more
    }
    if !lines.isEmpty { write(relabel: lines, from, to, bytes: lineBytes) }
    return count
  }

  private func write(
    relabel lines: [(key: RelabelKey, value: Sums)], _ from: Label, _ to: Label, bytes: Int
  ) {
    let frame = builder.frame(for: bytes)
    let bookings = lines.map { key, sums in
      let reading = key.reading
      return (
        define(reading, at: sums.first, label: from, in: frame),
        define(reading, at: sums.first, label: to, in: frame)
      )
    }
    frame.writer.byte(FactTag.relabel.rawValue)
    frame.writer.varint(UInt64(lines.count))
    for (booking, line) in zip(bookings, lines) {
      frame.writer.varint(UInt64(booking.0))
      frame.writer.varint(UInt64(booking.1))
      frame.writer.word(UInt64(bitPattern: line.key.slot))
      frame.writer.half(line.key.own)
      frame.writer.wide(line.value.quantity)
      frame.writer.wide(line.value.amount)
      frame.writer.signed(line.value.count)
      frame.writer.word(UInt64(bitPattern: line.value.first))
      frame.writer.word(UInt64(bitPattern: line.value.last))
    }
  }

  /// Gives chain-addressed events of a transaction to the purchase in force now.
  private func rebook(
    _ id: ByteString, at location: Location, knowing knowledge: any Knowledge
  ) throws {
    guard let event = try knowledge.fact(at: location).standing,
      event.subjectKind == SubjectKind.chain.rawValue,
      event.readings.contains(where: { $0.booked == id && !$0.isLevel }),
      try isNewest(event, at: location, knowing: knowledge)
    else { return }
    try rebook(chain: event, knowing: knowledge)
  }

  private func rebook(chain event: BookedEvent, knowing knowledge: any Knowledge) throws {
    let record = try chain(event.subject, knowing: knowledge)
      .booked(at: Instant(microseconds: event.time), configuration)
    // Its usage is in the balance already, so it stays where it is.
    if let record, record.isBeforeOpening(event.time) { return }
    let attribution = attribution(
      of: event.attributedReadings, toChain: event.subject, record: record)
    try rebook(event, to: attribution, knowing: knowledge)
  }

  /// Whether no later fact says otherwise of an event.
  private func isNewest(
    _ event: BookedEvent, at location: Location, knowing knowledge: any Knowledge
  ) throws -> Bool {
    guard let entry = try knowledge.entry(of: event.key) else { return false }
    return entry.location == location && !entry.isVoided
  }

  /// The event that was told at a location, as the latest fact has it: one that waits may have been
  /// a purchase's meanwhile. Nil when it was taken back.
  private func newest(
    at location: Location, knowing knowledge: any Knowledge
  ) throws -> BookedEvent? {
    guard let told = try knowledge.fact(at: location).standing,
      let entry = try knowledge.entry(of: told.key), !entry.isVoided
    else { return nil }
    return entry.location == location ? told : try knowledge.fact(at: entry.location).standing
  }

  /// Offers a waiting event to the purchases known now.
  private func attribute(at location: Location, knowing knowledge: any Knowledge) throws {
    guard let event = try newest(at: location, knowing: knowledge) else { return }
    if event.subjectKind == SubjectKind.chain.rawValue {
      return try rebook(chain: event, knowing: knowledge)
    }
    let attribution = try attribute(
      event.attributedReadings, ofCustomer: event.subject, at: event.time, knowing: knowledge)
    guard let attribution, !attribution.isBeforeOpening else { return }
    try rebook(event, to: attribution, knowing: knowledge)
  }

  private func rebook(
    _ event: BookedEvent, to attribution: Attribution, knowing knowledge: any Knowledge
  ) throws {
    let places = event.readings.map { ($0.number, $0.booked) }
    guard !places.elementsEqual(attribution.parts.map { ($0.number, $0.booked) }, by: ==) else {
      return
    }
    write(
      rebook: event, from: try standingLabels(of: event, knowing: knowledge),
      to: attribution.parts)
    for part in attribution.parts where !part.booked.isEmpty {
      guard let reading = event.readings.first(where: { $0.number == part.number }),
        !reading.isLevel
      else { continue }
      note(part.quantity, of: reading.series.meter, at: event.time, bookedTo: part.booked)
    }
  }
}

/// How far the first piece of follow-up work has come, in memory.
struct FollowUpProgress {
  var locations: ArraySlice<Location>
}

/// What one entry of follow-up work came through.
struct FollowUpStep {
  var isDone: Bool
  var state: FollowUpState
  /// Locations.
  var count: Int
}

private struct RelabelKey: Hashable {
  var slot: Int64
  var series: Series
  var epoch: Int64
  var own: UInt32
  var parts: Int128
  var unit: ByteString

  /// Most bytes of the line with its definitions.
  var lineBytes: Int { Limits.relabelledLineBytes + series.canonicalCount }

  var reading: BookedReading {
    BookedReading(
      number: 0, booked: "", series: series, isLevel: false, epoch: epoch, label: .early,
      unit: unit, quantity: 0, own: 0, amount: 0, parts: parts)
  }
}

extension BookedEvent {
  /// The readings as attribution sees them; only for events that aren't split.
  fileprivate var attributedReadings: [AttributedReading] {
    readings.map {
      AttributedReading(
        number: $0.number, meter: $0.series.meter, isLevel: $0.isLevel, quantity: $0.quantity,
        amount: $0.amount)
    }
  }
}

extension BookedReading {
  /// The reading's sums, added (1) or taken away (-1).
  package func sums(at time: Int64, sign: Int128) -> Sums {
    ReadingFact(
      booking: 0, quantity: quantity, own: own, amount: amount,
      extra: UnsafeRawBufferPointer(start: nil, count: 0)
    ).sums(at: time, sign: sign)
  }
}

extension Limits {
  /// Events that one entry of follow-up work goes through: some ten milliseconds.
  static let followUpEvents = 1_000
}
