package import Metering

/// An App Store Server Notification V2 that Apple signed: `responseBodyV2DecodedPayload` of
/// https://developer.apple.com/documentation/appstoreservernotifications
package struct VerifiedNotification: Sendable {
  /// Apple's word, known or not; never empty.
  package var notificationType: ByteString
  /// Apple's word, known or not.
  package var subtype: ByteString?
  /// The same for every delivery of one notification; never empty.
  package var notificationUUID: ByteString
  /// When Apple signed it.
  package var signedDate: Instant
  /// Which app and environment it concerns.
  package var sender: NotificationSender
  /// What it carries.
  package var container: NotificationContainer
  /// The proved `data.signedTransactionInfo`.
  package var transaction: VerifiedTransaction?
  /// The proved `data.signedRenewalInfo`.
  package var renewalInfo: VerifiedRenewalInfo?
  /// The proved `appData.signedAppTransactionInfo`.
  package var appTransaction: VerifiedAppTransaction?

  init(
    _ fields: PayloadFields, _ container: NotificationContainer, _ sender: NotificationSender
  ) throws(VerificationFault) {
    notificationType = try fields.requiredText("notificationType")
    subtype = try fields.text("subtype")
    notificationUUID = try fields.requiredText("notificationUUID")
    signedDate = try fields.signedDate
    self.container = container
    self.sender = sender
  }
}

/// The app and environment that a notification's container names.
package struct NotificationSender: Equatable, Sendable {
  /// Where it happened.
  package var environment: StoreEnvironment
  /// The app's bundle id.
  package var bundleId: ByteString
  /// The app's Apple id, which Sandbox leaves out.
  package var appAppleId: Int64?

  init(
    _ fields: PayloadFields, environment: StoreEnvironment
  ) throws(VerificationFault) {
    self.environment = environment
    bundleId = try fields.requiredText("bundleId")
    appAppleId = try fields.integer("appAppleId")
  }
}

/// What a notification carries: always exactly one of these.
package enum NotificationContainer: Equatable, Sendable {
  /// A purchase or subscription, or nothing further in a `TEST`.
  case data(NotificationData)
  /// How an extension of many subscriptions went.
  case summary(NotificationSummary)
  /// A purchase outside of the App Store.
  case externalPurchaseToken(ExternalPurchaseToken)
  /// The app as such, in `RESCIND_CONSENT`.
  case appData(NotificationAppData)

  /// Finds the one container and who it concerns.
  static func read(
    _ fields: PayloadFields
  ) throws(VerificationFault) -> (NotificationContainer, NotificationSender) {
    let names = ["data", "summary", "externalPurchaseToken", "appData"]
    var found: (name: String, fields: PayloadFields)?
    for name in names {
      guard let inside = try fields.fields(name) else { continue }
      guard found == nil else { throw .wrongContainer }
      found = (name, inside)
    }
    guard let (name, inside) = found else { throw .wrongContainer }
    if name == "externalPurchaseToken" {
      let token = try ExternalPurchaseToken(inside)
      let sender = try NotificationSender(inside, environment: token.environment)
      return (.externalPurchaseToken(token), sender)
    }
    let sender = try NotificationSender(inside, environment: inside.environment)
    switch name {
    case "data": return (.data(try NotificationData(inside)), sender)
    case "summary": return (.summary(try NotificationSummary(inside)), sender)
    default: return (.appData(try NotificationAppData(inside)), sender)
    }
  }
}

/// `data` of a notification.
/// https://developer.apple.com/documentation/appstoreservernotifications/data
package struct NotificationData: Equatable, Sendable {
  /// The version of the app, as the app states it.
  package var bundleVersion: ByteString?
  /// 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked; auto-renewables only.
  package var status: Int64?
  /// What the customer gave as the reason, in `CONSUMPTION_REQUEST` only; Apple's word.
  package var consumptionRequestReason: ByteString?
  /// A JWS of its own, which only the verifier reads.
  var signedTransactionInfo: ByteString?
  /// A JWS of its own, which only the verifier reads.
  var signedRenewalInfo: ByteString?

  init(_ fields: PayloadFields) throws(VerificationFault) {
    bundleVersion = try fields.text("bundleVersion")
    status = try fields.integer("status")
    consumptionRequestReason = try fields.text("consumptionRequestReason")
    signedTransactionInfo = try fields.text("signedTransactionInfo")
    signedRenewalInfo = try fields.text("signedRenewalInfo")
  }
}

/// `appData` of a notification: what concerns the app on one account as a whole.
/// https://developer.apple.com/documentation/appstoreservernotifications/appdata
package struct NotificationAppData: Equatable, Sendable {
  /// A JWS of its own, which only the verifier reads.
  var signedAppTransactionInfo: ByteString?

  init(_ fields: PayloadFields) throws(VerificationFault) {
    signedAppTransactionInfo = try fields.text("signedAppTransactionInfo")
  }
}

/// `summary` of a notification: the end of an extension of many subscriptions.
/// https://developer.apple.com/documentation/appstoreservernotifications/summary
package struct NotificationSummary: Equatable, Sendable {
  /// The extension's own key.
  package var requestIdentifier: ByteString?
  /// The product whose subscriptions were extended.
  package var productId: ByteString?
  /// Subscriptions that were extended.
  package var succeededCount: Int64?
  /// Subscriptions that weren't.
  package var failedCount: Int64?

  init(_ fields: PayloadFields) throws(VerificationFault) {
    requestIdentifier = try fields.text("requestIdentifier")
    productId = try fields.text("productId")
    succeededCount = try fields.integer("succeededCount")
    failedCount = try fields.integer("failedCount")
  }
}

/// `externalPurchaseToken` of a notification: a purchase outside of the App Store.
/// https://developer.apple.com/documentation/appstoreservernotifications/externalpurchasetoken
package struct ExternalPurchaseToken: Equatable, Sendable {
  /// The token's own key; those of the sandbox begin with `SANDBOX`.
  package var externalPurchaseId: ByteString
  /// When the token was made.
  package var tokenCreationDate: Instant?

  init(_ fields: PayloadFields) throws(VerificationFault) {
    externalPurchaseId = try fields.requiredText("externalPurchaseId")
    tokenCreationDate = try fields.instant("tokenCreationDate")
  }

  /// The key's beginning is the only word on it.
  var environment: StoreEnvironment {
    externalPurchaseId.bytes.starts(with: "SANDBOX".utf8) ? .sandbox : .production
  }
}
