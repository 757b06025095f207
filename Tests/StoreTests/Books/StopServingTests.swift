import Metering
import Store
import Testing

/// A backend that goes on with a purchase that was taken back is told so, with the customer.
@Suite struct StopServingTests {
  private static let text = "{ meters: { m: { unit: '1' } } }"

  private static func payload(_ more: String) throws -> Purchase {
    try Purchase(
      payload: JSONNode.parse(
        Array(#"{"type":"Consumable","purchaseDate":1795900000000\#(more)}"#.utf8),
        dialect: .strict))
  }

  @Test(arguments: [
    (#""transactionId":"t""#, "anna", ["t"]), (#""originalTransactionId":"t""#, "anna", ["t"]),
    (#""customer":"anna""#, "anna", ["t"]), (#""transactionId":"other""#, "anna", []),
  ])
  func aRevokedPurchaseIsNamed(subject: String, customer: String, named: [String]) throws {
    let scratch = try ScratchBooks()
    let books = try scratch.open(Self.text)
    let revoked = #","inAppOwnershipType":"PURCHASED","revocationDate":1795950000000"#
    #expect(
      try ScratchBooks.tell(
        .putTransaction(id: "t", payload: Self.payload(revoked)), to: books) == .created)
    #expect(
      try ScratchBooks.tell(.putCustomer(id: "t", customer: "anna"), to: books) == .stored)
    let result = try ScratchBooks.commit(
      [#"{"id":"1",\#(subject),"meter":"m","quantity":1}"#], to: books)
    #expect(
      result.stopServing[0] ?? []
        == named.map {
          RevokedPurchase(transactionId: ByteString($0), customer: ByteString(customer))
        })
  }
}
