package import Metering

/// What Apple signed about a subscription's next renewal. Words are Apple's, unknown ones included.
/// https://developer.apple.com/documentation/appstoreserverapi/jwsrenewalinfodecodedpayload
package struct VerifiedRenewalInfo: Sendable {
  /// The whole payload.
  package var payload: JSONNode
  /// Where the subscription was bought.
  package var environment: StoreEnvironment
  /// When Apple signed this state of it.
  package var signedDate: Instant
  /// The chain, never empty.
  package var originalTransactionId: ByteString
  /// The product of the current period.
  package var productId: ByteString?
  /// The product that the next period will have.
  package var autoRenewProductId: ByteString?
  /// 0 off, 1 on.
  package var autoRenewStatus: Int64?
  /// Why it ended: 1 cancelled, 2 billing error, 3 price not consented to, 4 product gone, 5 other.
  package var expirationIntent: Int64?
  /// Whether Apple still tries to charge for an expired subscription.
  package var isInBillingRetryPeriod: Bool?
  /// Until when access goes on without payment.
  package var gracePeriodExpiresDate: Instant?
  /// When the current period ends and the next one is charged.
  package var renewalDate: Instant?
  /// In 1/1000 of ``currency``.
  package var renewalPrice: Int64?
  /// ISO 4217.
  package var currency: ByteString?
  /// `BILLED_UPFRONT` or `MONTHLY`, of the next period.
  package var renewalBillingPlanType: ByteString?
  /// What follows the current commitment; nil without one.
  package var commitment: RenewalCommitment?

  init(_ fields: PayloadFields) throws(VerificationFault) {
    payload = fields.node
    environment = try fields.environment
    signedDate = try fields.signedDate
    originalTransactionId = try fields.requiredText("originalTransactionId")
    productId = try fields.text("productId")
    autoRenewProductId = try fields.text("autoRenewProductId")
    autoRenewStatus = try fields.integer("autoRenewStatus")
    expirationIntent = try fields.integer("expirationIntent")
    isInBillingRetryPeriod = try fields.flag("isInBillingRetryPeriod")
    gracePeriodExpiresDate = try fields.instant("gracePeriodExpiresDate")
    renewalDate = try fields.instant("renewalDate")
    renewalPrice = try fields.integer("renewalPrice")
    currency = try fields.text("currency")
    renewalBillingPlanType = try fields.text("renewalBillingPlanType")
    // A signed transaction has neither: it must not pass for a renewal.
    guard autoRenewStatus != nil || autoRenewProductId != nil else {
      throw .malformedField("autoRenewStatus")
    }
    guard let info = try fields.fields("commitmentInfo") else { return }
    commitment = try RenewalCommitment(info)
  }
}

/// What follows a commitment of several billing periods: `commitmentInfo` of the renewal info.
package struct RenewalCommitment: Equatable, Sendable {
  /// `commitmentAutoRenewProductId`.
  package var autoRenewProductId: ByteString?
  /// `commitmentAutoRenewStatus`: 0 off, 1 on. `autoRenewStatus` stays 1 until the last period.
  package var autoRenewStatus: Int64?
  /// `commitmentRenewalBillingPlanType`: `BILLED_UPFRONT` or `MONTHLY`.
  package var renewalBillingPlanType: ByteString?
  /// `commitmentRenewalDate`: when the next commitment begins.
  package var renewalDate: Instant?
  /// `commitmentRenewalPrice`, in 1/1000 of the currency.
  package var renewalPrice: Int64?

  init(_ fields: PayloadFields) throws(VerificationFault) {
    autoRenewProductId = try fields.text("commitmentAutoRenewProductId")
    autoRenewStatus = try fields.integer("commitmentAutoRenewStatus")
    renewalBillingPlanType = try fields.text("commitmentRenewalBillingPlanType")
    renewalDate = try fields.instant("commitmentRenewalDate")
    renewalPrice = try fields.integer("commitmentRenewalPrice")
  }
}
