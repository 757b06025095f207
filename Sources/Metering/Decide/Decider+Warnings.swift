/// Tells senders of purchases that were taken back, whatever became of the event: the answer to its
/// first sending may have been lost.
extension Decider {
  /// Names revoked purchases that an event names, or was booked to before.
  func warn(
    about event: DecodedEvent, _ number: Int, in batch: IngestBatch,
    knowing knowledge: any Knowledge
  ) throws {
    switch event.subjectKind {
    case .transaction:
      let purchase = try purchase(
        event.subject, hash: event.subjectHash, in: batch, knowing: knowledge)
      guard purchase.isRevoked else { return }
      try stopServing(batch.bytes(event.subject), at: number, knowing: knowledge)
    case .chain:
      let time = Instant(microseconds: event.time == .min ? now : event.time)
      let chain = try chain(batch.bytes(event.subject), knowing: knowledge)
      guard let record = chain.booked(at: time, configuration), cached(record).isRevoked else {
        return
      }
      try stopServing(record.transactionId, at: number, knowing: knowledge)
    case .customer: try warn(aboutCustomersEvent: event, number, in: batch, knowing: knowledge)
    }
  }

  private func warn(
    aboutCustomersEvent event: DecodedEvent, _ number: Int, in batch: IngestBatch,
    knowing knowledge: any Knowledge
  ) throws {
    let key = batch.bytes(event.subject).customerKey
    let view = try customerView(key, knowing: knowledge)
    // Reading the event back costs more than knowing that nothing was taken back.
    guard view.candidates.contains(where: \.isRevoked),
      let known = try known(event.key, knowing: knowledge), !known.isVoid
    else { return }
    let booked = try booked(known, knowing: knowledge)
    let holders = booked.readings.map { reading in
      reading.isLevel ? view.holder(of: reading.series.meter, at: booked.time)?.id : reading.booked
    }
    for candidate in view.candidates where candidate.isRevoked && holders.contains(candidate.id) {
      result.add(RevokedPurchase(transactionId: candidate.id, customer: key), at: number)
    }
  }

  /// Tells the sender of the event that a purchase was taken back.
  func stopServing(
    _ id: ByteString, at number: Int, knowing knowledge: any Knowledge
  ) throws {
    let record = try record(id, knowing: knowledge)
    let customer = try link(record?.chain ?? id, knowing: knowledge)
    result.add(
      RevokedPurchase(transactionId: id, customer: customer ?? record?.purchase?.accountToken),
      at: number)
  }
}
