import AppStore
import Metering
import Testing

/// What the verified payloads say.
struct ContentTests {
  let samples: Samples
  let verifier: SignedDataVerifier

  init() throws {
    samples = try Samples.made()
    verifier = try samples.verifier()
  }

  private func notification(_ name: String) throws -> VerifiedNotification {
    try verifier.verifiedNotification(try samples.jws(name), now: samples.now)
  }

  private func later(days: Int64) -> Instant {
    samples.signed.adding(microseconds: days * 86_400_000_000)
  }

  @Test func aTransactionIsAPurchase() throws {
    let transaction = try verifier.verifiedTransaction(
      try samples.jws("refunded transaction of a commitment"), now: samples.now)
    #expect(transaction.transactionId == "2000000900000001")
    #expect(transaction.environment == .sandbox)
    #expect(transaction.bundleId == "com.example.app")
    #expect(transaction.signedDate == samples.signed)
    let purchase = try Purchase(payload: transaction.payload)
    #expect(purchase.price == 9990 && purchase.currency == "EUR")
    #expect(purchase.revocationPercentage == 50_000 && purchase.billingPeriodNumber == 5)
    #expect(purchase.commitmentPrice == 119_880)
  }

  @Test func textsKeepTheirBytes() throws {
    let transaction = try verifier.verifiedTransaction(
      try samples.jws("not ASCII"), now: samples.now)
    #expect(transaction.payload["productId"]?.string == ByteString("crédits"))
  }

  @Test func aRenewalTellsWhatComesNext() throws {
    let renewal = try verifier.verifiedRenewalInfo(try samples.jws("renewal"), now: samples.now)
    #expect(renewal.environment == .sandbox && renewal.signedDate == samples.signed)
    #expect(renewal.originalTransactionId == "2000000900000001")
    #expect(renewal.productId == "com.example.pro")
    #expect(renewal.autoRenewProductId == "com.example.pro.max" && renewal.autoRenewStatus == 1)
    #expect(renewal.expirationIntent == 2 && renewal.isInBillingRetryPeriod == true)
    #expect(renewal.gracePeriodExpiresDate == later(days: 6))
    #expect(renewal.renewalDate == later(days: 30))
    #expect(renewal.renewalPrice == 9990 && renewal.currency == "EUR")
    #expect(renewal.renewalBillingPlanType == "MONTHLY")
    let commitment = try #require(renewal.commitment)
    #expect(commitment.autoRenewProductId == "com.example.pro" && commitment.autoRenewStatus == 0)
    #expect(commitment.renewalBillingPlanType == "BILLED_UPFRONT")
    #expect(commitment.renewalDate == later(days: 300) && commitment.renewalPrice == 99_990)

    let plain = try verifier.verifiedRenewalInfo(
      try samples.jws("renewal without a commitment"), now: samples.now)
    #expect(plain.commitment == nil && plain.gracePeriodExpiresDate == nil)
  }

  @Test func aConsumptionRequestCarriesBothInnerPayloads() throws {
    let request = try notification("consumption request")
    #expect(request.notificationType == "CONSUMPTION_REQUEST" && request.subtype == nil)
    #expect(request.notificationUUID == "002e14d5-51f5-4503-b5a8-c3a1af68eb20")
    #expect(request.signedDate == samples.signed)
    #expect(request.sender.environment == .sandbox && request.sender.appAppleId == nil)
    #expect(request.sender.bundleId == "com.example.app")
    #expect(request.transaction?.transactionId == "2000000900000001")
    #expect(request.renewalInfo?.autoRenewStatus == 1)
    guard case .data(let data) = request.container else {
      Issue.record("\(request.container)")
      return
    }
    #expect(data.status == 4 && data.bundleVersion == "1.0")
    #expect(data.consumptionRequestReason == "UNSATISFIED_WITH_PURCHASE")
  }

  @Test func productionNamesTheApp() throws {
    let request = try notification("consumption request of Production")
    #expect(request.sender.environment == .production)
    #expect(request.sender.appAppleId == Samples.appAppleId)
    #expect(request.transaction?.environment == .production && request.renewalInfo == nil)
  }

  @Test(arguments: ["test", "unknown type and subtype", "null containers"])
  func aNotificationNeedsNoTransaction(name: String) throws {
    let notification = try notification(name)
    #expect(notification.transaction == nil && notification.renewalInfo == nil)
    #expect(!notification.notificationType.isEmpty)
  }

  @Test func theOtherContainersAreRead() throws {
    let summary = try notification("summary")
    guard case .summary(let counts) = summary.container else {
      Issue.record("\(summary.container)")
      return
    }
    #expect(summary.subtype == "SUMMARY" && counts.productId == "com.example.pro")
    #expect(counts.succeededCount == 5 && counts.failedCount == 2)
    let purchase = try notification("external purchase")
    guard case .externalPurchaseToken(let token) = purchase.container else {
      Issue.record("\(purchase.container)")
      return
    }
    #expect(purchase.sender.environment == .sandbox)
    #expect(token.tokenCreationDate == later(days: -1))
    #expect(
      try notification("external purchase of Production").sender.environment == .production)
    let app = try notification("app data")
    #expect(app.appTransaction?.appTransactionId == "704346128300000001")
    #expect(app.appTransaction?.environment == .sandbox)
    #expect(try notification("app data alone").appTransaction == nil)
  }
}
