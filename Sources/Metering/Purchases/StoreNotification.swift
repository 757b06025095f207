/// A server notification of Apple's, proved to be one, as far as it matters here.
package struct StoreNotification: Equatable, Sendable {
  /// A transaction that came with it.
  package struct Transaction: Equatable, Sendable {
    package var id: ByteString
    package var payload: Purchase

    /// Names a transaction and what Apple says of it.
    package init(id: ByteString, payload: Purchase) {
      self.id = id
      self.payload = payload
    }
  }

  /// The same for every delivery of one notification.
  package var id: ByteString
  /// Apple's word, known or not.
  package var type: ByteString
  /// Apple's word, known or not.
  package var subtype: ByteString?
  package var signedDate: Instant
  package var transaction: Transaction?
  package var renewal: RenewalInfo?
  /// What the customer picked; only of a `CONSUMPTION_REQUEST`.
  package var reason: ByteString?
  /// Apple's key of the app on one account, for what concerns no single transaction.
  package var appTransactionId: ByteString?

  /// A notification without content.
  package init(id: ByteString, type: ByteString, subtype: ByteString?, signedDate: Instant) {
    self.id = id
    self.type = type
    self.subtype = subtype
    self.signedDate = signedDate
  }

  /// What it does.
  package var effect: NotificationEffect {
    NotificationEffect(NotificationType(name: type), subtype: subtype)
  }
}

/// What became of a notification: the body of the 200.
package struct NotificationOutcome: Equatable, Sendable {
  /// Apple's word, known or not.
  package var type: ByteString
  /// Whether it changed what is known.
  package var isApplied = false
  /// Whether it came before; then it did nothing now.
  package var isDuplicate = false
  /// The refund case that it is about.
  package var refundCase: CaseID?

  /// What becomes of a notification that does nothing.
  package init(type: ByteString) { self.type = type }
}

extension StoreNotification {
  /// The record of its transaction after it; nil when it has none that counts. Fails when the
  /// transaction belongs elsewhere.
  ///
  /// What Apple signed before what is known changes nothing, so the order of arrival doesn't
  /// matter. `now` is the receipt.
  func applied(
    to record: PurchaseRecord, receivedAt now: Instant
  ) -> Result<(record: PurchaseRecord, refundCase: CaseID?), PurchaseRefusal> {
    guard let transaction, effect.takesTransaction else { return .success((record, nil)) }
    let merged: PurchaseRecord
    switch record.applying(transaction.payload, signed: true) {
    case .failure(let refusal): return .failure(refusal)
    case .success(let merge): merged = merge.record
    }
    var result = merged
    if let told = renewal(of: merged) { result.renewal.merge(told) }
    if effect.opensCase {
      let request = CaseRequest(reason: reason, receivedAt: now, signedDate: signedDate)
      let number = result.ask(request, at: now).number
      return .success((result, CaseID(transaction: result.transactionId, number: number)))
    }
    guard let decision = effect.decision else { return .success((result, nil)) }
    result.settle(decision, at: transaction.payload.revocationDate, signed: signedDate)
    let number = result.cases.last?.number
    return .success(
      (result, number.map { CaseID(transaction: result.transactionId, number: $0) }))
  }

  private func renewal(of record: PurchaseRecord) -> RenewalState? {
    guard effect.renewal != .ignored else { return nil }
    var state = RenewalState()
    if let renewal, renewal.originalTransactionId == record.chain {
      state = RenewalState(renewal, hasGrace: effect.renewal == .taken)
    }
    if effect.renewal == .over { state.overDate = signedDate }
    return state
  }
}

extension Limits {
  /// Longest id of a notification, bytes; Apple's are UUIDs.
  package static let notificationIdBytes = 256
  /// How long a notification's id is remembered, microseconds: thirty days. Apple repeats one for
  /// less than seven; what comes again later is older than what is known and changes nothing.
  package static let notificationMicroseconds: Int64 = 30 * 86_400_000_000
}
