/// A change to what is known about purchases, asked for over the socket and decided by the
/// writer in order of arrival with the events around it.
package enum Command: Sendable {
  /// Registers or updates a purchase from Apple's unsigned, decoded payload.
  case putTransaction(id: ByteString, payload: Purchase)
  /// Registers or updates a purchase from a payload that is proved to be Apple's.
  case putSigned(id: ByteString, payload: Purchase)
  /// Takes in a server notification that is proved to be Apple's, once.
  case notify(StoreNotification)
  /// Records what was delivered for a purchase.
  case putDelivery(id: ByteString, status: DeliveryStatus)
  /// Links a transaction's whole chain to a customer of the backend.
  case putCustomer(id: ByteString, customer: ByteString)
  /// Sets a purchase's own allowance per meter, in base units.
  case putAllowance(id: ByteString, allowances: [ByteString: Quantity])
  /// Replaces what was used of a transaction before `until`; `usage` is a JSON array of readings.
  case putOpening(id: ByteString, until: Instant, usage: ByteString)
  /// Records a customer's consent to share consumption data; the newest `at` wins.
  case putConsent(customer: ByteString, consented: Bool, at: Instant)
  /// Opens a refund case of a purchase, known or not, or joins the one that has no outcome yet.
  case openCase(id: ByteString, CaseRequest)
  /// Keeps a case for one responder for a time.
  case claimCase(CaseID, responder: ByteString, seconds: Int64)
  /// Notes what became of a responder's answer.
  case answerCase(CaseID, CaseReport)
}

/// How a ``Command`` ended. Every case but the refusals is durable when it is reported.
package enum CommandOutcome: Equatable, Sendable {
  /// The transaction was not known before: 201.
  case created
  /// The transaction was known: 200 with `applied`.
  case updated(applied: Bool)
  /// Stored: 204.
  case stored
  /// The id belongs to another environment: 409 `environment_mismatch`.
  case environmentMismatch
  /// The payload names another transaction: 422 `id_mismatch`.
  case idMismatch
  /// The payload can't be a purchase: 422 `invalid_purchase` with a sentence for people.
  case invalid(code: String, detail: String)
  /// What became of a refund case.
  case refundCase(CaseOutcome)
  /// What became of a notification: 200.
  case notified(NotificationOutcome)
  /// The store can't take writes now: 503 `store_unavailable`.
  case unavailable
}

/// How a command about a refund case ended. Every case but the refusals is durable when it is
/// reported.
package enum CaseOutcome: Equatable, Sendable {
  /// There is a new case: 201.
  case opened(CaseStanding)
  /// The request joined a case: 200.
  case joined(CaseStanding)
  /// The responder has the case: 200.
  case claimed(CaseStanding)
  /// The report is noted, now or before: 200.
  case noted(CaseStanding)
  /// Another responder has the case: 409 `claimed`.
  case held(CaseClaim)
  /// Apple took another answer, which stands: 409 `already_answered`.
  case alreadyAnswered
  /// There is no such case: 404 `unknown_case`.
  case unknown
}
