extension Decider {
  func decide(_ command: Command, knowing knowledge: any Knowledge) throws -> CommandOutcome {
    switch command {
    case .putTransaction(let id, let payload):
      return try put(payload, for: id, knowing: knowledge)
    case .putDelivery(let id, let status):
      var record = try record(id, knowing: knowledge) ?? PurchaseRecord(transactionId: id)
      record.deliveryStatus = status
      write(record)
      return .stored
    case .putAllowance(let id, let allowances):
      var record = try record(id, knowing: knowledge) ?? PurchaseRecord(transactionId: id)
      record.allowances = allowances
      write(record)
      return .stored
    case .putCustomer(let id, let customer):
      let record = try record(id, knowing: knowledge)
      write(link: record?.purchase?.originalTransactionId ?? id, to: customer)
      return .stored
    case .putConsent(let customer, let consented, let at):
      write(consent: consented, of: customer, at: at)
      return .stored
    }
  }

  /// What is known about a transaction, with this commit's changes.
  func record(_ id: ByteString, knowing knowledge: any Knowledge) throws -> PurchaseRecord? {
    if let pending = pendingRecords[id] { return pending }
    return try knowledge.record(id)
  }

  /// A chain with this commit's changes.
  func chain(_ original: ByteString, knowing knowledge: any Knowledge) throws -> ChainView {
    var records = try knowledge.chain(original).filter { pendingRecords[$0.transactionId] == nil }
    for record in pendingRecords.values where record.purchase?.chain == original {
      records.append(record)
    }
    return ChainView(records)
  }

  private func put(
    _ payload: Purchase, for id: ByteString, knowing knowledge: any Knowledge
  ) throws -> CommandOutcome {
    let known = try record(id, knowing: knowledge)
    let record = known ?? PurchaseRecord(transactionId: id)
    let merge: PurchaseMerge
    switch record.applying(payload, signed: false) {
    case .failure(.environmentMismatch): return .environmentMismatch
    case .failure(.idMismatch): return .idMismatch
    case .success(let merged): merge = merged
    }
    guard merge.applied else { return .updated(applied: false) }
    guard merge.record.encode().count <= Limits.recordBytes else {
      return .invalid(code: "invalid_purchase", detail: "the payload is too large")
    }
    write(merge.record)
    if merge.created {
      try carryLink(of: merge.record, knowing: knowledge)
      try moveEarlyUsage(to: merge.record, knowing: knowledge)
    }
    return merge.created ? .created : .updated(applied: true)
  }

  /// A link that was made under the transaction's own id belongs to its chain.
  private func carryLink(of record: PurchaseRecord, knowing knowledge: any Knowledge) throws {
    guard let original = record.purchase?.chain, original != record.transactionId,
      let customer = try link(record.transactionId, knowing: knowledge),
      try link(original, knowing: knowledge) == nil
    else { return }
    write(link: original, to: customer)
  }

  private func link(_ chain: ByteString, knowing knowledge: any Knowledge) throws -> ByteString? {
    if let pending = pendingLinks[chain] { return pending }
    return try knowledge.linkedCustomer(ofChain: chain)
  }

  private func write(_ record: PurchaseRecord) {
    let body = record.encode()
    let frame = builder.frame(for: body.count + record.transactionId.count + 16)
    frame.writer.byte(FactTag.record.rawValue)
    frame.writer.text(record.transactionId)
    body.withUnsafeBytes { frame.writer.span($0) }
    pendingRecords[record.transactionId] = record
  }

  private func write(link chain: ByteString, to customer: ByteString) {
    let frame = builder.frame(for: chain.count + customer.count + 16)
    frame.writer.byte(FactTag.link.rawValue)
    frame.writer.text(chain)
    frame.writer.text(customer)
    pendingLinks[chain] = customer
  }

  private func write(consent: Bool, of customer: ByteString, at: Instant) {
    let frame = builder.frame(for: customer.count + 32)
    frame.writer.byte(FactTag.consent.rawValue)
    frame.writer.text(customer)
    frame.writer.word(UInt64(bitPattern: at.microseconds))
    frame.writer.byte(consent ? 1 : 0)
  }

  /// Usage that came before its purchase moves from the empty product to the purchase's.
  private func moveEarlyUsage(
    to record: PurchaseRecord, knowing knowledge: any Knowledge
  ) throws {
    guard let purchase = record.purchase else { return }
    var lines = try knowledge.earlyTally(of: record.transactionId)
    lines += pendingEarlyTally(of: record.transactionId)
    var rest = lines[...]
    while !rest.isEmpty {
      write(move: rest.prefix(Limits.movedLines), of: record, to: Label(purchase))
      rest = rest.dropFirst(Limits.movedLines)
    }
  }

  /// Early usage of this very commit, read back from its frames.
  private func pendingEarlyTally(of id: ByteString) -> [TallyLine] {
    var lines: [TallyLine] = []
    for frame in builder.frames {
      FrameWalk.walkAll(frame.bytes, receivedAt: now) { _, fact in
        switch fact {
        case .usage(let event) where event.booked == id && !event.isWaiting:
          lines += event.tallyLines(sign: 1)
        case .void(let event) where event.booked == id && !event.isWaiting:
          lines += event.tallyLines(sign: -1)
        default: break
        }
        return true
      }
    }
    return lines
  }

  private func write(move lines: ArraySlice<TallyLine>, of record: PurchaseRecord, to label: Label)
  {
    let bytes = lines.reduce(64 + record.transactionId.count) {
      $0 + 128 + Limits.bookingBytes + $1.line.canonicalBytes
    }
    let frame = builder.frame(for: bytes)
    let bookings = lines.map { line in
      let meter = configuration.meters[line.line.meter]
      return define(
        BookedReading(
          series: line.line.series, isLevel: false, epoch: line.line.epoch.microseconds,
          label: label, unit: meter?.unit ?? "", quantity: 0, own: 0, amount: 0),
        label: label, in: frame)
    }
    frame.writer.byte(FactTag.move.rawValue)
    frame.writer.text(record.transactionId)
    frame.writer.varint(UInt64(lines.count))
    for (booking, line) in zip(bookings, lines) {
      frame.writer.varint(UInt64(booking))
      frame.writer.word(UInt64(bitPattern: line.slot.microseconds))
      frame.writer.half(Currency.packed(line.line.own))
      frame.writer.wide(line.line.quantity)
      frame.writer.wide(line.line.amount)
      frame.writer.signed(line.line.count)
      frame.writer.word(UInt64(bitPattern: line.line.firstTime.microseconds))
      frame.writer.word(UInt64(bitPattern: line.line.lastTime.microseconds))
    }
  }
}

extension BookedEvent {
  /// The quarter-hour sums that the event's early readings make.
  func tallyLines(sign: Int128) -> [TallyLine] {
    readings.compactMap { reading in
      guard reading.label == .early && !reading.isLevel else { return nil }
      let line = UsageLine(
        series: reading.series, epoch: reading.epoch, own: reading.own,
        sums: ReadingFact(
          booking: 0, quantity: reading.quantity, own: reading.own, amount: reading.amount,
          extra: UnsafeRawBufferPointer(start: nil, count: 0)
        ).sums(at: time, sign: sign))
      return TallyLine(
        slot: Instant(microseconds: Limits.tallySlot(of: time)), product: "",
        environment: "unknown", line: line)
    }
  }
}

extension UsageLine {
  /// A line of stored sums.
  package init(series: Series, epoch: Int64, own: UInt32, sums: Sums) {
    self.init(
      meter: series.meter,
      attributes: series.attributes.map { (key: $0.key, value: $0.value) },
      epoch: Instant(microseconds: epoch), own: Currency.unpacked(own), quantity: sums.quantity,
      amount: sums.amount, count: sums.count, firstTime: Instant(microseconds: sums.first),
      lastTime: Instant(microseconds: sums.last))
  }

  /// The line's series.
  package var series: Series {
    Series(
      meter: meter, attributes: attributes.map { SeriesAttribute(key: $0.key, value: $0.value) })
  }

  var canonicalBytes: Int { series.canonical.count }
}

/// Three-letter currencies packed in a word, zero for none.
package enum Currency {
  /// Packs three upper-case letters, big end first.
  package static func packed(_ code: ByteString?) -> UInt32 {
    guard let code else { return 0 }
    return code.bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Takes the letters back; nil for zero.
  package static func unpacked(_ word: UInt32) -> ByteString? {
    guard word != 0 else { return nil }
    return ByteString([
      UInt8(truncatingIfNeeded: word >> 16), UInt8(truncatingIfNeeded: word >> 8),
      UInt8(truncatingIfNeeded: word),
    ])
  }
}

extension Limits {
  /// Longest stored record, bytes: far above any payload of Apple's, below a frame's capacity.
  static let recordBytes = 48 << 10
  /// Quarter-hours moved by one fact.
  static let movedLines = 64
}
