import Foundation
import Metering
import Store
import Testing

@Suite struct BoundaryTests {
  /// Books that one thread writes and another asks.
  private struct Shared: @unchecked Sendable {
    // Unchecked: books may be shared so.
    let books: Books
  }

  /// Both transactions always have used the same, however often a question looks.
  @Test func aQuestionStandsBetweenTwoEntries() throws {
    let scratch = try ScratchBooks()
    let shared = Shared(
      books: try scratch.open(
        "{ meters: { m: { unit: '1' } } }", options: Books.Options(memtableEvents: 64)))
    let view = try shared.books.makeView()
    let writer = Thread {
      for number in 0..<400 {
        let lines = ["a", "b"].map {
          #"{"id":"\#($0)\#(number)","transactionId":"\#($0)","meter":"m","quantity":1}"#
        }
        do { _ = try ScratchBooks.commit(lines, to: shared.books) } catch { Issue.record(error) }
        if number % 100 == 99 { _ = try? shared.books.flush() }
      }
    }
    writer.start()
    var torn = 0
    var last: Int128 = -1
    while last < 400_000_000_000 {
      let (first, second) = try shared.books.ask(view) { layers in
        (
          try layers.usage(of: "a").first?.quantity ?? 0,
          try layers.usage(of: "b").first?.quantity ?? 0
        )
      }
      if first != second { torn += 1 }
      #expect(first >= last)
      last = first
    }
    #expect(torn == 0)
  }
}
