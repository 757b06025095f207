import Metering
import Store
import Testing

/// A backend that goes on with a purchase that was taken back is told so, with the customer.
@Suite struct StopServingTests {
  private static let text = "{ meters: { m: { unit: '1' }, l: { unit: 'By', kind: 'level' } } }"

  private static func payload(_ more: String) throws -> Purchase {
    try Purchase(
      payload: JSONNode.parse(
        Array(#"{"type":"Consumable","purchaseDate":1795900000000\#(more)}"#.utf8),
        dialect: .strict))
  }

  /// Books that know a revoked purchase `t` of the customer `anna`.
  private static func openWithRevoked(_ scratch: ScratchBooks) throws -> Books {
    let books = try scratch.open(Self.text)
    let revoked = #","inAppOwnershipType":"PURCHASED","revocationDate":1795950000000"#
    #expect(
      try ScratchBooks.tell(
        .putTransaction(id: "t", payload: Self.payload(revoked)), to: books) == .created)
    #expect(
      try ScratchBooks.tell(.putCustomer(id: "t", customer: "anna"), to: books) == .stored)
    return books
  }

  @Test(arguments: [
    (#""transactionId":"t""#, "anna", ["t"]), (#""originalTransactionId":"t""#, "anna", ["t"]),
    (#""customer":"anna""#, "anna", ["t"]), (#""transactionId":"other""#, "anna", []),
  ])
  func aRevokedPurchaseIsNamed(subject: String, customer: String, named: [String]) throws {
    let scratch = try ScratchBooks()
    let books = try Self.openWithRevoked(scratch)
    let result = try ScratchBooks.commit(
      [#"{"id":"1",\#(subject),"meter":"m","quantity":1}"#], to: books)
    #expect(
      result.stopServing[0] ?? []
        == named.map {
          RevokedPurchase(transactionId: ByteString($0), customer: ByteString(customer))
        })
  }

  /// The answer to the first sending may have been lost, and the purchase revoked since then.
  @Test(
    "usage that isn't booked now names it too",
    arguments: [#""transactionId":"t""#, #""originalTransactionId":"t""#],
    [
      (#""id":"1","meter":"m","quantity":1"#, Verdict.duplicate),
      (#""id":"1","meter":"m","quantity":2"#, .conflict),
      (#""id":"2","meter":"other","quantity":1"#, .rejected(.unknownMeter)),
    ])
  func refusedUsage(subject: String, sent: (String, Verdict)) throws {
    let scratch = try ScratchBooks()
    let books = try Self.openWithRevoked(scratch)
    _ = try ScratchBooks.commit([#"{"id":"1",\#(subject),"meter":"m","quantity":1}"#], to: books)
    let result = try ScratchBooks.commit([#"{\#(subject),\#(sent.0)}"#], to: books)
    #expect(Array(result.verdicts) == [sent.1])
    #expect(result.stopServing[0] == [RevokedPurchase(transactionId: "t", customer: "anna")])
  }

  private static let told = [RevokedPurchase(transactionId: "t", customer: "anna")]

  /// What is malformed names it as well as what is in order.
  @Test(arguments: [
    #"{"id":"1","transactionId":"t","meter":"m"}"#,
    #"{"id":"1","originalTransactionId":"t","meter":"m","quantity":-1}"#,
    #"{"id":"1","transactionId":"t","meter":"m","quantity":1,"more":1}"#,
    #"{"transactionId":"t","meter":"m","quantity":1}"#,
  ])
  func malformed(line: String) throws {
    let scratch = try ScratchBooks()
    let books = try Self.openWithRevoked(scratch)
    let result = try ScratchBooks.commit([line], to: books)
    #expect(result.stopServing[0] == Self.told)
    guard case .rejected = result.verdicts[0] else {
      Issue.record("taken")
      return
    }
  }

  /// A customer's usage was booked to it: told again with each sending.
  @Test(arguments: ["m", "l"], [false, true])
  func aCustomersEventAgain(meter: String, flushed: Bool) throws {
    let scratch = try ScratchBooks()
    let books = try Self.openWithRevoked(scratch)
    func line(_ quantity: Int) -> String {
      #"{"id":"1","customer":"anna","meter":"\#(meter)","quantity":\#(quantity)}"#
    }
    for (quantity, verdict) in [(1, Verdict.accepted), (1, .duplicate), (2, .conflict)] {
      let result = try ScratchBooks.commit([line(quantity)], to: books)
      #expect(Array(result.verdicts) == [verdict])
      #expect(result.stopServing[0] == Self.told, "\(verdict)")
      if flushed { try books.close() }
    }
    // Both sendings in one batch.
    let both = try ScratchBooks.commit(
      [2, 2].map { line($0).replacing(#""1""#, with: #""2""#) }, to: books)
    #expect(Array(both.verdicts) == [.accepted, .duplicate])
    #expect([both.stopServing[0], both.stopServing[1]] == [Self.told, Self.told])
  }

  /// What was booked to another purchase names none.
  @Test func anothersEventAgain() throws {
    let scratch = try ScratchBooks()
    let books = try Self.openWithRevoked(scratch)
    let line = #"{"id":"1","customer":"ben","meter":"m","quantity":1}"#
    for _ in 0..<2 { #expect(try ScratchBooks.commit([line], to: books).stopServing.isEmpty) }
  }
}
