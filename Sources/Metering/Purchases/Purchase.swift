/// What Apple's decoded transaction payload says of one purchase, in Apple's words and units.
///
/// Every field is optional, as in Apple's libraries: a field that wasn't sent is unknown.
/// Texts are opaque bytes. See
/// https://developer.apple.com/documentation/appstoreserverapi/jwstransactiondecodedpayload
package struct Purchase: Equatable, Sendable {
  package var transactionId: ByteString?
  package var originalTransactionId: ByteString?
  package var webOrderLineItemId: ByteString?
  package var appTransactionId: ByteString?
  package var previousOriginalTransactionId: ByteString?
  package var bundleId: ByteString?
  package var productId: ByteString?
  package var subscriptionGroupIdentifier: ByteString?
  package var type: ByteString?
  package var appAccountToken: ByteString?
  package var inAppOwnershipType: ByteString?
  package var transactionReason: ByteString?
  package var offerIdentifier: ByteString?
  package var offerDiscountType: ByteString?
  package var offerPeriod: ByteString?
  package var environment: ByteString?
  package var storefront: ByteString?
  package var storefrontId: ByteString?
  package var currency: ByteString?
  package var revocationType: ByteString?
  package var billingPlanType: ByteString?
  /// The JSON object as sent, in canonical spacing; its presence is what matters.
  package var advancedCommerceInfo: ByteString?
  package var purchaseDate: Instant?
  package var originalPurchaseDate: Instant?
  package var signedDate: Instant?
  package var expiresDate: Instant?
  package var revocationDate: Instant?
  /// From Apple's renewal info, which says it of the period that was to be renewed.
  package var gracePeriodExpiresDate: Instant?
  package var quantity: Int64?
  package var offerType: Int64?
  /// For the whole `quantity`, in 1/1000 of `currency`.
  package var price: Int64?
  package var revocationReason: Int64?
  /// The refunded share in 1/100000.
  package var revocationPercentage: Int64?
  package var isUpgraded: Bool?
  /// `commitmentInfo.billingPeriodNumber`, counted from 1.
  package var billingPeriodNumber: Int64?
  package var totalBillingPeriods: Int64?
  package var commitmentExpiresDate: Instant?
  /// `commitmentInfo.commitmentPrice`, in 1/1000 of `currency`.
  package var commitmentPrice: Int64?

  /// A purchase of which nothing is known.
  package init() {}
}

extension Purchase {
  package static let autoRenewable: ByteString = "Auto-Renewable Subscription"
  package static let nonRenewing: ByteString = "Non-Renewing Subscription"
  package static let consumable: ByteString = "Consumable"
  package static let nonConsumable: ByteString = "Non-Consumable"
  package static let production: ByteString = "Production"
  package static let sandbox: ByteString = "Sandbox"

  /// True for an auto-renewable subscription; without a type an `expiresDate` tells, which
  /// Apple gives to no other.
  package var isAutoRenewable: Bool {
    type.map { $0 == Self.autoRenewable } ?? (expiresDate != nil)
  }

  /// True for what is bought once and ends only by revocation.
  package var isOneTime: Bool { type == Self.consumable || type == Self.nonConsumable }

  /// True when the customer's own money was taken.
  package var isPurchased: Bool { inAppOwnershipType == "PURCHASED" }

  /// The chain it belongs to: `originalTransactionId`, else its own id.
  package var chain: ByteString? { originalTransactionId ?? transactionId }

  /// The `appAccountToken` in lower case: a UUID is compared without case.
  package var accountToken: ByteString? { appAccountToken?.asciiLowercased }

  /// The share of the price that went back to the customer, 0…1; 0 when nothing was revoked.
  package var refundedShare: Fraction {
    guard revocationDate != nil else { return .zero }
    switch revocationType?.string {
    case "FAMILY_REVOKE", "ASSIGNMENT_REVOKE": return .zero
    case "REFUND_PRORATED":
      guard let share = revocationPercentage else { break }
      return Fraction(Int128(min(max(share, 0), 100_000)), scale: 5)
    case "REFUND_FULL": return .one
    default: break
    }
    return isPurchased ? .one : .zero
  }
}

extension ByteString {
  /// The same bytes with ASCII letters in lower case.
  package var asciiLowercased: ByteString {
    ByteString(bytes.map { (65...90).contains($0) ? $0 + 32 : $0 })
  }

  /// A customer key as it is compared: a UUID in lower case, everything else as it is.
  package var customerKey: ByteString {
    guard count == 36 else { return self }
    let isUUID = bytes.enumerated().allSatisfy { index, byte in
      switch index {
      case 8, 13, 18, 23: byte == 45
      default:
        (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte)
      }
    }
    return isUUID ? asciiLowercased : self
  }
}
