/// A server notification as Apple would send it, its signatures proved.
struct ReferenceNotification {
  /// What the renewal info beside it says; instants in milliseconds.
  struct Renewal {
    var signed: Int64
    var grace: Int64?
    var isRetried = false
  }

  var id: String
  var type: String
  var subtype: String?
  /// Milliseconds.
  var signed: Int64
  var transaction: ReferencePurchase?
  var renewal: Renewal?
  var reason: String?
  /// Of a notification that is about an app on an account.
  var appTransaction: String?
}

extension ReferenceNotification {
  /// Types that count with their transaction: what Apple documents, but for `TEST`.
  static let known: Set<String> = [
    "CONSUMPTION_REQUEST", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS",
    "DID_FAIL_TO_RENEW", "DID_RENEW", "EXPIRED", "EXTERNAL_PURCHASE_TOKEN",
    "GRACE_PERIOD_EXPIRED", "METADATA_UPDATE", "MIGRATION", "OFFER_REDEEMED", "ONE_TIME_CHARGE",
    "PRICE_CHANGE", "PRICE_INCREASE", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED",
    "RENEWAL_EXTENDED", "RENEWAL_EXTENSION", "RESCIND_CONSENT", "REVOKE", "SUBSCRIBED",
  ]

  /// Whether the renewal info grants grace. Reading: requests and refunds may be about any period,
  /// so their renewal info, which is about the chain's last, says nothing of theirs; a failed
  /// renewal without `GRACE_PERIOD` ended access, whatever date stands beside it.
  var grantsGrace: Bool {
    switch type {
    case "CONSUMPTION_REQUEST", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED", "REVOKE",
      "ONE_TIME_CHARGE", "EXTERNAL_PURCHASE_TOKEN", "RESCIND_CONSENT", "TEST", "EXPIRED",
      "GRACE_PERIOD_EXPIRED":
      false
    case "DID_FAIL_TO_RENEW": subtype == "GRACE_PERIOD"
    default: Self.known.contains(type)
    }
  }

  /// Whether it ends all grace.
  var endsGrace: Bool { type == "EXPIRED" || type == "GRACE_PERIOD_EXPIRED" }
}

/// What became of a notification.
enum ReferenceReceipt: Equatable {
  case duplicate
  case mismatch
  /// With the case that it is about.
  case taken(refundCase: String?)
}

extension Reference {
  /// Takes a notification in, once for each of its ids.
  mutating func notify(_ told: ReferenceNotification, now: Int64) -> ReferenceReceipt {
    if seen.contains(told.id) { return .duplicate }
    guard ReferenceNotification.known.contains(told.type) else {
      seen.insert(told.id)
      return .taken(refundCase: nil)
    }
    var number: Int?
    if let transaction = told.transaction {
      let id = transaction.id
      if putSigned(transaction) == .mismatch { return .mismatch }
      note(told.renewal, of: told, for: id)
      switch told.type {
      case "CONSUMPTION_REQUEST":
        number = ask(id, reason: told.reason, signed: told.signed * 1000, now: now)
      case "REFUND": decide(id, .granted, signed: told.signed, revoked: transaction.revoked)
      case "REFUND_DECLINED": decide(id, .declined, signed: told.signed)
      case "REFUND_REVERSED": decide(id, .reversed, signed: told.signed)
      default: break
      }
      if told.type.hasPrefix("REFUND") { number = cases[id]?.last?.number }
      refresh(id)
      attributeWaiting()
    }
    if told.type == "RESCIND_CONSENT", let app = told.appTransaction {
      rescinded[app, default: []].append(told.signed * 1000)
    }
    seen.insert(told.id)
    return .taken(
      refundCase: number.flatMap { number in
        told.transaction.map { "\($0.id):\(number)" }
      })
  }

  private mutating func note(
    _ renewal: ReferenceNotification.Renewal?, of told: ReferenceNotification, for id: String
  ) {
    if told.grantsGrace, let renewal, let grace = renewal.grace {
      graces[id, default: []].append((renewal.signed, grace * 1000))
    }
    if told.endsGrace {
      graceOver[id] = min(graceOver[id] ?? .max, told.signed * 1000)
    }
  }
}

/// What payloads say together.
extension Reference {
  /// As ``put(_:)``, of a payload that is proved to be Apple's.
  mutating func putSigned(_ purchase: ReferencePurchase) -> Registration {
    take(purchase, isSigned: true)
  }

  mutating func take(_ purchase: ReferencePurchase, isSigned: Bool) -> Registration {
    let id = purchase.id
    if let known = purchases[id], known.environment != purchase.environment { return .mismatch }
    let isFirst = purchases[id] == nil
    let before = purchases[id]
    if isSigned, let end = purchase.expires { boughtEnds[id] = min(boughtEnds[id] ?? end, end) }
    let older = isSigned ? signed[id] : unsigned[id]
    let isNewer = older.map { purchase.signed > $0.signed } ?? true
    if isNewer {
      if isSigned { signed[id] = purchase } else { unsigned[id] = purchase }
      refresh(id)
      if isFirst { relink(purchase.original) }
      if let after = purchases[id] { settle(after, before: before) }
      attributeWaiting()
    }
    return isFirst ? .created : .updated(applied: isNewer)
  }

  /// Works out what is known of a transaction from all that was told.
  mutating func refresh(_ id: String) {
    guard var purchase = signed[id] ?? unsigned[id] else { return }
    if signed[id] != nil, let other = unsigned[id] {
      // What Apple signed wins, and alone speaks of revocation; the rest may be filled.
      purchase.expires = purchase.expires ?? other.expires
      purchase.price = purchase.price ?? other.price
      purchase.accountToken = purchase.accountToken ?? other.accountToken
      purchase.storefront = purchase.storefront ?? other.storefront
      purchase.isUpgraded = purchase.isUpgraded || other.isUpgraded
      purchase.commitment = purchase.commitment ?? other.commitment
      purchase.isAdvancedCommerce = purchase.isAdvancedCommerce || other.isAdvancedCommerce
      purchase.appTransaction = purchase.appTransaction ?? other.appTransaction
    }
    let newest = graces[id]?.max { $0.signed < $1.signed }
    purchase.graceEnd = newest.map { min($0.grace, graceOver[id] ?? .max) }
    purchases[id] = purchase
  }
}
