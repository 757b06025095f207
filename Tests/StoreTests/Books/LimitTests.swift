import Foundation
import Metering
import Store
import Testing

/// What comes in is bounded by what it makes: the largest of everything, on each way it can take.
@Suite struct LimitTests {
  @Test func boundsFitEachOther() {
    #expect(StoreLimits.boundFaults.isEmpty)
  }

  // MARK: One large event

  /// The meter declares half of the attributes, so that both kinds are there.
  private static let text = """
    { meters: { m: { unit: "1", attributes: [\((0..<8).map { "\"\(key($0))\"" }
      .joined(separator: ","))] },
      l: { unit: "1", kind: "level" } },
      prices: [{ meter: "m", price: "0.000000000000000007", per: "3", currency: "USD" }] }
    """

  private static func key(_ number: Int) -> String {
    "k\(number)-" + String(repeating: "k", count: 25)
  }

  /// An event of nearly the longest text: so many readings, each a series of its own.
  private static func line(
    _ id: String, _ subject: String, readings: Int = 64, attributes: Int = 16, valueBytes: Int = 16
  ) -> String {
    let usage = (0..<readings).map { reading in
      let attributes = (0..<attributes).map { number in
        let value = "\(reading)-" + String(repeating: "v", count: valueBytes)
        return #""\#(key(number))":"\#(value)""#
      }
      return #"{"meter":"m","quantity":"999999999999999999.999999999","attributes":{"#
        + attributes.joined(separator: ",")
        + #"},"cost":{"amount":"999999999999999999.999999999999999","currency":"EUR"}}"#
    }
    return #"{"id":"\#(id)",\#(subject),"usage":[\#(usage.joined(separator: ","))]}"#
  }

  private static let product = String(repeating: "p", count: 1_024)

  private static func purchase(_ more: String = "") throws -> Purchase {
    try Purchase(
      payload: JSONNode.parse(
        Array(
          """
          {"type":"Consumable","productId":"\(product)","purchaseDate":1795900000000,
           "inAppOwnershipType":"PURCHASED","originalTransactionId":"o"\(more)}
          """.utf8), dialect: .strict))
  }

  /// Taken, taken over by a late purchase with the longest product id, voided, and the same after
  /// restarts in between.
  @Test(arguments: [
    #""transactionId":"t""#, #""originalTransactionId":"o""#,
    #""customer":"\#(String(repeating: "c", count: 256))""#,
  ])
  func theLargestEvent(subject: String) throws {
    let scratch = try ScratchBooks()
    var books = try scratch.open(Self.text)
    let line = Self.line("e", subject)
    #expect(line.utf8.count > 60_000 && line.utf8.count <= Limits.eventBytes)
    #expect(try ScratchBooks.send(line, to: books) == [.accepted])
    if subject.contains("customer") {
      let customer = ByteString(String(repeating: "c", count: 256))
      #expect(
        try ScratchBooks.tell(.putCustomer(id: "o", customer: customer), to: books) == .stored)
    }
    books = try scratch.open(Self.text)
    #expect(
      try ScratchBooks.tell(.putTransaction(id: "t", payload: Self.purchase()), to: books)
        == .created)
    let all = 64 * (Int128(1_000_000_000_000_000_000) * 1_000_000_000 - 1)
    #expect(try ScratchBooks.usage(of: "t", in: books) == ["m": all])
    try books.close()
    books = try scratch.open(Self.text)
    #expect(try ScratchBooks.send(line, to: books) == [.duplicate])
    #expect(try ScratchBooks.send(#"{"id":"v","voids":{"id":"e"}}"#, to: books) == [.accepted])
    books = try scratch.open(Self.text)
    #expect(try ScratchBooks.usage(of: "t", in: books).values.allSatisfy { $0 == 0 })
  }

  /// What a request body may hold and a line may not.
  @Test func longerEventsAreRefusedByTheirLimit() throws {
    let scratch = try ScratchBooks()
    let books = try scratch.open(Self.text)
    let large = Self.line("e", #""transactionId":"t""#, readings: 32, valueBytes: 250)
    #expect(large.utf8.count > 140_000)
    let batch = IngestBatch()
    var decoder = EventDecoder(key: books.hashKey)
    let body = "[\(large),\(Self.line("f", #""transactionId":"t""#))]"
    let count = try Array(body.utf8).withUnsafeBytes { try decoder.decodeBody($0, into: batch) }
    let result = try books.commit(batch, steps: [.events(count)], at: ScratchBooks.moment)
    #expect(Array(result.verdicts) == [.rejected(.tooLarge), .accepted])
  }

  /// A text of exactly the limit, and one byte more.
  @Test(arguments: [(0, Verdict.accepted), (1, .rejected(.tooLarge))])
  func theLimitItself(more: Int, verdict: Verdict) throws {
    let scratch = try ScratchBooks()
    let books = try scratch.open(Self.text)
    let line = #"{"id":"e","transactionId":"t","meter":"m","quantity":1}"#
    let blanks = String(repeating: " ", count: Limits.eventBytes + more - line.utf8.count)
    #expect(try ScratchBooks.send(blanks + line, to: books) == [verdict])
  }

  // MARK: Many

  /// A batch that makes more than an entry holds becomes several, each durable by itself, and all
  /// of them are answered as one.
  @Test func aBatchIsCutByWhatItMakes() throws {
    let scratch = try ScratchBooks()
    let options = Books.Options(segmentBytes: 1 << 20)
    var books = try scratch.open(Self.text, options: options)
    let usage = (0..<3).map {
      #"{"meter":"m","quantity":1,"attributes":{"\#(Self.key(0))":"\#($0)"}}"#
    }.joined(separator: ",")
    let count = 6_000
    let lines = (0..<count).map {
      #"{"id":"\#($0)","transactionId":"t\#($0)","usage":[\#(usage)]}"#
    }
    #expect(try ScratchBooks.commit(lines, to: books).verdicts.allSatisfy { $0 == .accepted })
    let before = books.totals
    let voids = (0..<count).map { #"{"id":"v\#($0)","voids":{"id":"\#($0)"}}"# }
    let result = try ScratchBooks.commit(voids, to: books)
    #expect(result.verdicts.count == count)
    #expect(result.verdicts.allSatisfy { $0 == .accepted })
    #expect(books.totals.accepted == before.accepted + UInt64(count))
    let totals = books.totals
    books = try scratch.open(Self.text, options: options)
    #expect(books.totals == totals)
    #expect(totals.byKey.values.allSatisfy { $0.standing == 0 })
    #expect(try ScratchBooks.commit(voids, to: books).verdicts.allSatisfy { $0 == .duplicate })
  }

  /// Follow-up work is cut likewise: much usage of many series meets its purchase late.
  @Test(arguments: [#""transactionId":"t""#, #""originalTransactionId":"o""#])
  func muchUsageBeforeItsPurchase(subject: String) throws {
    let scratch = try ScratchBooks()
    let options = Books.Options(segmentBytes: 2 << 20)
    var books = try scratch.open(Self.text, options: options)
    let lines = (0..<40).map { Self.line("\($0)", subject, attributes: 10, valueBytes: $0) }
    #expect(try ScratchBooks.commit(lines, to: books).verdicts.allSatisfy { $0 == .accepted })
    #expect(
      try ScratchBooks.tell(.putTransaction(id: "t", payload: Self.purchase()), to: books)
        == .created)
    let all = 40 * 64 * (Int128(1_000_000_000_000_000_000) * 1_000_000_000 - 1)
    #expect(try ScratchBooks.usage(of: "t", in: books) == ["m": all])
    let quarterHours = try books.ask(try books.makeView()) {
      try $0.quarterHours(from: .distantPast, to: .distantFuture)
    }
    let byProduct = Dictionary(grouping: quarterHours, by: \.product).mapValues {
      $0.reduce(0) { $0 + $1.line.quantity }
    }
    #expect(byProduct.filter { $0.value != 0 } == [ByteString(Self.product): all])
    let totals = books.totals
    books = try scratch.open(Self.text, options: options)
    #expect(books.totals == totals)
  }

}
