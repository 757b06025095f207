import Metering
import Testing

/// What each type and subtype does, beside its signed transaction.
@Suite struct NotificationEffectTests {
  private static let subtypes: [ByteString?] = [
    nil, "ACCEPTED", "ACTIVE_TOKEN_REMINDER", "AUTO_RENEW_DISABLED", "AUTO_RENEW_ENABLED",
    "BILLING_RECOVERY", "BILLING_RETRY", "CREATED", "DOWNGRADE", "FAILURE", "GRACE_PERIOD",
    "INITIAL_BUY", "PENDING", "PRICE_INCREASE", "PRODUCT_NOT_FOR_SALE", "RESUBSCRIBE", "SUMMARY",
    "UNREPORTED", "UPGRADE", "VOLUNTARY", "NEW_SUBTYPE",
  ]

  private static func summary(_ effect: NotificationEffect) -> String {
    var words = [effect.takesTransaction ? "transaction" : "nothing"]
    if effect.renewal != .ignored { words.append("renewal \(effect.renewal)") }
    if effect.opensCase { words.append("asked") }
    if let decision = effect.decision { words.append("\(decision)") }
    if effect.withdrawsConsent { words.append("consent") }
    return words.joined(separator: ", ")
  }

  /// By type; the same for every subtype but where `special` says otherwise.
  private static let expected: [ByteString: String] = [
    "CONSUMPTION_REQUEST": "transaction, asked",
    "DID_CHANGE_RENEWAL_PREF": "transaction, renewal taken",
    "DID_CHANGE_RENEWAL_STATUS": "transaction, renewal taken",
    "DID_FAIL_TO_RENEW": "transaction, renewal takenWithoutGrace",
    "DID_RENEW": "transaction, renewal taken",
    "EXPIRED": "transaction, renewal over",
    "EXTERNAL_PURCHASE_TOKEN": "transaction",
    "GRACE_PERIOD_EXPIRED": "transaction, renewal over",
    "METADATA_UPDATE": "transaction, renewal taken",
    "MIGRATION": "transaction, renewal taken",
    "NEW_TYPE": "nothing",
    "OFFER_REDEEMED": "transaction, renewal taken",
    "ONE_TIME_CHARGE": "transaction",
    "PRICE_CHANGE": "transaction, renewal taken",
    "PRICE_INCREASE": "transaction, renewal taken",
    "REFUND": "transaction, granted",
    "REFUND_DECLINED": "transaction, declined",
    "REFUND_REVERSED": "transaction, reversed",
    "RENEWAL_EXTENDED": "transaction, renewal taken",
    "RENEWAL_EXTENSION": "transaction, renewal taken",
    "RESCIND_CONSENT": "transaction, consent",
    "REVOKE": "transaction",
    "SUBSCRIBED": "transaction, renewal taken",
    "TEST": "nothing",
  ]
  private static let special: [ByteString: [ByteString: String]] = [
    "DID_FAIL_TO_RENEW": ["GRACE_PERIOD": "transaction, renewal taken"]
  ]

  @Test func everyTypeWithEverySubtype() {
    #expect(Self.expected.count == NotificationType.allCases.count + 1)
    for (name, usual) in Self.expected {
      let type = NotificationType(name: name)
      #expect((type == nil) == (name == "NEW_TYPE"))
      #expect(type.map { ByteString($0.name) } ?? name == name)
      for subtype in Self.subtypes {
        let told = StoreNotification(
          id: "1", type: name, subtype: subtype, signedDate: .distantPast)
        let expected = subtype.flatMap { Self.special[name]?[$0] } ?? usual
        #expect(Self.summary(told.effect) == expected, "\(name) \(subtype ?? "-")")
      }
    }
  }

  /// A record that has taken in notifications in an order.
  private static func record(_ told: [StoreNotification]) throws -> PurchaseRecord? {
    let desk = try CaseDesk(nil)
    for one in told { _ = try desk.decide(.notify(one), at: RefundCaseTests.instant(100)) }
    return desk.record
  }

  @Test("renewal infos say the same whatever order they come in") func renewalOrder() throws {
    func told(_ type: ByteString, _ minute: Int, grace: Int?) throws -> StoreNotification {
      var one = StoreNotification(
        id: ByteString("\(type)/\(minute)"), type: type, subtype: "GRACE_PERIOD",
        signedDate: RefundCaseTests.instant(minute))
      let text = """
        {"originalTransactionId":"t","signedDate":\(one.signedDate.microseconds / 1_000),
         "expiresDate":\(RefundCaseTests.instant(0).microseconds / 1_000)}
        """
      one.transaction = StoreNotification.Transaction(
        id: "t", payload: try Purchase(payload: JSONNode.parse(Array(text.utf8), dialect: .strict)))
      var info = RenewalInfo(originalTransactionId: "t", signedDate: one.signedDate)
      info.autoRenewStatus = Int64(minute)
      info.gracePeriodExpiresDate = grace.map(RefundCaseTests.instant)
      one.renewal = info
      return one
    }
    let all = [
      try told("DID_FAIL_TO_RENEW", 1, grace: 50),
      try told("DID_CHANGE_RENEWAL_STATUS", 2, grace: 60),
      try told("GRACE_PERIOD_EXPIRED", 30, grace: nil), try told("EXPIRED", 40, grace: nil),
    ]
    let first = try #require(try Self.record(all))
    #expect(first.purchase?.gracePeriodExpiresDate == RefundCaseTests.instant(30))
    #expect(first.renewal.autoRenewStatus == 40)
    for start in all.indices {
      for step in [1, 3] {
        let order = all.indices.map { all[(start + $0 * step) % all.count] }
        #expect(try Self.record(order) == first)
      }
    }
    #expect(PurchaseRecord(encoded: first.encode()) == first)
  }

  @Test("a renewal info of another chain is ignored") func foreignRenewal() throws {
    var one = StoreNotification(
      id: "1", type: "DID_RENEW", subtype: nil, signedDate: RefundCaseTests.instant(1))
    one.transaction = StoreNotification.Transaction(id: "t", payload: Purchase())
    one.renewal = RenewalInfo(
      originalTransactionId: "u", signedDate: RefundCaseTests.instant(1))
    #expect(try Self.record([one])?.renewal == RenewalState())
  }

  @Test("a transaction belongs to the environment first seen") func environments() throws {
    let desk = try CaseDesk(nil)
    for (number, environment) in [Purchase.production, Purchase.sandbox].enumerated() {
      var one = StoreNotification(
        id: ByteString("\(number)"), type: "ONE_TIME_CHARGE", subtype: nil,
        signedDate: RefundCaseTests.instant(number))
      var payload = Purchase()
      payload.environment = environment
      one.transaction = StoreNotification.Transaction(id: "t", payload: payload)
      let outcome = try desk.decide(.notify(one), at: RefundCaseTests.instant(number))
      #expect((outcome == .environmentMismatch) == (number == 1))
      // What was refused is not taken for known: it would come to the same again.
      let again = try desk.decide(.notify(one), at: RefundCaseTests.instant(number))
      #expect((again == .environmentMismatch) == (number == 1))
    }
  }
}
