/// Balances at adoption: booked like an event at `until`, and replaced as a whole.
extension Decider {
  /// Replaces the opening balance of a transaction, known or not. `usage` is a JSON array of
  /// readings as events have them, perhaps empty.
  func open(
    _ id: ByteString, until: Instant, usage: ByteString, knowing knowledge: any Knowledge
  ) throws -> CommandOutcome {
    var record = try record(id, knowing: knowledge) ?? PurchaseRecord(transactionId: id)
    let batch = IngestBatch()
    let opening: Opening
    switch planned(usage, until: until, in: batch) {
    case .failure(let refusal): return refusal.outcome
    case .success(let planned): opening = planned
    }
    let old = record.opening
    guard opening != old else { return .stored }
    record.opening = opening
    guard record.fits else {
      return .invalid(code: RejectionCode.tooLarge.name, detail: "the balance is too large")
    }
    if let event = batch.events.first, !reserve(event, in: batch) {
      return OpeningRefusal(code: .overflow, detail: "a total would not fit").outcome
    }
    let label = try standingLabel(of: id, knowing: knowledge)
    if let old { write(old, of: id, isAdded: false, under: label) }
    write(opening, of: id, isAdded: true, under: label)
    write(record)
    if record.purchase == nil { pending.early.insert(id) }
    pending.hasOpening = true
    if let old { try offerHeldBack(by: old, of: record, knowing: knowledge) }
    return .stored
  }

  /// Notes that usage which an earlier balance held, and this one doesn't, may be the purchase's:
  /// what waits, and what others of the chain have in its place.
  private func offerHeldBack(
    by old: Opening, of record: PurchaseRecord, knowing knowledge: any Knowledge
  ) throws {
    guard let until = record.opening?.until, until < old.until, let purchase = record.purchase
    else { return }
    for period in try chain(record.chain, knowing: knowledge).periods
    where period.transactionId != record.transactionId {
      let usage = try knowledge.usage(of: period.transactionId)
      let isTouched = usage.contains { $0.firstTime < old.until && $0.lastTime >= until }
      if isTouched || hasPendingEvents {
        note(FollowUp(kind: .rebook, subject: period.transactionId))
      }
    }
    let subject = WaitingSubject(kind: SubjectKind.chain.rawValue, subject: record.chain)
    if try hasWaiting(subject, knowledge) {
      note(FollowUp(kind: .attributeChain, subject: record.chain))
    }
    let customer =
      try link(record.chain, knowing: knowledge)?.customerKey ?? purchase.accountToken
    if let customer { try offerWaiting(ofCustomer: customer, knowing: knowledge) }
  }

  /// Finds what the readings mean, as for an event at `until`, which is left in `batch`.
  private func planned(
    _ usage: ByteString, until: Instant, in batch: IngestBatch
  ) -> Result<Opening, OpeningRefusal> {
    guard usage != "[]" else { return .success(Opening(until: until, lines: [])) }
    let line =
      Array("{\"id\":\"opening\",\"transactionId\":\"opening\",\"usage\":".utf8) + usage.bytes
      + Array("}".utf8)
    var decoder = EventDecoder(key: hashKey)
    line.withUnsafeBytes { decoder.decodeLine($0, into: batch) }
    guard let event = batch.events.first else { preconditionFailure("one line, one event") }
    if let code = event.rejection {
      return .failure(OpeningRefusal(code: code, detail: batch.bytes(event.detail).string))
    }
    if let code = plan(event, at: until.microseconds, in: batch) {
      return .failure(OpeningRefusal(code: code, detail: ""))
    }
    let lines = readings.enumerated().map { number, reading in
      let shape = table.shapes[reading.shape]
      let sent = batch.readings[Int(event.firstReading) + number]
      return Opening.Line(
        series: shape.series, epoch: table.meters[shape.meter].start(ofEpoch: reading.epoch),
        quantity: reading.quantity, own: sent.hasCost ? sent.currency : 0,
        amount: sent.hasCost ? sent.cost : 0)
    }
    return .success(Opening(until: until, lines: lines))
  }

  private func write(
    _ opening: Opening, of id: ByteString, isAdded: Bool, under label: Label
  ) {
    let readings = opening.lines.enumerated().map { number, line in
      BookedReading(
        number: number, booked: id, series: line.series, isLevel: false, epoch: line.epoch,
        label: label, unit: configuration.printedUnit(of: line.series.meter),
        quantity: line.quantity, own: line.own, amount: line.amount)
    }
    guard !readings.isEmpty else { return }
    let event = BookedEvent(
      key: Hash128(high: 0, low: 0), fingerprint: 0, time: opening.until.microseconds,
      subjectKind: SubjectKind.transaction.rawValue, subject: id, origin: nil,
      readings: readings)
    let frame = builder.frame(for: room(for: event))
    let bookings = readings.map { define($0, at: event.time, label: label, in: frame) }
    frame.writer.byte(FactTag.opening.rawValue)
    frame.writer.byte(isAdded ? 1 : 0)
    write(head: event, in: frame)
    write(parts: readings, bookings: bookings, in: frame)
    frame.located += 1
    guard isTrackingUse else { return }
    for reading in readings {
      note(
        isAdded ? reading.quantity : -reading.quantity, of: reading.series.meter, at: event.time,
        bookedTo: id)
    }
  }
}

/// Why a balance is refused, by the code that an event would have.
private struct OpeningRefusal: Error {
  var code: RejectionCode
  var detail: String

  var outcome: CommandOutcome {
    .invalid(code: code.name, detail: detail.isEmpty ? "usage: \(code.sentence)" : detail)
  }
}
