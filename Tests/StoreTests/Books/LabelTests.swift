import Metering
import Store
import Testing

/// However many products there are, totals are few and figures by product are exact.
@Suite struct LabelTests {
  private static let text = """
    { meters: { m: { unit: "1" } }, products: { p1: { allowance: { m: "1" } } },
      prices: [{ meter: "m", price: "1", per: "1", currency: "USD" }] }
    """
  /// Few labels are known by number at once, so that they are numbered anew all the time.
  private static let options = Books.Options(segmentBytes: 1 << 20, labels: 4)

  private static func purchase(_ number: Int) throws -> Purchase {
    try Purchase(
      payload: JSONNode.parse(
        Array(
          #"{"type":"Consumable","productId":"p\#(number)","purchaseDate":1795900000000}"#.utf8),
        dialect: .strict))
  }

  private static func fill(_ books: Books, order: [Int], batches: Int) throws {
    for part in 0..<batches {
      let batch = IngestBatch()
      var decoder = EventDecoder(key: books.hashKey)
      var steps: [BatchStep] = []
      for number in order where number % batches == part {
        steps.append(
          .command(.putTransaction(id: ByteString("t\(number)"), payload: try purchase(number))))
        let line =
          #"{"id":"\#(number)","transactionId":"t\#(number)","meter":"m","quantity":\#(number)}"#
        Array(line.utf8).withUnsafeBytes { decoder.decodeLine($0, into: batch) }
        steps.append(.events(1))
      }
      _ = try books.commit(batch, steps: steps, at: ScratchBooks.moment)
    }
  }

  private static func costs(_ books: Books) throws -> [ByteString: Int128] {
    try books.ask(try books.makeView()) {
      try $0.quarterHours(from: .distantPast, to: .distantFuture)
    }
    .reduce(into: [:]) { $0[$1.product, default: 0] += $1.line.quantity }
  }

  @Test(arguments: [1, 7]) func anyOrderIsTheSame(batches: Int) throws {
    let numbers = Array(1...50)
    var totals: [[TotalKey: Total]] = []
    for order in [numbers, numbers.reversed()] {
      let scratch = try ScratchBooks()
      var books = try scratch.open(Self.text, options: Self.options)
      try Self.fill(books, order: order, batches: batches)
      totals.append(books.totals.byKey)
      let exact = Dictionary(
        uniqueKeysWithValues: numbers.map { (ByteString("p\($0)"), Int128($0) * 1_000_000_000) })
      #expect(try Self.costs(books) == exact)
      books = try scratch.open(Self.text, options: Self.options)
      #expect(books.totals.byKey == totals.last)
      #expect(try Self.costs(books) == exact)
    }
    #expect(totals[0] == totals[1])
    let standing = totals[0].map { ($0.key.label.product, $0.value.standing) }.filter { $0.1 != 0 }
    #expect(Set(standing.map(\.0)) == ["p1", "_other"])
    let others: Int128 = 1_274_000_000_000
    #expect(standing.filter { $0.0 == "_other" }.map(\.1) == [others])
  }

  /// A product that a reload names takes its part of the standing figures with it, and back.
  @Test func aReloadNamesAProduct() throws {
    let scratch = try ScratchBooks()
    let books = try scratch.open(Self.text, options: Self.options)
    try Self.fill(books, order: [1, 2, 3], batches: 1)
    func standing() -> [ByteString: Int128] {
      books.totals.byKey.reduce(into: [:]) {
        if $1.value.standing != 0 { $0[$1.key.label.product, default: 0] += $1.value.standing }
      }
    }
    let before = standing()
    try books.reload(
      ScratchBooks.load(
        Self.text.replacing("products: {", with: "products: { p2: { allowance: { m: '1' } },")))
    #expect(standing() == ["p1": 1_000_000_000, "p2": 2_000_000_000, "_other": 3_000_000_000])
    #expect(
      try ScratchBooks.send(#"{"id":"v","voids":{"id":"2"}}"#, to: books) == [.accepted])
    #expect(standing() == ["p1": 1_000_000_000, "_other": 3_000_000_000])
    try books.reload(ScratchBooks.load(Self.text))
    #expect(standing() == ["p1": 1_000_000_000, "_other": 3_000_000_000])
    #expect(before["_other"] == 5_000_000_000)
  }
}
