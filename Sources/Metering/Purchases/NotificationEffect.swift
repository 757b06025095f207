/// What a notification does to what is known, by its type and subtype.
///
/// Most of what Apple tells stands in the signed transaction: refunds and family revocations in its
/// revocation fields, extensions in `expiresDate`, upgrades in `isUpgraded`, recovered commitments
/// in `commitmentInfo`. So every known type but `TEST` has its transaction merged, and only what
/// no transaction says is named here.
package struct NotificationEffect: Equatable, Sendable {
  /// What becomes of the renewal info.
  package enum Renewal: Equatable, Sendable {
    /// It isn't about the transaction's period: refunds and requests may name any period.
    case ignored
    /// It tells of the transaction's period, which was to be renewed.
    case taken
    /// The same, but access ended with the period: there is no grace.
    case takenWithoutGrace
    /// The same, and with it all grace is over.
    case over
  }

  /// Whether the signed transaction counts.
  package var takesTransaction = true
  /// What becomes of the renewal info.
  package var renewal = Renewal.ignored
  /// Whether the customer asked for the money back.
  package var opensCase = false
  /// What Apple decided about the money.
  package var decision: CaseEnd.Kind?
  /// Whether consent to share consumption data is withdrawn.
  package var withdrawsConsent = false

  /// Changes nothing: what a type does that isn't known, and `TEST`.
  package static let none: NotificationEffect = {
    var effect = NotificationEffect()
    effect.takesTransaction = false
    return effect
  }()

  private init() {}

  private init(_ renewal: Renewal) { self.renewal = renewal }

  /// The effect of a type, which is nil for an unknown one. Unknown subtypes are as good as none.
  package init(_ type: NotificationType?, subtype: ByteString?) {
    switch type {
    case nil, .test: self = .none
    case .consumptionRequest:
      self.init()
      opensCase = true
    case .refund:
      self.init()
      decision = .granted
    case .refundDeclined:
      self.init()
      decision = .declined
    case .refundReversed:
      self.init()
      decision = .reversed
    case .rescindConsent:
      self.init()
      withdrawsConsent = true
    case .didFailToRenew:
      self.init(subtype == "GRACE_PERIOD" ? .taken : .takenWithoutGrace)
    case .expired, .gracePeriodExpired:
      self.init(.over)
    case .subscribed, .didRenew, .didChangeRenewalPreference, .didChangeRenewalStatus,
      .offerRedeemed, .priceIncrease, .priceChange, .renewalExtended, .renewalExtension,
      .metadataUpdate, .migration:
      self.init(.taken)
    case .revoke, .oneTimeCharge, .externalPurchaseToken:
      self.init()
    }
  }
}
