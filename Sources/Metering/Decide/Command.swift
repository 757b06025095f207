/// A change to what is known about purchases, asked for over the socket and decided by the
/// writer in order of arrival with the events around it.
package enum Command: Sendable {
  /// Registers or updates a purchase from Apple's unsigned, decoded payload.
  case putTransaction(id: ByteString, payload: Purchase)
  /// Records what was delivered for a purchase.
  case putDelivery(id: ByteString, status: DeliveryStatus)
  /// Links a transaction's whole chain to a customer of the backend.
  case putCustomer(id: ByteString, customer: ByteString)
  /// Sets a purchase's own allowance per meter, in base units.
  case putAllowance(id: ByteString, allowances: [ByteString: Quantity])
  /// Records a customer's consent to share consumption data; the newest `at` wins.
  case putConsent(customer: ByteString, consented: Bool, at: Instant)
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
  /// The store can't take writes now: 503 `store_unavailable`.
  case unavailable
}
