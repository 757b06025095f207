/// Why a refund request is not answered: the first that holds, in this order.
package enum Gate: String, CaseIterable, Sendable {
  /// Nobody asked, or what was asked has its outcome.
  case noCase = "no_case"
  /// Only the request is known, not the purchase.
  case unknownPurchase = "unknown_purchase"
  /// The purchase was taken back already.
  case revoked
  /// The request was answered; a second answer is not wanted.
  case answered
  /// The time to answer is over.
  case late
  /// Without the customer's consent nothing may be sent.
  case notConsented = "not_consented"
  /// Apple refuses answers for purchases that were shared in a family (4000185).
  case familyShared = "family_shared"
  /// Apple refuses answers for purchases that were assigned (4000227).
  case assigned
  /// Purchases through the Advanced Commerce API take another body.
  case advancedCommerce = "advanced_commerce"
  /// Nobody said whether it was delivered, and nothing shows it.
  case deliveryUnknown = "delivery_unknown"
}
