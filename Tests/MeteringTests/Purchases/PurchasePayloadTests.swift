import Testing

@testable import Metering

/// Reading, printing, merging and storing a purchase are driven by one table of fields; a field
/// that is forgotten or confused in one of them shows here.
@Suite struct PurchasePayloadTests {
  /// Each field with a value of its own, in the order they are printed.
  private static let whole = """
    {"transactionId":"t1","originalTransactionId":"o2","webOrderLineItemId":"w3",\
    "appTransactionId":"a4","previousOriginalTransactionId":"p5","bundleId":"b6",\
    "productId":"p7","subscriptionGroupIdentifier":"s8","type":"Consumable","quantity":10,\
    "purchaseDate":1700000000011,"originalPurchaseDate":1700000000012,\
    "expiresDate":1700000000013,"gracePeriodExpiresDate":1700000000014,\
    "signedDate":1700000000015,"appAccountToken":"t16","inAppOwnershipType":"PURCHASED",\
    "transactionReason":"r18","isUpgraded":true,"offerType":20,"offerIdentifier":"o21",\
    "offerDiscountType":"d22","offerPeriod":"p23","environment":"Sandbox","storefront":"s25",\
    "storefrontId":"s26","currency":"USD","price":28,"revocationDate":1700000000029,\
    "revocationReason":30,"revocationType":"REFUND_FULL","revocationPercentage":32,\
    "billingPlanType":"MONTHLY","advancedCommerceInfo":{"a":[1.50,{"b":null}]},\
    "commitmentInfo":{"billingPeriodNumber":64,"totalBillingPeriods":65,\
    "commitmentExpiresDate":1700000000066,"commitmentPrice":67}}
    """

  private static func purchase(_ json: String) throws -> Purchase {
    try Purchase(payload: try JSONNode.parse(Array(json.utf8), dialect: .strict))
  }

  private static func print(_ purchase: Purchase) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    purchase.write(fields: &writer)
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test func everyFieldIsReadAndPrinted() throws {
    let purchase = try Self.purchase(Self.whole)
    #expect(Self.print(purchase) == Self.whole)
    #expect(purchase.productId == "p7")
    #expect(purchase.quantity == 10)
    #expect(purchase.isUpgraded == true)
    #expect(purchase.purchaseDate == Instant(milliseconds: 1_700_000_000_011))
    #expect(purchase.commitmentPrice == 67)
    #expect(Self.print(Purchase()) == "{}")
  }

  @Test func everyFieldIsStored() throws {
    let payload = try Self.purchase(Self.whole)
    var record = PurchaseRecord(transactionId: "t1")
    record.deliveryStatus = DeliveryStatus.allCases.first
    record.allowances = ["m": Quantity(raw: -5), "n": Quantity(raw: 1 << 80)]
    for signed in [false, true] {
      record = try record.applying(payload, signed: signed).get().record
      #expect(PurchaseRecord(encoded: record.encode()) == record)
      #expect(record.purchase == payload)
    }
    for count in 0..<record.encode().count {
      // Cut bytes are refused or are the beginning of the same, never a trap.
      _ = PurchaseRecord(encoded: record.encode().prefix(count))
    }
  }

  /// What is stored keeps its form: these bytes are in journals.
  @Test func storedFormStays() throws {
    let payload = try Self.purchase(
      #"{"productId":"p","quantity":3,"purchaseDate":1700000000001,"isUpgraded":false}"#)
    let merge = try PurchaseRecord(transactionId: "t").applying(payload, signed: false).get()
    #expect(
      merge.record.encode() == [
        1, 1, 1, 0x74, 2, 16, 7, 1, 0x70, 10, 6, 11, 0xD0, 0x8F, 0xF2, 0x81, 0x83, 0x89, 0x85, 6,
        19, 0, 4, 10, 0x50, 0x72, 0x6F, 0x64, 0x75, 0x63, 0x74, 0x69, 0x6F, 0x6E,
      ])
  }

  @Test func fieldsFillWhatIsAbsent() throws {
    let first = try Self.purchase(#"{"productId":"p","price":1,"signedDate":1700000000000}"#)
    var payload = try Self.purchase(Self.whole)
    payload.signedDate = nil
    payload.transactionId = nil
    payload.environment = nil
    let record = PurchaseRecord(transactionId: "t1")
    let known = try record.applying(first, signed: false).get().record
    let filled = try known.applying(payload, signed: false).get()
    #expect(filled.applied && !filled.created)
    var expected = try Self.purchase(Self.whole)
    expected.productId = "p"
    expected.price = 1
    expected.signedDate = first.signedDate
    expected.environment = "Production"
    #expect(filled.record.purchase == expected)
    #expect(try filled.record.applying(payload, signed: false).get().applied == false)
  }

  @Test(arguments: [
    // Null is absent, unknown fields are ignored, whatever they hold.
    (#"{"productId":null,"x":{"productId":"q"},"offerType":null,"commitmentInfo":null}"#, "{}"),
    (#"{"billingPeriodNumber":7}"#, "{}"),
    (
      #"{"commitmentInfo":{"productId":"q","billingPeriodNumber":7}}"#,
      #"{"commitmentInfo":{"billingPeriodNumber":7}}"#
    ),
    // Names are compared as they are meant, not as they are written.
    (#"{"product\u0049d":"p\u0071"}"#, #"{"productId":"pq"}"#),
    (#"{"productID":"p"}"#, "{}"),
  ])
  func fieldsByName(_ json: String, _ printed: String) throws {
    #expect(Self.print(try Self.purchase(json)) == printed)
  }

  /// The first fault in the order of fields is told, whatever the order of keys.
  @Test(arguments: [
    (#"{"price":-1,"productId":1}"#, "productId is not a string"),
    (#"{"productId":"p","price":-1,"quantity":0}"#, "quantity is out of range"),
    (#"{"commitmentInfo":[],"price":1.0}"#, "price is not an integer"),
    (#"{"commitmentInfo":[]}"#, "commitmentInfo is not an object"),
    (
      #"{"commitmentInfo":{"commitmentPrice":"1","billingPeriodNumber":0}}"#,
      "billingPeriodNumber is out of range"
    ),
    (
      #"{"purchaseDate":1700000000}"#,
      "purchaseDate is in seconds or before 1973; milliseconds are expected"
    ),
    (#"{"isUpgraded":1}"#, "isUpgraded is not a boolean"),
    (
      #"{"originalTransactionId":"","transactionId":""}"#,
      "transactionId is empty or longer than 256 bytes"
    ),
    (#"{"originalTransactionId":""}"#, "originalTransactionId is empty or longer than 256 bytes"),
    (#"{"environment":"Xcode"}"#, "environment is neither Production nor Sandbox"),
    (#"{"currency":"usd"}"#, "currency is not a code of ISO 4217"),
    (#"{"currency":"USB"}"#, "currency is not a code of ISO 4217"),
    ("[]", "the payload is not a JSON object"),
  ])
  func faults(_ json: String, _ detail: String) {
    #expect(throws: PurchaseFault(detail)) { try Self.purchase(json) }
  }

  /// Whatever a text field is for: it is printed on terminals, where control characters act.
  @Test(arguments: ["\\u001b[2J", "\\n", "\\u0000", "\\u007f", "\\u009b2J"])
  func controlCharactersAreRefused(_ control: String) {
    let names = PurchaseField.top.compactMap { field in
      if case .text = field.place { field.name } else { nil }
    }
    #expect(names.count > 15)
    for name in names {
      #expect(throws: PurchaseFault("\(name) has a control character")) {
        try Self.purchase("{\"\(name)\":\"a\(control)b\"}")
      }
    }
  }

  /// Of two payloads that were signed at one instant the same one counts, whichever came first.
  @Test(arguments: [false, true]) func signedAtOnce(_ isSigned: Bool) throws {
    let texts = [
      #"{"productId":"p","price":1,"signedDate":1700000000000}"#,
      #"{"productId":"p","price":2,"signedDate":1700000000000}"#,
      #"{"productId":"p","signedDate":1700000000000,"revocationDate":1700000000000}"#,
    ]
    var seen: Set<[UInt8]> = []
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      var record = PurchaseRecord(transactionId: "t1")
      for place in order + order {
        let payload = try Self.purchase(texts[place])
        record = try record.applying(payload, signed: isSigned).get().record
      }
      #expect(record.purchase?.price == 2 && record.purchase?.revocationDate == nil)
      seen.insert(record.encode())
    }
    #expect(seen.count == 1)
  }

  /// Copies are values: changing one leaves the other.
  @Test func copiesAreApart() {
    var one = Purchase()
    one.productId = "p"
    var other = one
    other.productId = "q"
    other.price = 3
    #expect(one.productId == "p" && one.price == nil)
    #expect(Purchase().productId == nil)
  }
}

@Suite struct DuplicateKeyTests {
  /// Few keys and many are looked through in different ways; both find the first duplicate.
  @Test(arguments: [2, 23, 24, 25, 26, 200])
  func found(_ count: Int) throws {
    let keys = (0..<count).map { "\"k\($0)\":\($0)" }
    let fine = Array("{\(keys.joined(separator: ","))}".utf8)
    #expect(try JSONNode.parse(fine, dialect: .strict).members?.count == count)
    for place in [0, count / 2, count - 1] {
      let twice = Array("{\(keys.joined(separator: ",")),\"k\(place)\":0}".utf8)
      #expect {
        try JSONNode.parse(twice, dialect: .strict)
      } throws: { fault in
        (fault as? JSONFault)?.kind == .duplicateKey
          && (fault as? JSONFault)?.message == "the key \"k\(place)\" appears twice"
      }
    }
  }
}
