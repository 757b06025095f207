package import AppStore
package import Metering

/// Makes a change of signed input, if it is Apple's.
package enum SignedCommand {
  /// Proves the input as of an instant. Throws the answer to what isn't believed: 422 `unverified`
  /// with the rule that it breaks, never with anything it says; 503 where it may be right.
  package static func prove(
    _ input: SignedInput, by verifier: SignedDataVerifier, now: Instant
  ) throws(Problem) -> Command {
    do throws(VerificationFault) {
      switch input {
      case .transaction(let jws):
        let transaction = try verifier.verifiedTransaction(jws, now: now)
        return try .putSigned(
          id: transaction.transactionId, payload: purchase(transaction))
      case .notification(let jws):
        return try .notify(notification(verifier.verifiedNotification(jws, now: now)))
      }
    } catch {
      throw Problem(error)
    }
  }

  private static func purchase(
    _ transaction: VerifiedTransaction
  ) throws(VerificationFault) -> Purchase {
    guard Router.isId(transaction.transactionId.bytes) else {
      throw .malformedField("transactionId")
    }
    do throws(PurchaseFault) {
      return try Purchase(payload: transaction.payload)
    } catch {
      // It names the field, never its content.
      throw .malformedField(error.detail)
    }
  }

  private static func notification(
    _ proved: VerifiedNotification
  ) throws(VerificationFault) -> StoreNotification {
    guard proved.notificationUUID.count <= Limits.notificationIdBytes else {
      throw .malformedField("notificationUUID")
    }
    var notification = StoreNotification(
      id: proved.notificationUUID, type: proved.notificationType, subtype: proved.subtype,
      signedDate: proved.signedDate)
    if let transaction = proved.transaction {
      notification.transaction = StoreNotification.Transaction(
        id: transaction.transactionId, payload: try purchase(transaction))
    }
    notification.renewal = proved.renewalInfo.map { RenewalInfo($0) }
    if let app = proved.appTransaction?.appTransactionId,
      app.count <= Limits.transactionIdBytes, Router.isId(app.bytes)
    {
      notification.appTransactionId = app
    }
    if case .data(let data) = proved.container,
      let reason = data.consumptionRequestReason, reason.count <= Limits.reasonBytes,
      Router.isId(reason.bytes)
    {
      notification.reason = reason
    }
    return notification
  }
}

extension RenewalInfo {
  fileprivate init(_ proved: VerifiedRenewalInfo) {
    self.init(
      originalTransactionId: proved.originalTransactionId, signedDate: proved.signedDate)
    autoRenewStatus = proved.autoRenewStatus
    expirationIntent = proved.expirationIntent
    isInBillingRetryPeriod = proved.isInBillingRetryPeriod
    gracePeriodExpiresDate = proved.gracePeriodExpiresDate
    commitmentAutoRenewStatus = proved.commitment?.autoRenewStatus
  }
}

extension Problem {
  fileprivate init(_ fault: VerificationFault) {
    if fault.isTemporary {
      self = Problem(
        status: 503, code: "verification_unavailable",
        detail: "The payload can't be verified now. Send it again.",
        header: Header(name: "Retry-After", value: String(RouteLimits.retryAfterSeconds)))
    } else {
      self = Problem(status: 422, code: "unverified", detail: "Not believed: \(fault).")
    }
  }
}
