import Metering
import Store
import Testing

/// Gauges are what the books say, also where usage is corrected under other prices than it came.
@Suite("Gauges after corrections") struct GaugeTests {
  private static let meters = """
    { meters: { gpu: { unit: "s" }, disk: { unit: "By", kind: "level" } },
      prices: [PRICE],
      products: { "p": { allowance: { gpu: "10" } } } }
    """
  private static let late = price(#", from: "2026-11-29T12:00:00Z""#)
  private static let early = price(#", from: "2026-11-01T00:00:00Z""#)

  private static func price(_ from: String) -> String {
    meters.replacing(
      "PRICE", with: #"{ meter: "gpu", price: "2", per: "1", currency: "USD"\#(from) }"#)
  }

  private static func told(_ books: Books) -> [String: String] {
    books.totals.gauges.mapValues(\.description)
  }

  @Test("a void takes back at the rate that counts now", arguments: [false, true])
  func void(isFlushed: Bool) throws {
    let scratch = try ScratchBooks()
    var books = try scratch.open(Self.late)
    for id in ["a", "b"] {
      let line =
        #"{"id":"\#(id)","transactionId":"1","meter":"gpu","quantity":10,"#
        + #""time":"2026-11-28T12:00:00Z"}"#
      #expect(try ScratchBooks.send(line, to: books) == [.accepted])
    }
    #expect(Self.told(books) == ["unpriced gpu": "20"])
    if isFlushed { try books.close() }
    try books.reload(ScratchBooks.load(Self.early))
    #expect(Self.told(books) == ["cost gpu USD  unknown": "40"])
    let void = #"{"id":"v","voids":{"source":"","id":"a"}}"#
    #expect(try ScratchBooks.send(void, to: books) == [.accepted])
    #expect(Self.told(books) == ["cost gpu USD  unknown": "20"])
    #expect(try books.gaugeFaults() == [])
    books = try scratch.open(Self.early)
    #expect(Self.told(books) == ["cost gpu USD  unknown": "20"])
    #expect(try books.gaugeFaults() == [])
  }

  @Test("a late purchase takes over, and a chain's usage moves, at the rate that counts now")
  func takeOver() throws {
    let scratch = try ScratchBooks()
    let books = try scratch.open(Self.late)
    for subject in [#""transactionId":"7""#, #""originalTransactionId":"7""#] {
      let line =
        #"{"id":"\#(subject.count)",\#(subject),"meter":"gpu","quantity":3,"#
        + #""time":"2026-11-28T12:00:00Z"}"#
      #expect(try ScratchBooks.send(line, to: books) == [.accepted])
    }
    try books.reload(ScratchBooks.load(Self.early))
    let text = """
      {"productId":"p","type":"Consumable","environment":"Production",
      "inAppOwnershipType":"PURCHASED","purchaseDate":1795500000000,"price":9990,"currency":"USD"}
      """
    let payload = try Purchase(payload: JSONNode.parse(Array(text.utf8), dialect: .strict))
    _ = try ScratchBooks.tell(.putTransaction(id: "7", payload: payload), to: books)
    #expect(Self.told(books) == ["cost gpu USD p Production": "12"])
    #expect(try books.gaugeFaults() == [])
  }

  @Test("an opening balance is replaced at the rate that counts now") func opening() throws {
    let desk = try LifeDesk(
      meters: #"meters: { gpu: { unit: "s" } }, prices: [{ meter: "gpu", price: "2", per: "1", "#
        + #"currency: "USD" }],"#)
    func open(_ quantity: String, at day: Double) throws {
      let usage = ByteString(#"[{"meter":"gpu","quantity":"\#(quantity)"}]"#)
      try desk.run(.putOpening(id: "1", until: LifeDesk.day(1), usage: usage), at: day)
    }
    try open("5", at: 2)
    try desk.reload(
      #"prices: [{ meter: "gpu", price: "3", per: "1", currency: "USD", from: "\#(LifeDesk.day(0))""#
        + " }],", meters: #"meters: { gpu: { unit: "s" } },"#)
    #expect(desk.totals.gauges.mapValues(\.description) == ["cost gpu USD  unknown": "15"])
    try open("4", at: 3)
    #expect(desk.totals.gauges.mapValues(\.description) == ["cost gpu USD  unknown": "12"])
  }
}
