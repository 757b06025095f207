/// Apple's fields. See
/// https://developer.apple.com/documentation/appstoreserverapi/jwstransactiondecodedpayload
extension Purchase {
  /// `originalTransactionId`.
  package var originalTransactionId: ByteString? {
    get { self[.originalTransactionId] }
    set { self[.originalTransactionId] = newValue }
  }
  /// `webOrderLineItemId`.
  package var webOrderLineItemId: ByteString? {
    get { self[.webOrderLineItemId] }
    set { self[.webOrderLineItemId] = newValue }
  }
  /// `appTransactionId`.
  package var appTransactionId: ByteString? {
    get { self[.appTransactionId] }
    set { self[.appTransactionId] = newValue }
  }
  /// `previousOriginalTransactionId`.
  package var previousOriginalTransactionId: ByteString? {
    get { self[.previousOriginalTransactionId] }
    set { self[.previousOriginalTransactionId] = newValue }
  }
  /// `bundleId`.
  package var bundleId: ByteString? {
    get { self[.bundleId] }
    set { self[.bundleId] = newValue }
  }
  /// `productId`.
  package var productId: ByteString? {
    get { self[.productId] }
    set { self[.productId] = newValue }
  }
  /// `subscriptionGroupIdentifier`.
  package var subscriptionGroupIdentifier: ByteString? {
    get { self[.subscriptionGroupIdentifier] }
    set { self[.subscriptionGroupIdentifier] = newValue }
  }
  /// `type`.
  package var type: ByteString? {
    get { self[.type] }
    set { self[.type] = newValue }
  }
  /// `appAccountToken`.
  package var appAccountToken: ByteString? {
    get { self[.appAccountToken] }
    set { self[.appAccountToken] = newValue }
  }
  /// `inAppOwnershipType`.
  package var inAppOwnershipType: ByteString? {
    get { self[.inAppOwnershipType] }
    set { self[.inAppOwnershipType] = newValue }
  }
  /// `transactionReason`.
  package var transactionReason: ByteString? {
    get { self[.transactionReason] }
    set { self[.transactionReason] = newValue }
  }
  /// `offerIdentifier`.
  package var offerIdentifier: ByteString? {
    get { self[.offerIdentifier] }
    set { self[.offerIdentifier] = newValue }
  }
  /// `offerDiscountType`.
  package var offerDiscountType: ByteString? {
    get { self[.offerDiscountType] }
    set { self[.offerDiscountType] = newValue }
  }
  /// `offerPeriod`.
  package var offerPeriod: ByteString? {
    get { self[.offerPeriod] }
    set { self[.offerPeriod] = newValue }
  }
  /// `storefront`.
  package var storefront: ByteString? {
    get { self[.storefront] }
    set { self[.storefront] = newValue }
  }
  /// `storefrontId`.
  package var storefrontId: ByteString? {
    get { self[.storefrontId] }
    set { self[.storefrontId] = newValue }
  }
  /// `currency`.
  package var currency: ByteString? {
    get { self[.currency] }
    set { self[.currency] = newValue }
  }
  /// `revocationType`.
  package var revocationType: ByteString? {
    get { self[.revocationType] }
    set { self[.revocationType] = newValue }
  }
  /// `billingPlanType`.
  package var billingPlanType: ByteString? {
    get { self[.billingPlanType] }
    set { self[.billingPlanType] = newValue }
  }
  /// The JSON object as sent, in canonical spacing; its presence is what matters.
  package var advancedCommerceInfo: ByteString? {
    get { self[.advancedCommerceInfo] }
    set { self[.advancedCommerceInfo] = newValue }
  }
  /// `purchaseDate`.
  package var purchaseDate: Instant? {
    get { self[instant: .purchaseDate] }
    set { self[instant: .purchaseDate] = newValue }
  }
  /// `originalPurchaseDate`.
  package var originalPurchaseDate: Instant? {
    get { self[instant: .originalPurchaseDate] }
    set { self[instant: .originalPurchaseDate] = newValue }
  }
  /// `signedDate`.
  package var signedDate: Instant? {
    get { self[instant: .signedDate] }
    set { self[instant: .signedDate] = newValue }
  }
  /// `expiresDate`.
  package var expiresDate: Instant? {
    get { self[instant: .expiresDate] }
    set { self[instant: .expiresDate] = newValue }
  }
  /// `revocationDate`.
  package var revocationDate: Instant? {
    get { self[instant: .revocationDate] }
    set { self[instant: .revocationDate] = newValue }
  }
  /// From Apple's renewal info, which says it of the period that was to be renewed.
  package var gracePeriodExpiresDate: Instant? {
    get { self[instant: .gracePeriodExpiresDate] }
    set { self[instant: .gracePeriodExpiresDate] = newValue }
  }
  /// `quantity`.
  package var quantity: Int64? {
    get { self[.quantity] }
    set { self[.quantity] = newValue }
  }
  /// `offerType`.
  package var offerType: Int64? {
    get { self[.offerType] }
    set { self[.offerType] = newValue }
  }
  /// For the whole `quantity`, in 1/1000 of `currency`.
  package var price: Int64? {
    get { self[.price] }
    set { self[.price] = newValue }
  }
  /// `revocationReason`.
  package var revocationReason: Int64? {
    get { self[.revocationReason] }
    set { self[.revocationReason] = newValue }
  }
  /// The refunded share in 1/100000.
  package var revocationPercentage: Int64? {
    get { self[.revocationPercentage] }
    set { self[.revocationPercentage] = newValue }
  }
  /// `isUpgraded`.
  package var isUpgraded: Bool? {
    get { self[.isUpgraded].map { $0 != 0 } }
    set { self[.isUpgraded] = newValue.map { $0 ? 1 : 0 } }
  }
  /// `commitmentInfo.billingPeriodNumber`, counted from 1.
  package var billingPeriodNumber: Int64? {
    get { self[.billingPeriodNumber] }
    set { self[.billingPeriodNumber] = newValue }
  }
  /// `totalBillingPeriods`.
  package var totalBillingPeriods: Int64? {
    get { self[.totalBillingPeriods] }
    set { self[.totalBillingPeriods] = newValue }
  }
  /// `commitmentExpiresDate`.
  package var commitmentExpiresDate: Instant? {
    get { self[instant: .commitmentExpiresDate] }
    set { self[instant: .commitmentExpiresDate] = newValue }
  }
  /// `commitmentInfo.commitmentPrice`, in 1/1000 of `currency`.
  package var commitmentPrice: Int64? {
    get { self[.commitmentPrice] }
    set { self[.commitmentPrice] = newValue }
  }
}
