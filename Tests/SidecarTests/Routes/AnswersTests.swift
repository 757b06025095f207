import Metering
import Sidecar
import Testing
import Wire

@Suite("Answers to questions")
struct AnswersTests {
  private func answer(_ reading: FakeQueries, _ question: Question) -> HTTPResponse {
    Answers(
      reading: reading, configuration: testConfiguration(), now: at("2026-11-30T00:00:00Z")
    ).answer(question)
  }

  @Test(
    "unknown and unreadable",
    arguments: [
      (Question.transaction("7"), false, "404 unknown_transaction"),
      (.consumption("7"), false, "404 unknown_transaction"),
      (.subscription("7"), false, "404 unknown_transaction"),
      (.customer("u"), false, "200"), (.transaction("7"), true, "503 store_unavailable"),
    ])
  func unknown(_ question: Question, fails: Bool, _ expected: String) {
    var reading = FakeQueries()
    reading.fails = fails
    #expect(summary(answer(reading, question)) == expected)
  }

  @Test("pages end where they end, with and without a filter")
  func pages() throws {
    var reading = FakeQueries()
    for number in 1...7 {
      let revoked = number % 3 == 0 ? ",\"revocationDate\":1780000000000" : ""
      try reading.put(
        ByteString("t\(number)"),
        """
        {"productId":"p","type":"Consumable","inAppOwnershipType":"PURCHASED",
        "purchaseDate":1770000000000\(revoked)}
        """)
    }
    #expect(
      try walk(reading, state: nil, limit: 3) == [["t1", "t2", "t3"], ["t4", "t5", "t6"], ["t7"]])
    #expect(
      try walk(reading, state: nil, limit: 7) == [["t1", "t2", "t3", "t4", "t5", "t6", "t7"]])
    #expect(try walk(reading, state: .refunded, limit: 1) == [["t3"], ["t6"], []])
    #expect(try walk(reading, state: .refunded, limit: 2) == [["t3", "t6"], []])
    #expect(try walk(reading, state: .grace, limit: 2) == [[]])
  }

  /// The ids of all pages, following each `next`.
  private func walk(
    _ reading: FakeQueries, state: PurchaseState?, limit: Int
  ) throws -> [[String]] {
    var pages: [[String]] = []
    var cursor: ByteString?
    repeat {
      let page = answer(
        reading, .transactions(TransactionsQuestion(state: state, limit: limit, after: cursor)))
      let node = try JSONNode.parse(page.body, dialect: .strict)
      let items = try #require(node["items"]?.elements)
      pages.append(items.compactMap { $0["transactionId"]?.string?.string })
      cursor = try node["next"]?.string.map { try #require(PageCursor.decode($0)) }
    } while cursor != nil && pages.count < 20
    return pages
  }

  @Test(
    "cursors survive any id",
    arguments: [
      [0x20], [0xFF, 0xFE], Array("0123456789".utf8), [UInt8](repeating: 0x7A, count: 256),
    ]
  )
  func cursors(_ id: [UInt8]) {
    let text = PageCursor.encode(ByteString(id))
    #expect(PageCursor.decode(ByteString(text)) == ByteString(id))
    #expect(text.utf8.allSatisfy { $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "/") })
  }
}
