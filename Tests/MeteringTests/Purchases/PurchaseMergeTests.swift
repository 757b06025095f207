import Metering
import Testing

@Suite("Merging payloads")
struct PurchaseMergeTests {
  struct Step: Sendable {
    var json: String
    var isSigned = false
    /// Expected of this step.
    var applied = true

    init(_ json: String, signed: Bool = false, applied: Bool = true) {
      self.json = json
      isSigned = signed
      self.applied = applied
    }
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var steps: [Step]
    var price: Int64?
    var isRevoked = false
    var productId: String?
  }

  static let t1 = #""signedDate":1764554400000"#
  static let t2 = #""signedDate":1764554400001"#
  static let revoked = #""revocationDate":1764554500000"#

  static let rows = [
    Row(
      testDescription: "a newer replaces as a whole",
      steps: [Step(#"{\#(t1),"price":1,"productId":"a"}"#), Step(#"{\#(t2),"price":2}"#)],
      price: 2),
    Row(
      testDescription: "an older is not applied",
      steps: [
        Step(#"{\#(t2),"price":2}"#),
        Step(#"{\#(t1),"price":1,"productId":"a"}"#, applied: false),
      ], price: 2),
    Row(
      testDescription: "the same again changes nothing",
      steps: [Step(#"{\#(t1),"price":1}"#), Step(#"{\#(t1),"price":1}"#, applied: false)],
      price: 1),
    Row(
      testDescription: "without signedDate only absent fields are filled",
      steps: [Step(#"{\#(t1),"price":1}"#), Step(#"{"price":2,"productId":"a"}"#)], price: 1,
      productId: "a"),
    Row(
      testDescription: "without signedDate and nothing absent: not applied",
      steps: [Step(#"{\#(t1),"price":1}"#), Step(#"{"price":2}"#, applied: false)], price: 1),
    Row(
      testDescription: "two without signedDate fill each other",
      steps: [Step(#"{"price":1}"#), Step(#"{"price":2,\#(revoked)}"#)], price: 1,
      isRevoked: true),
    Row(
      testDescription: "a dated one replaces an undated",
      steps: [Step(#"{"price":1,"productId":"a"}"#), Step(#"{\#(t1),"price":2}"#)], price: 2),
    Row(
      testDescription: "a newer without revocation is a reversal",
      steps: [Step(#"{\#(t1),"price":1,\#(revoked)}"#), Step(#"{\#(t2),"price":1}"#)], price: 1),
    Row(
      testDescription: "the signed one wins over a newer unsigned one, which fills",
      steps: [
        Step(#"{\#(t1),"price":1}"#, signed: true),
        Step(#"{\#(t2),"price":2,"productId":"a"}"#),
      ], price: 1, productId: "a"),
    Row(
      testDescription: "a later signed one wins over what was unsigned",
      steps: [
        Step(#"{\#(t2),"price":2,"productId":"a"}"#),
        Step(#"{\#(t1),"price":1}"#, signed: true),
      ], price: 1, productId: "a"),
    Row(
      testDescription: "an unsigned one doesn't revoke what a signed one didn't",
      steps: [
        Step(#"{\#(t1),"price":1}"#, signed: true), Step(#"{\#(t2),\#(revoked)}"#),
      ], price: 1),
    Row(
      testDescription: "an unsigned one doesn't take a signed revocation back",
      steps: [
        Step(#"{\#(t1),"price":1,\#(revoked)}"#, signed: true), Step(#"{\#(t2),"price":1}"#),
      ], price: 1, isRevoked: true),
    Row(
      testDescription: "signed ones are ordered among themselves",
      steps: [
        Step(#"{\#(t2),"price":2}"#, signed: true),
        Step(#"{\#(t1),"price":1,\#(revoked)}"#, signed: true, applied: false),
      ], price: 2),
  ]

  @Test("Rules of order", arguments: rows)
  func merge(_ row: Row) throws {
    var record = PurchaseRecord(transactionId: "7")
    var applied: [Bool] = []
    var created: [Bool] = []
    for step in row.steps {
      let merge = try record.applying(Samples.payload(step.json), signed: step.isSigned).get()
      record = merge.record
      applied.append(merge.applied)
      created.append(merge.created)
    }
    let purchase = try #require(record.purchase)
    #expect(applied == row.steps.map(\.applied))
    #expect(created == [true, false])
    #expect(purchase.price == row.price && purchase.productId?.string == row.productId)
    #expect((purchase.revocationDate != nil) == row.isRevoked)
  }

  @Test("Facts before the purchase don't count as the purchase")
  func factsFirst() throws {
    var record = PurchaseRecord(transactionId: "7")
    record.deliveryStatus = .delivered
    let merge = try record.applying(Samples.payload("{}"), signed: false).get()
    #expect(merge.created && merge.applied && record.purchase == nil)
    #expect(merge.record.deliveryStatus == .delivered)
    #expect(merge.record.purchase?.environment == "Production" && merge.record.chain == "7")
  }

  @Test("The environment first seen stays, and the id must agree")
  func refusals() throws {
    let sandbox = try Samples.record("7", ["environment": "Sandbox"])
    let unnamed = try Samples.record("7", ["price": "1"])
    let production = try Samples.payload(#"{"environment":"Production"}"#)
    let other = try Samples.payload(#"{"transactionId":"8"}"#)
    let silent = try Samples.payload(#"{"transactionId":"7","price":1}"#)
    #expect(sandbox.applying(production, signed: true) == .failure(.environmentMismatch))
    #expect(
      unnamed.applying(try Samples.payload(#"{"environment":"Sandbox"}"#), signed: false)
        == .failure(.environmentMismatch))
    #expect(sandbox.applying(other, signed: false) == .failure(.idMismatch))
    let merged = try sandbox.applying(silent, signed: false).get()
    #expect(merged.applied && merged.record.purchase?.environment == "Sandbox")
  }

  @Test(
    "The refunded share",
    arguments: [
      (#"{"inAppOwnershipType":"PURCHASED"}"#, "0"),
      (#"{\#(revoked),"revocationType":"REFUND_FULL"}"#, "1"),
      (
        #"{\#(revoked),"revocationType":"REFUND_PRORATED","revocationPercentage":33333}"#, "0.33333"
      ),
      (#"{\#(revoked),"revocationType":"FAMILY_REVOKE","inAppOwnershipType":"PURCHASED"}"#, "0"),
      (#"{\#(revoked),"revocationType":"ASSIGNMENT_REVOKE"}"#, "0"),
      (#"{\#(revoked),"inAppOwnershipType":"PURCHASED"}"#, "1"),
      (#"{\#(revoked),"inAppOwnershipType":"FAMILY_SHARED"}"#, "0"),
    ])
  func refundedShare(_ json: String, _ share: String) throws {
    #expect(try Samples.payload(json).refundedShare.decimal == share)
  }
}
