/// What Apple's decoded transaction payload says of one purchase, in Apple's words and units.
///
/// Every field is optional, as in Apple's libraries: a field that wasn't sent is unknown.
/// Texts are opaque bytes. See
/// https://developer.apple.com/documentation/appstoreserverapi/jwstransactiondecodedpayload
///
/// There are many fields and a purchase is copied often, so they are kept in two arrays, but for
/// the two that a record sets in each purchase it tells of.
package struct Purchase: Equatable, Sendable {
  /// `transactionId`.
  package var transactionId: ByteString?
  /// `environment`.
  package var environment: ByteString?
  private var texts: [ByteString?]
  /// Instants in microseconds, integers, and flags as 0 and 1.
  private var numbers: [Int64?]

  /// A purchase of which nothing is known.
  package init() { self = Self.unknown }

  private init(texts: Int, numbers: Int) {
    self.texts = Array(repeating: nil, count: texts)
    self.numbers = Array(repeating: nil, count: numbers)
  }

  private static let unknown = Purchase(
    texts: TextField.allCases.count, numbers: NumberField.allCases.count)

  subscript(field: TextField) -> ByteString? {
    get {
      switch field {
      case .transactionId: transactionId
      case .environment: environment
      default: texts[field.rawValue]
      }
    }
    set {
      switch field {
      case .transactionId: transactionId = newValue
      case .environment: environment = newValue
      default: texts[field.rawValue] = newValue
      }
    }
  }

  subscript(field: NumberField) -> Int64? {
    get { numbers[field.rawValue] }
    set { numbers[field.rawValue] = newValue }
  }

  subscript(instant field: NumberField) -> Instant? {
    get { self[field].map { Instant(microseconds: $0) } }
    set { self[field] = newValue?.microseconds }
  }
}

extension Purchase {
  /// The fields that are texts.
  enum TextField: Int, CaseIterable {
    case transactionId
    case originalTransactionId
    case webOrderLineItemId
    case appTransactionId
    case previousOriginalTransactionId
    case bundleId
    case productId
    case subscriptionGroupIdentifier
    case type
    case appAccountToken
    case inAppOwnershipType
    case transactionReason
    case offerIdentifier
    case offerDiscountType
    case offerPeriod
    case environment
    case storefront
    case storefrontId
    case currency
    case revocationType
    case billingPlanType
    case advancedCommerceInfo
  }

  /// The fields that are instants, integers or flags.
  enum NumberField: Int, CaseIterable {
    case purchaseDate
    case originalPurchaseDate
    case signedDate
    case expiresDate
    case revocationDate
    case gracePeriodExpiresDate
    case quantity
    case offerType
    case price
    case revocationReason
    case revocationPercentage
    case isUpgraded
    case billingPeriodNumber
    case totalBillingPeriods
    case commitmentExpiresDate
    case commitmentPrice
  }
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
