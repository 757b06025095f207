extension Decider {
  func decide(_ command: Command, knowing knowledge: any Knowledge) throws -> CommandOutcome {
    forgetCustomers()
    switch command {
    case .putTransaction(let id, let payload):
      return try put(payload, for: id, signed: false, knowing: knowledge)
    case .putSigned(let id, let payload):
      return try put(payload, for: id, signed: true, knowing: knowledge)
    case .notify(let notification):
      return try take(notification, knowing: knowledge)
    case .putDelivery(let id, let status):
      var record = try record(id, knowing: knowledge) ?? PurchaseRecord(transactionId: id)
      record.deliveryStatus = status
      write(record)
      return .stored
    case .putAllowance(let id, let allowances):
      var record = try record(id, knowing: knowledge) ?? PurchaseRecord(transactionId: id)
      record.allowances = allowances
      guard record.fits else { return .tooLargePayload }
      write(record)
      return .stored
    case .putOpening(let id, let until, let usage):
      return try open(id, until: until, usage: usage, knowing: knowledge)
    case .putCustomer(let id, let customer):
      try link(id, to: customer, knowing: knowledge)
      return .stored
    case .putConsent(let customer, let consented, let at):
      write(consent: consented, of: customer.customerKey, at: at)
      return .stored
    case .openCase(let id, let request):
      return .refundCase(try open(request, of: id, knowing: knowledge))
    case .claimCase(let id, let responder, let seconds):
      return .refundCase(
        try claim(id, by: responder, seconds: seconds, knowing: knowledge))
    case .answerCase(let id, let report):
      return .refundCase(try note(report, of: id, knowing: knowledge))
    }
  }

  /// What is known about a transaction, with this commit's changes.
  func record(_ id: ByteString, knowing knowledge: any Knowledge) throws -> PurchaseRecord? {
    if let record = pending.records[id] { return record }
    return try knowledge.record(id)
  }

  /// A chain with this commit's changes.
  func chain(_ original: ByteString, knowing knowledge: any Knowledge) throws -> ChainView {
    var records = try knowledge.chain(original)
    if !pending.records.isEmpty {
      records.removeAll { pending.records[$0.transactionId] != nil }
      for id in pending.chains[original] ?? [] {
        if let record = pending.records[id], record.purchase?.chain == original {
          records.append(record)
        }
      }
    }
    return ChainView(records)
  }

  func put(
    _ payload: Purchase, for id: ByteString, signed: Bool, knowing knowledge: any Knowledge
  ) throws -> CommandOutcome {
    let known = try record(id, knowing: knowledge)
    let record = known ?? PurchaseRecord(transactionId: id)
    let merge: PurchaseMerge
    switch record.applying(payload, signed: signed) {
    case .failure(.environmentMismatch): return .environmentMismatch
    case .failure(.idMismatch): return .idMismatch
    case .success(let merged): merge = merged
    }
    guard merge.record != record else { return .updated(applied: false) }
    guard merge.record.fits else { return .tooLargePayload }
    try replace(known, with: merge.record, knowing: knowledge)
    return merge.created ? .created : .updated(applied: merge.applied)
  }

  /// Writes a record whose purchase may have changed, and what follows from that.
  func replace(
    _ known: PurchaseRecord?, with record: PurchaseRecord, knowing knowledge: any Knowledge
  ) throws {
    let before = try chain(record.chain, knowing: knowledge)
    write(record)
    if let known { noteFormer(of: known, now: record) }
    if known?.purchase == nil || known?.chain != record.chain {
      try carryLink(of: record, knowing: knowledge)
    }
    try followUp(known, record, before: before, knowing: knowledge)
  }

  func write(_ record: PurchaseRecord) {
    let body = record.encode()
    let chain = record.chain
    let token = record.purchase?.accountToken ?? ""
    let frame = builder.frame(
      for: body.count + record.transactionId.count + chain.count + token.count + 24)
    frame.writer.byte(FactTag.record.rawValue)
    frame.writer.text(record.transactionId)
    frame.writer.text(chain)
    frame.writer.text(token)
    body.withUnsafeBytes { frame.writer.span($0) }
    pending.records[record.transactionId] = record
    pending.chains[chain, default: []].insert(record.transactionId)
    if !token.isEmpty { pending.tokens[token, default: []].insert(record.transactionId) }
  }

  func write(consent: Bool, of customer: ByteString, at: Instant) {
    let frame = builder.frame(for: customer.count + 32)
    frame.writer.byte(FactTag.consent.rawValue)
    frame.writer.text(customer)
    frame.writer.word(UInt64(bitPattern: at.microseconds))
    frame.writer.byte(consent ? 1 : 0)
  }
}

extension PurchaseRecord {
  /// Whether the record beside its refund cases is short enough to be stored.
  var fits: Bool { withoutCases.encode().count <= Limits.recordBytes }
}

extension CommandOutcome {
  static let tooLargePayload = CommandOutcome.invalid(
    code: PurchaseFault.code, detail: "the payload is too large")
}

extension UsageLine {
  /// A line of stored sums.
  package init(series: Series, epoch: Int64, own: UInt32, parts: Int128, sums: Sums) {
    self.init(
      meter: series.meter,
      attributes: series.attributes.map { (key: $0.key, value: $0.value) },
      epoch: Instant(microseconds: epoch), own: Currency.unpacked(own), quantity: sums.quantity,
      amount: sums.amount, count: sums.count, firstTime: Instant(microseconds: sums.first),
      lastTime: Instant(microseconds: sums.last))
    self.parts = parts
  }

  /// The line's series.
  package var series: Series {
    Series(
      meter: meter, attributes: attributes.map { SeriesAttribute(key: $0.key, value: $0.value) })
  }
}

extension Limits {
  /// Longest stored record beside its refund cases, bytes: far above any payload of Apple's and,
  /// with the cases, below a frame's capacity.
  static let recordBytes = 48 << 10
}
