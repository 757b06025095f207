/// What Apple knows of a few customers' purchases, and the notifications it sends about them.
///
/// Each notification carries the purchase as it is when Apple signs it, so that they may be
/// delivered in any order. No two are signed at one instant.
struct AppStoreLives {
  /// Apple's clock, in milliseconds.
  var now: Int64
  private(set) var purchases: [String: ReferencePurchase] = [:]
  private var lastSigned: Int64 = 0
  private var serial = 0

  static let oneTime = ["c0", "c1", "c2", "n0", "n1", "p0", "p1", "f0", "z0"]
  static let chains = ["monthly", "committed", "shared"]
  static let periods = chains.flatMap { chain in (1...5).map { "\(chain)-\($0)" } }
  static let apps = ["app-0", "app-1"]
  static let day: Int64 = 86_400_000

  init(now: Int64) { self.now = now }

  mutating func sign() -> Int64 {
    lastSigned = max(now, lastSigned + 1)
    return lastSigned
  }

  /// Something happens to some purchase; nil when what was drawn can't happen now.
  mutating func happen(_ seed: inout Seed) -> ReferenceNotification? {
    switch seed.below(100) {
    case ..<16: return buy(&seed)
    case ..<34: return goOn(seed.pick(Self.chains), &seed)
    case ..<52: return ask(&seed)
    case ..<64: return refund(&seed)
    case ..<71: return tell("REFUND_DECLINED", about: pickKnown(&seed))
    case ..<79: return reverse(&seed)
    case ..<83: return revoke(&seed)
    case ..<88: return extend(&seed)
    case ..<92: return upgrade(&seed)
    default: return mention(&seed)
    }
  }

  private func pickKnown(_ seed: inout Seed) -> String? {
    purchases.keys.sorted().randomElement(using: &seed)
  }

  /// Signs a notification about a purchase as it is now.
  mutating func tell(
    _ type: String, _ subtype: String? = nil, about id: String?,
    grace: Int64? = nil, isRetried: Bool = false, reason: String? = nil
  ) -> ReferenceNotification? {
    guard let id, var purchase = purchases[id] else { return nil }
    purchase.signed = sign()
    serial += 1
    var told = ReferenceNotification(
      id: "uuid-\(serial)", type: type, subtype: subtype, signed: sign(), transaction: purchase,
      reason: reason)
    if purchase.isAutoRenewable {
      told.renewal = .init(signed: purchase.signed, grace: grace, isRetried: isRetried)
    }
    return told
  }
}

// MARK: Buying

extension AppStoreLives {
  private mutating func buy(_ seed: inout Seed) -> ReferenceNotification? {
    let id = seed.pick(Self.oneTime)
    guard purchases[id] == nil else { return nil }
    let kinds = [
      "c": ("credits.5000", "Consumable"), "n": ("unlisted", "Non-Consumable"),
      "p": ("pass", "Non-Renewing Subscription"), "f": ("unlisted", "Non-Consumable"),
      "z": ("credits.5000", "Consumable"),
    ]
    let (product, type) = kinds[String(id.prefix(1))] ?? ("", "")
    var purchase = ReferencePurchase(
      id: id, original: id, product: product, type: type,
      purchased: now - Int64(seed.below(5)) * Self.day - Int64(seed.below(1000)),
      quantity: 1 + seed.below(2), price: seed.pick([9_990, 9_990, 4_999, 0, nil]),
      currency: seed.pick(["USD", "USD", "EUR", "JPY"]), signed: 0)
    purchase.environment = id == "z0" ? "Sandbox" : "Production"
    purchase.ownership = id == "f0" ? seed.pick(["FAMILY_SHARED", "ASSIGNED"]) : "PURCHASED"
    purchase.storefront = seed.pick(["NLD", "USA", nil])
    purchase.isAdvancedCommerce = id == "n1"
    purchase.appTransaction = seed.pick(Self.apps)
    if seed.chance(50) { purchase.accountToken = World.token(1) }
    purchases[id] = purchase
    return tell("ONE_TIME_CHARGE", about: id)
  }

  private func latest(_ chain: String) -> ReferencePurchase? {
    purchases.values.filter { $0.original == "\(chain)-1" }.max { $0.purchased < $1.purchased }
  }

  /// A subscription begins, renews, fails to, recovers, or ends.
  private mutating func goOn(_ chain: String, _ seed: inout Seed) -> ReferenceNotification? {
    guard let last = latest(chain) else {
      return addPeriod(of: chain, 1, from: now, &seed).flatMap {
        tell("SUBSCRIBED", "INITIAL_BUY", about: $0)
      }
    }
    let number = (Int(last.id.suffix(1)) ?? 0) + 1
    let end = last.expires ?? 0
    let subtype = seed.pick(["GRACE_PERIOD", nil])
    switch seed.below(10) {
    case ..<4:
      // Renewals are paid a day ahead at the earliest, recoveries some time after the end.
      guard end < now + Self.day else { return nil }
      let isLate = end < now - Self.day
      return addPeriod(of: chain, number, from: isLate && seed.chance(60) ? now : end, &seed)
        .flatMap { tell("DID_RENEW", isLate ? "BILLING_RECOVERY" : nil, about: $0) }
    case ..<7:
      let grace = chain == "committed" && subtype != nil ? nil : end + 6 * Self.day
      return tell(
        "DID_FAIL_TO_RENEW", chain == "committed" ? nil : subtype, about: last.id, grace: grace,
        isRetried: true)
    case 7: return tell("GRACE_PERIOD_EXPIRED", about: last.id)
    case 8: return tell("EXPIRED", seed.pick(["VOLUNTARY", "BILLING_RETRY"]), about: last.id)
    default:
      return tell(
        "DID_CHANGE_RENEWAL_STATUS", seed.pick(["AUTO_RENEW_DISABLED", "AUTO_RENEW_ENABLED"]),
        about: last.id, grace: seed.chance(30) ? end + 3 * Self.day : nil)
    }
  }

  private mutating func addPeriod(
    of chain: String, _ number: Int, from start: Int64, _ seed: inout Seed
  ) -> String? {
    let id = "\(chain)-\(number)"
    guard Self.periods.contains(id), purchases[id] == nil else { return nil }
    // No two periods begin at one instant.
    let start = max(start, (latest(chain)?.purchased ?? 0) + 1)
    var purchase = ReferencePurchase(
      id: id, original: "\(chain)-1", product: "pro", type: "Auto-Renewable Subscription",
      purchased: start, expires: start + 20 * Self.day, price: 6_990, signed: 0)
    if chain == "committed" {
      purchase.commitment = .init(number: number, total: 12, expires: start + 240 * Self.day)
    }
    if chain == "shared" { purchase.ownership = "FAMILY_SHARED" }
    purchase.storefront = chain == "monthly" ? "NLD" : nil
    purchase.accountToken = chain == "monthly" ? World.token(1) : nil
    purchase.appTransaction = Self.apps[0]
    purchases[id] = purchase
    return id
  }
}

// MARK: Money that goes back

extension AppStoreLives {
  private mutating func ask(_ seed: inout Seed) -> ReferenceNotification? {
    let reason = seed.pick([
      "UNSATISFIED_WITH_PURCHASE", "UNINTENDED_PURCHASE", "FULFILLMENT_ISSUE", "LEGAL", "OTHER",
      nil,
    ])
    // Of a subscription the renewal info is about its last period, whichever is asked for.
    return tell(
      "CONSUMPTION_REQUEST", about: pickKnown(&seed), grace: now + 9 * Self.day, reason: reason)
  }

  private mutating func refund(_ seed: inout Seed) -> ReferenceNotification? {
    guard let id = pickKnown(&seed), let known = purchases[id], known.revoked == nil,
      known.ownership == "PURCHASED"
    else { return nil }
    let age = max(1, now - known.purchased)
    purchases[id]?.revoked = seed.chance(50) ? now : now - Int64(seed.below(Int(age)))
    switch seed.below(10) {
    case ..<4: purchases[id]?.revocationType = "REFUND_FULL"
    case ..<9:
      purchases[id]?.revocationType = "REFUND_PRORATED"
      purchases[id]?.revocationPercentage = seed.pick([20_000, 50_000, 66_667, 100_000, 0])
    default: break
    }
    return tell("REFUND", about: id, grace: now + 9 * Self.day)
  }

  private mutating func reverse(_ seed: inout Seed) -> ReferenceNotification? {
    let revoked = purchases.keys.sorted().filter { purchases[$0]?.revoked != nil }
    guard let id = revoked.randomElement(using: &seed) else { return nil }
    purchases[id]?.revoked = nil
    purchases[id]?.revocationType = nil
    purchases[id]?.revocationPercentage = nil
    return tell("REFUND_REVERSED", about: id)
  }

  private mutating func revoke(_ seed: inout Seed) -> ReferenceNotification? {
    let shared = purchases.keys.sorted().filter { purchases[$0]?.ownership != "PURCHASED" }
    guard let id = shared.randomElement(using: &seed), let known = purchases[id],
      known.revoked == nil
    else { return nil }
    purchases[id]?.revoked = now - Int64(seed.below(3)) * Self.day
    purchases[id]?.revocationType =
      known.ownership == "ASSIGNED" ? "ASSIGNMENT_REVOKE" : seed.pick(["FAMILY_REVOKE", nil])
    return tell("REVOKE", about: id)
  }
}

// MARK: Everything else

extension AppStoreLives {
  private mutating func extend(_ seed: inout Seed) -> ReferenceNotification? {
    guard let last = latest(seed.pick(Self.chains)), last.revoked == nil else { return nil }
    if seed.chance(30) { return tell("RENEWAL_EXTENSION", "FAILURE", about: last.id) }
    purchases[last.id]?.expires = (last.expires ?? 0) + Int64(1 + seed.below(9)) * Self.day
    return tell("RENEWAL_EXTENDED", about: last.id)
  }

  /// The old purchase ends with the new one, about which nothing is told yet.
  private mutating func upgrade(_ seed: inout Seed) -> ReferenceNotification? {
    let chain = seed.pick(Self.chains)
    guard let last = latest(chain), last.revoked == nil, last.expires ?? 0 > now else { return nil }
    guard seed.chance(50) else {
      return tell(
        seed.pick(["DID_CHANGE_RENEWAL_PREF", "OFFER_REDEEMED"]), "DOWNGRADE", about: last.id)
    }
    purchases[last.id]?.isUpgraded = true
    let number = (Int(last.id.suffix(1)) ?? 0) + 1
    let next = seed.chance(70) ? addPeriod(of: chain, number, from: now, &seed) : nil
    return tell("DID_CHANGE_RENEWAL_PREF", "UPGRADE", about: next ?? last.id)
  }

  private mutating func mention(_ seed: inout Seed) -> ReferenceNotification? {
    serial += 1
    let types = [
      "PRICE_INCREASE", "PRICE_CHANGE", "METADATA_UPDATE", "MIGRATION", "TEST", "BRAND_NEW",
      "EXTERNAL_PURCHASE_TOKEN", "RESCIND_CONSENT", "RENEWAL_EXTENSION",
    ]
    let type = seed.pick(types)
    if type == "RESCIND_CONSENT" {
      var told = ReferenceNotification(id: "uuid-\(serial)", type: type, signed: sign())
      told.appTransaction = seed.pick(Self.apps)
      return told
    }
    if type.hasPrefix("PRICE") || type.hasPrefix("M") || seed.chance(50) {
      return tell(type, about: pickKnown(&seed))
    }
    return ReferenceNotification(id: "uuid-\(serial)", type: type, signed: sign())
  }
}
