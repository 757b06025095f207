/// What Apple's server notifications are about, in Apple's words. Numbers are stored.
/// https://developer.apple.com/documentation/appstoreservernotifications/notificationtype
package enum NotificationType: UInt8, CaseIterable, Sendable {
  case consumptionRequest = 1
  case didChangeRenewalPreference = 2
  case didChangeRenewalStatus = 3
  case didFailToRenew = 4
  case didRenew = 5
  case expired = 6
  case externalPurchaseToken = 7
  case gracePeriodExpired = 8
  case metadataUpdate = 9
  case migration = 10
  case offerRedeemed = 11
  case oneTimeCharge = 12
  case priceChange = 13
  case priceIncrease = 14
  case refund = 15
  case refundDeclined = 16
  case refundReversed = 17
  case renewalExtended = 18
  case renewalExtension = 19
  case rescindConsent = 20
  case revoke = 21
  case subscribed = 22
  case test = 23

  /// Reads Apple's spelling; nil for a type that came later.
  package init?(name: ByteString) {
    guard let type = Self.allCases.first(where: { ByteString($0.name) == name }) else {
      return nil
    }
    self = type
  }

  /// Apple's spelling.
  package var name: String {
    switch self {
    case .consumptionRequest: "CONSUMPTION_REQUEST"
    case .didChangeRenewalPreference: "DID_CHANGE_RENEWAL_PREF"
    case .didChangeRenewalStatus: "DID_CHANGE_RENEWAL_STATUS"
    case .didFailToRenew: "DID_FAIL_TO_RENEW"
    case .didRenew: "DID_RENEW"
    case .expired: "EXPIRED"
    case .externalPurchaseToken: "EXTERNAL_PURCHASE_TOKEN"
    case .gracePeriodExpired: "GRACE_PERIOD_EXPIRED"
    case .metadataUpdate: "METADATA_UPDATE"
    case .migration: "MIGRATION"
    case .offerRedeemed: "OFFER_REDEEMED"
    case .oneTimeCharge: "ONE_TIME_CHARGE"
    case .priceChange: "PRICE_CHANGE"
    case .priceIncrease: "PRICE_INCREASE"
    case .refund: "REFUND"
    case .refundDeclined: "REFUND_DECLINED"
    case .refundReversed: "REFUND_REVERSED"
    case .renewalExtended: "RENEWAL_EXTENDED"
    case .renewalExtension: "RENEWAL_EXTENSION"
    case .rescindConsent: "RESCIND_CONSENT"
    case .revoke: "REVOKE"
    case .subscribed: "SUBSCRIBED"
    case .test: "TEST"
    }
  }
}
