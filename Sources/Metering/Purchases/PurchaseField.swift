/// One field of ``Purchase``: its name in JSON, its stored tag and where its value lives.
///
/// One table drives reading, printing, storing and merging, so that no field is forgotten in one
/// of them. Tags are stored: a tag never changes its meaning.
struct PurchaseField: Sendable {
  /// Where a value lives and which type of JSON it is.
  enum Place: Sendable {
    case text(Purchase.TextField)
    /// An object, as text.
    case json(Purchase.TextField)
    case instant(Purchase.NumberField)
    case integer(Purchase.NumberField, within: ClosedRange<Int64>)
    case flag(Purchase.NumberField)
  }

  let tag: UInt8
  let name: String
  let place: Place

  init(_ tag: UInt8, _ name: String, _ place: Place) {
    self.tag = tag
    self.name = name
    self.place = place
  }

  private static let small: ClosedRange<Int64> = -2_147_483_648...2_147_483_647

  /// The fields at the top of the payload, in the order they are printed.
  static let top: [PurchaseField] = [
    PurchaseField(1, "transactionId", .text(.transactionId)),
    PurchaseField(2, "originalTransactionId", .text(.originalTransactionId)),
    PurchaseField(3, "webOrderLineItemId", .text(.webOrderLineItemId)),
    PurchaseField(4, "appTransactionId", .text(.appTransactionId)),
    PurchaseField(5, "previousOriginalTransactionId", .text(.previousOriginalTransactionId)),
    PurchaseField(6, "bundleId", .text(.bundleId)),
    PurchaseField(7, "productId", .text(.productId)),
    PurchaseField(8, "subscriptionGroupIdentifier", .text(.subscriptionGroupIdentifier)),
    PurchaseField(9, "type", .text(.type)),
    PurchaseField(10, "quantity", .integer(.quantity, within: 1...Limits.purchaseQuantity)),
    PurchaseField(11, "purchaseDate", .instant(.purchaseDate)),
    PurchaseField(12, "originalPurchaseDate", .instant(.originalPurchaseDate)),
    PurchaseField(13, "expiresDate", .instant(.expiresDate)),
    PurchaseField(14, "gracePeriodExpiresDate", .instant(.gracePeriodExpiresDate)),
    PurchaseField(15, "signedDate", .instant(.signedDate)),
    PurchaseField(16, "appAccountToken", .text(.appAccountToken)),
    PurchaseField(17, "inAppOwnershipType", .text(.inAppOwnershipType)),
    PurchaseField(18, "transactionReason", .text(.transactionReason)),
    PurchaseField(19, "isUpgraded", .flag(.isUpgraded)),
    PurchaseField(20, "offerType", .integer(.offerType, within: small)),
    PurchaseField(21, "offerIdentifier", .text(.offerIdentifier)),
    PurchaseField(22, "offerDiscountType", .text(.offerDiscountType)),
    PurchaseField(23, "offerPeriod", .text(.offerPeriod)),
    PurchaseField(24, "environment", .text(.environment)),
    PurchaseField(25, "storefront", .text(.storefront)),
    PurchaseField(26, "storefrontId", .text(.storefrontId)),
    PurchaseField(27, "currency", .text(.currency)),
    PurchaseField(28, "price", .integer(.price, within: 0...Int64.max)),
    PurchaseField(29, "revocationDate", .instant(.revocationDate)),
    PurchaseField(30, "revocationReason", .integer(.revocationReason, within: small)),
    PurchaseField(31, "revocationType", .text(.revocationType)),
    PurchaseField(
      32, "revocationPercentage", .integer(.revocationPercentage, within: 0...100_000)),
    PurchaseField(33, "billingPlanType", .text(.billingPlanType)),
    PurchaseField(34, "advancedCommerceInfo", .json(.advancedCommerceInfo)),
  ]

  /// The fields of the payload's `commitmentInfo` object.
  static let commitment: [PurchaseField] = [
    PurchaseField(64, "billingPeriodNumber", .integer(.billingPeriodNumber, within: 1...1200)),
    PurchaseField(65, "totalBillingPeriods", .integer(.totalBillingPeriods, within: 1...1200)),
    PurchaseField(66, "commitmentExpiresDate", .instant(.commitmentExpiresDate)),
    PurchaseField(67, "commitmentPrice", .integer(.commitmentPrice, within: 0...Int64.max)),
  ]

  static let all = top + commitment

  /// Where a field's name in JSON is in ``all``.
  static let numbers: [ByteString: Int] = Dictionary(
    uniqueKeysWithValues: all.enumerated().map { (ByteString($1.name), $0) })

  /// The fields by their tags.
  static let byTag: [PurchaseField?] = (0...67).map { tag in all.first { $0.tag == tag } }

  /// All but what a payload says of a revocation, which goes together.
  static let besideRevocation = all.filter { !(29...32).contains($0.tag) }

  /// Copies this field's value when `target` has none.
  func fill(_ target: inout Purchase, from source: Purchase) {
    switch place {
    case .text(let field), .json(let field):
      if target[field] == nil { target[field] = source[field] }
    case .instant(let field), .integer(let field, _), .flag(let field):
      if target[field] == nil { target[field] = source[field] }
    }
  }
}
