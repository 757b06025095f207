import Metering
import Store
import Testing

/// Work that a change leaves is done once, however often it is begun anew.
@Suite struct FollowUpTests {
  private static let text = """
    { meters: { m: { unit: "1" } },
      prices: [{ meter: "m", price: "1", per: "1", currency: "USD" }] }
    """
  private static let count = 1_200

  private static func purchase(_ bought: Int64 = 1_795_900_000_000) throws -> Purchase {
    let payload = """
      {"type":"Auto-Renewable Subscription","productId":"p","purchaseDate":\(bought),
       "expiresDate":1796500000000,"originalTransactionId":"o"}
      """
    return try Purchase(payload: JSONNode.parse(Array(payload.utf8), dialect: .strict))
  }

  private static func products(_ books: Books) throws -> [ByteString: Int128] {
    try books.ask(try books.makeView()) {
      try $0.quarterHours(from: .distantPast, to: .distantFuture)
    }
    .reduce(into: [:]) { $0[$1.product, default: 0] += $1.line.quantity }
    .filter { $0.value != 0 }.mapValues { $0 / 1_000_000_000 }
  }

  private static func standing(_ books: Books) -> Int128 {
    books.totals.byKey.values.reduce(0) { $0 + $1.standing } / 1_000_000_000
  }

  /// More usage than one entry goes through; the disk fails at each write and sync of the change
  /// and its consequences, and the process ends there. What is left goes on after the restart, also
  /// where only the journal knows of it.
  @Test(
    arguments: [
      #""transactionId":"t""#, #""originalTransactionId":"o""#, #""customer":"c""#,
    ], [false, true])
  func itGoesOnAfterARestart(subject: String, flushed: Bool) throws {
    for failure in 0..<6 {
      let scratch = try ScratchBooks()
      let disk = FragileDisk(LinuxDisk(root: scratch.directory))
      var books = try scratch.open(ScratchBooks.load(Self.text), disk: disk)
      let lines = (0..<Self.count).map {
        #"{"id":"\#($0)",\#(subject),"meter":"m","quantity":1}"#
      }
      _ = try ScratchBooks.commit(lines, to: books)
      if subject.contains("customer") {
        _ = try ScratchBooks.tell(.putCustomer(id: "o", customer: "c"), to: books)
      }
      if flushed { try books.close() }
      disk.breaks(after: failure)
      let change = Command.putTransaction(id: "t", payload: try Self.purchase())
      #expect(throws: StoreFault.self) { try ScratchBooks.tell(change, to: books) }
      disk.holds()
      books = try scratch.open(Self.text)
      try books.finishFollowUps(at: ScratchBooks.moment)
      if try books.ask(try books.makeView(), { try $0.record("t") }) == nil {
        _ = try ScratchBooks.tell(change, to: books)
      }
      #expect(try Self.products(books) == ["p": Int128(Self.count)], "failing at \(failure)")
      #expect(
        try ScratchBooks.usage(of: "t", in: books) == ["m": Int128(Self.count) * 1_000_000_000])
      #expect(Self.standing(books) == Int128(Self.count))
      #expect(books.totals.waitingReadings == 0)
    }
  }

  /// What was taken back takes no part, by the path of what waits and by that of what moves.
  @Test(arguments: [false, true]) func voidedEventsStay(flushed: Bool) throws {
    let scratch = try ScratchBooks()
    let books = try scratch.open(Self.text)
    func usage(_ id: String) -> String {
      #"{"id":"\#(id)","originalTransactionId":"o","meter":"m","quantity":1,"#
        + #""time":"2026-11-29T12:00:00Z"}"#
    }
    func settle() throws { if flushed { try books.close() } }
    _ = try ScratchBooks.commit([usage("a"), usage("b")], to: books)
    try settle()
    #expect(try ScratchBooks.send(#"{"id":"va","voids":{"id":"a"}}"#, to: books) == [.accepted])
    try settle()
    let first = Command.putTransaction(id: "t1", payload: try Self.purchase())
    #expect(try ScratchBooks.tell(first, to: books) == .created)
    #expect(try ScratchBooks.usage(of: "t1", in: books) == ["m": 1_000_000_000])
    _ = try ScratchBooks.commit([usage("c"), usage("d")], to: books)
    #expect(try ScratchBooks.send(#"{"id":"vc","voids":{"id":"c"}}"#, to: books) == [.accepted])
    try settle()
    // A later purchase of the chain takes over what is its: b and d, which moves without any other
    // change of theirs.
    let second = Command.putTransaction(id: "t2", payload: try Self.purchase(1_795_910_000_000))
    #expect(try ScratchBooks.tell(second, to: books) == .created)
    #expect(try ScratchBooks.usage(of: "t1", in: books)["m"] ?? 0 == 0)
    #expect(try ScratchBooks.usage(of: "t2", in: books) == ["m": 2_000_000_000])
    // And is taken back from where it went.
    #expect(try ScratchBooks.send(#"{"id":"vb","voids":{"id":"b"}}"#, to: books) == [.accepted])
    #expect(try ScratchBooks.usage(of: "t2", in: books) == ["m": 1_000_000_000])
    #expect(Self.standing(books) == 1)
  }
}
