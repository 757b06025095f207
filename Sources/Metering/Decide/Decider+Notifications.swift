/// Server notifications, each of which is taken in once.
extension Decider {
  func take(
    _ notification: StoreNotification, knowing knowledge: any Knowledge
  ) throws -> CommandOutcome {
    var outcome = NotificationOutcome(type: notification.type)
    if try isSeen(notification.id, knowing: knowledge) {
      outcome.isDuplicate = true
      return .notified(outcome)
    }
    if let transaction = notification.transaction {
      let known = try record(transaction.id, knowing: knowledge)
      let before = known ?? PurchaseRecord(transactionId: transaction.id)
      switch notification.applied(to: before, receivedAt: time.now) {
      case .failure(.environmentMismatch): return .environmentMismatch
      case .failure(.idMismatch): return .idMismatch
      case .success(let (after, refundCase)):
        outcome.refundCase = refundCase
        outcome.isApplied = !after.saysTheSame(as: before)
        if after != before {
          guard after.fits else { return .tooLargePayload }
          try replace(known, with: after, knowing: knowledge)
        }
      }
    }
    if notification.effect.withdrawsConsent, let app = notification.appTransactionId {
      write(consent: false, of: app.appConsentKey, at: notification.signedDate)
      outcome.isApplied = true
    }
    write(notification)
    return .notified(outcome)
  }

  private func isSeen(_ id: ByteString, knowing knowledge: any Knowledge) throws -> Bool {
    if pending.notifications.contains(id) { return true }
    return try knowledge.hasSeen(notification: id)
  }

  private func write(_ notification: StoreNotification) {
    let frame = builder.frame(for: notification.id.count + 24)
    frame.writer.byte(FactTag.notification.rawValue)
    frame.writer.text(notification.id)
    frame.writer.byte(NotificationType(name: notification.type)?.rawValue ?? 0)
    frame.writer.word(UInt64(bitPattern: now))
    pending.notifications.insert(notification.id)
  }
}

extension ByteString {
  /// What consent to share the data of an app on one account stands under, this being its
  /// `appTransactionId`: no customer has a control character.
  package var appConsentKey: ByteString { ByteString([2] + bytes) }

  /// Whether this is an ``appConsentKey``.
  package var isAppConsentKey: Bool { bytes.first == 2 }
}
