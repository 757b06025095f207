import Metering
import Testing

@Suite("Purchase payloads")
struct PurchasePayloadTests {
  @Test(
    "What can't be a purchase is refused",
    arguments: [
      #"[]"#, #"{"price":9.99}"#, #"{"price":1e3}"#, #"{"price":"9990"}"#, #"{"price":-1}"#,
      #"{"purchaseDate":1764554400}"#, #"{"purchaseDate":"2026-11-01T10:00:00Z"}"#,
      #"{"purchaseDate":1764554400000.5}"#, #"{"purchaseDate":999999999999999}"#,
      #"{"purchaseDate":1764554400000,"expiresDate":1764554399999}"#, #"{"quantity":0}"#,
      #"{"quantity":1.5}"#, #"{"productId":1}"#, #"{"isUpgraded":1}"#, #"{"transactionId":""}"#,
      #"{"transactionId":7}"#, #"{"environment":"Xcode"}"#, #"{"environment":"LocalTesting"}"#,
      #"{"environment":"production"}"#, #"{"revocationPercentage":100001}"#,
      #"{"currency":"usd"}"#, #"{"commitmentInfo":[]}"#,
      #"{"commitmentInfo":{"billingPeriodNumber":0}}"#, #"{"advancedCommerceInfo":1}"#,
    ])
  func refused(_ json: String) {
    #expect(throws: PurchaseFault.self) { try Samples.payload(json) }
  }

  @Test(
    "What Apple may send is taken",
    arguments: [
      #"{}"#, #"{"price":0}"#, #"{"price":null,"productId":null}"#, #"{"type":"Something New"}"#,
      #"{"newField":{"a":[1]},"price":300000,"currency":"JPY"}"#, #"{"environment":"Sandbox"}"#,
      #"{"purchaseDate":100000000000}"#,
    ])
  func taken(_ json: String) throws {
    #expect(throws: Never.self) { try Samples.payload(json) }
  }

  static let whole = """
    {"transactionId":"7","originalTransactionId":"5","productId":"pro","type":"Auto-Renewable \
    Subscription","quantity":1,"purchaseDate":1764554400123,"expiresDate":1767232800000,\
    "isUpgraded":false,"environment":"Sandbox","currency":"EUR","price":6990,\
    "revocationDate":1764554500000,"revocationReason":0,"revocationType":"REFUND_PRORATED",\
    "revocationPercentage":33333,"billingPlanType":"MONTHLY",\
    "advancedCommerceInfo":{"items":[{"SKU":"é\\"","price":1.50}]},\
    "commitmentInfo":{"billingPeriodNumber":5,"totalBillingPeriods":12,\
    "commitmentExpiresDate":1790000000000,"commitmentPrice":83880}}
    """

  @Test("Fields are written as they came")
  func written() throws {
    var writer = JSONWriter()
    writer.beginObject()
    try Samples.payload(Self.whole).write(fields: &writer)
    writer.endObject()
    #expect(String(decoding: writer.bytes, as: UTF8.self) == Self.whole)
  }

  @Test("A record survives its stored form")
  func stored() throws {
    var record = PurchaseRecord(transactionId: "7")
    record.deliveryStatus = .undeliveredServerOutage
    record.allowances = ["credits": Quantity(raw: 5_500_000_000_000), "a": Quantity(raw: .max)]
    let early = PurchaseRecord(encoded: record.encode())
    let merged = try record.applying(Samples.payload(Self.whole), signed: false).get().record
    let both = try merged.applying(Samples.payload(#"{"price":1}"#), signed: true).get().record
    #expect(early == record)
    #expect(PurchaseRecord(encoded: both.encode()) == both)
  }

  @Test("Ids that only normalisation makes equal stay apart")
  func opaque() throws {
    let composed = PurchaseRecord(transactionId: ByteString([0xC3, 0xA9]))
    let decomposed = PurchaseRecord(transactionId: ByteString([0x65, 0xCC, 0x81]))
    let broken = PurchaseRecord(transactionId: ByteString([0xFF, 0x00]))
    #expect(composed != decomposed && composed.encode() != decomposed.encode())
    #expect(PurchaseRecord(encoded: broken.encode()) == broken)
  }

  @Test("Cut or foreign bytes are no record")
  func damaged() throws {
    let whole = try Samples.record("7", ["productId": "pro", "price": "1"]).encode()
    // A cut between sections leaves a shorter record that is valid in itself.
    let cuts = (0..<whole.count).compactMap { PurchaseRecord(encoded: whole.prefix($0)) }
    #expect(cuts.allSatisfy { $0.transactionId == "7" } && cuts.count <= 2)
    #expect(PurchaseRecord(encoded: [9] + whole.dropFirst()) == nil)
    #expect(PurchaseRecord(encoded: whole + [99, 0]) == nil)
  }

  @Test(
    "Customer keys compare UUIDs without case, and nothing else",
    arguments: [
      ("F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"),
      ("User-A", "User-A"),
      ("F81D4FAE-7DEC-11D0-A765-00A0C91E6BFZ", "F81D4FAE-7DEC-11D0-A765-00A0C91E6BFZ"),
    ])
  func customerKeys(_ sent: String, _ key: String) {
    #expect(ByteString(sent).customerKey == ByteString(key))
  }
}
