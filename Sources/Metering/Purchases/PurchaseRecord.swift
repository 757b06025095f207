/// Everything that was told about one transaction: payloads and facts beside them.
///
/// Facts may come before the purchase; `purchase` is nil until a payload came.
package struct PurchaseRecord: Equatable, Sendable {
  package var transactionId: ByteString
  /// What unsigned payloads say together.
  package internal(set) var unsigned: Purchase?
  /// What payloads verified as Apple's say together.
  package internal(set) var signed: Purchase?
  /// The environment first seen; the id belongs to it for good. Nil until a payload came.
  package internal(set) var environment: ByteString?
  /// What the backend reported of the delivery.
  package var deliveryStatus: DeliveryStatus?
  /// The purchase's own allowance by meter, in base units (a level: unit-seconds).
  package var allowances: [ByteString: Quantity] = [:]
  /// Requests for money back by number, the latest last; only that one may still be unsettled.
  package internal(set) var cases: [RefundCase] = []
  /// What was used before usage came here; nil without such a balance.
  package internal(set) var opening: Opening?
  /// What Apple's renewal infos say of the period.
  package internal(set) var renewal = RenewalState()
  /// The newest refund or refusal that was told, and when Apple signed it: requests that were made
  /// before it come late.
  package internal(set) var lastDecision: CaseEnd?
  /// When Apple signed the newest reversal that was told: refunds from before it come late.
  package internal(set) var lastReversal: Instant?
  /// The place in the order of all links of the newest one that was made under this id; 0 without.
  package internal(set) var linkOrder: UInt64 = 0

  /// The end that was bought, where Apple has signed a later one since: nobody paid for the days
  /// that it gave on top. Nil while the end is what was bought.
  package internal(set) var boughtEnd: Instant?

  /// A transaction of which nothing is known but its id.
  package init(transactionId: ByteString) {
    self.transactionId = transactionId
  }

  /// The purchase as known: what was signed wins, unsigned payloads fill what it leaves open, but
  /// nothing of a revocation. Nil until a payload came.
  package var purchase: Purchase? {
    guard var merged = signed ?? unsigned else { return nil }
    if signed != nil, let unsigned {
      for field in PurchaseField.besideRevocation { field.fill(&merged, from: unsigned) }
    }
    merged.transactionId = transactionId
    merged.environment = environment
    merged.gracePeriodExpiresDate = renewal.graceEnd(else: merged.gracePeriodExpiresDate)
    return merged
  }

  /// The chain that the transaction belongs to; its own id while nothing else is known.
  package var chain: ByteString {
    signed?.originalTransactionId ?? unsigned?.originalTransactionId ?? transactionId
  }
}
