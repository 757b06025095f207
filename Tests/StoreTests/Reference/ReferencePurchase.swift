/// A purchase as Apple's decoded payload tells it; instants in milliseconds.
struct ReferencePurchase {
  var id: String
  var original: String
  var product: String
  var type: String
  var purchased: Int64
  var expires: Int64?
  var quantity = 1
  var price: Int? = 9990
  var currency = "USD"
  var environment = "Production"
  var ownership = "PURCHASED"
  var accountToken: String?
  var signed: Int64
  var revoked: Int64?
  var revocationType: String?
  var revocationPercentage: Int?
  var storefront: String?
  var isUpgraded = false
  /// The place in a commitment that is paid by the month.
  var commitment: Commitment?
  var isAdvancedCommerce = false
  var appTransaction: String?
  /// From renewal infos, in microseconds: not a part of the payload.
  var graceEnd: Int64?

  struct Commitment: Equatable {
    var number: Int
    var total: Int
    var expires: Int64
  }

  /// The revocation in microseconds, or never.
  var revokedAt: Int64 { revoked.map { $0 * 1000 } ?? .max }

  /// The share of the price that went back.
  var refunded: Exact {
    guard revoked != nil else { return .zero }
    switch revocationType {
    case "REFUND_FULL": return Exact(1)
    case "REFUND_PRORATED": return Exact(revocationPercentage ?? 0) / Exact(100_000)
    case "FAMILY_REVOKE", "ASSIGNMENT_REVOKE": return .zero
    default: return ownership == "PURCHASED" ? Exact(1) : .zero
    }
  }

  var isAutoRenewable: Bool { type == "Auto-Renewable Subscription" }

  var payload: String {
    var fields = [
      "\"transactionId\":\(TinyJSON.quoted(id))",
      "\"originalTransactionId\":\(TinyJSON.quoted(original))",
      "\"bundleId\":\"com.example.app\"",
      "\"productId\":\(TinyJSON.quoted(product))",
      "\"type\":\(TinyJSON.quoted(type))",
      "\"purchaseDate\":\(purchased)",
      "\"quantity\":\(quantity)",
      "\"environment\":\(TinyJSON.quoted(environment))",
      "\"inAppOwnershipType\":\(TinyJSON.quoted(ownership))",
      "\"signedDate\":\(signed)",
      "\"currency\":\(TinyJSON.quoted(currency))",
    ]
    if let expires { fields.append("\"expiresDate\":\(expires)") }
    if let price { fields.append("\"price\":\(price)") }
    if let revoked { fields.append("\"revocationDate\":\(revoked)") }
    if let revocationType {
      fields.append("\"revocationType\":\(TinyJSON.quoted(revocationType))")
    }
    if let revocationPercentage {
      fields.append("\"revocationPercentage\":\(revocationPercentage)")
    }
    if let accountToken { fields.append("\"appAccountToken\":\(TinyJSON.quoted(accountToken))") }
    return "{" + (fields + rarerFields).joined(separator: ",") + "}"
  }

  private var rarerFields: [String] {
    var fields: [String] = []
    if let storefront { fields.append("\"storefront\":\(TinyJSON.quoted(storefront))") }
    if isUpgraded { fields.append("\"isUpgraded\":true") }
    if isAdvancedCommerce { fields.append("\"advancedCommerceInfo\":{\"items\":[]}") }
    if let appTransaction {
      fields.append("\"appTransactionId\":\(TinyJSON.quoted(appTransaction))")
    }
    if let commitment {
      fields.append(
        "\"billingPlanType\":\"MONTHLY\",\"commitmentInfo\":"
          + "{\"billingPeriodNumber\":\(commitment.number),"
          + "\"totalBillingPeriods\":\(commitment.total),"
          + "\"commitmentExpiresDate\":\(commitment.expires)}")
    }
    return fields
  }
}

/// What the reference expects of one answer about consumption; the product's is read into the same.
struct Figures: Equatable {
  struct Usage: Equatable {
    var unit: String
    var used: Exact
    var allowed: Exact?
    var share: Int?
  }

  /// One rate's part of the cost. The amount is left out where the product splits the line.
  struct LineKey: Hashable {
    var meter: String
    var attributes: [String: String]
    /// `price/per`, or `own` for an event's own cost.
    var rate: String
    var currency: String
  }

  var product: String?
  var customer: String?
  var state: String?
  var start: Int64?
  var end: Int64?
  var delivery: String?
  var percentage: Int?
  var usage: [String: Usage] = [:]
  var complete = true
  var totals: [String: String] = [:]
  var lines: [LineKey: Exact] = [:]
  var unpriced: [String: Exact] = [:]
}
