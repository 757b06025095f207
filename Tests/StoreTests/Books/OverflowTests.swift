import Metering
import Store
import Testing

/// Each guard against a total that would not fit, by itself.
@Suite struct OverflowTests {
  /// One reading of the largest quantity takes more than half of what a total holds.
  private static let text = """
    { meters: { m: { unit: "1", units: { huge: "100000000000" } }, n: { unit: "1" } } }
    """

  private static func reading(_ quantity: String = "999999999999999999") -> String {
    #"{"meter":"m","quantity":"\#(quantity)","unit":"huge"}"#
  }

  private static func line(_ id: String, _ readings: String...) -> String {
    #"{"id":"\#(id)","transactionId":"t","usage":[\#(readings.joined(separator: ","))]}"#
  }

  @Test func anEventsOwnSum() throws {
    let scratch = try ScratchBooks()
    let books = try scratch.open(Self.text)
    let small = #"{"meter":"n","quantity":1}"#
    let line = Self.line("a", small, Self.reading(), Self.reading())
    #expect(try ScratchBooks.send(line, to: books) == [.rejected(.overflow)])
    #expect(try ScratchBooks.usage(of: "t", in: books).isEmpty)
    // Nothing of it was reserved, and its id isn't burnt.
    #expect(try ScratchBooks.send(Self.line("a", Self.reading()), to: books) == [.accepted])
  }

  @Test(arguments: [false, true]) func aMetersTotal(restarted: Bool) throws {
    let scratch = try ScratchBooks()
    var books = try scratch.open(Self.text)
    #expect(try ScratchBooks.send(Self.line("a", Self.reading()), to: books) == [.accepted])
    if restarted { books = try scratch.open(Self.text) }
    let other = Self.line("b", Self.reading()).replacing(#""t""#, with: #""u""#)
    #expect(try ScratchBooks.send(other, to: books) == [.rejected(.overflow)])
    // What was taken back may still be summed with others of its kind.
    #expect(try ScratchBooks.send(#"{"id":"v","voids":{"id":"a"}}"#, to: books) == [.accepted])
    #expect(try ScratchBooks.send(other, to: books) == [.rejected(.overflow)])
    #expect(
      try ScratchBooks.send(Self.line("b", Self.reading("500000000000000000")), to: books)
        == [.accepted])
    #expect(
      try ScratchBooks.send(Self.line("c", #"{"meter":"n","quantity":1}"#), to: books)
        == [.accepted])
  }

  @Test func inOneBatch() throws {
    let scratch = try ScratchBooks()
    let books = try scratch.open(Self.text)
    let lines = ["a", "b"].map { Self.line($0, Self.reading()) }
    #expect(
      Array(try ScratchBooks.commit(lines, to: books).verdicts)
        == [.accepted, .rejected(.overflow)])
  }

  /// One reading whose unit alone makes it too large.
  @Test func aUnitsFactor() throws {
    let scratch = try ScratchBooks()
    let books = try scratch.open(
      Self.text.replacing("100000000000", with: "999999999999999999"))
    #expect(
      try ScratchBooks.send(Self.line("a", Self.reading()), to: books) == [.rejected(.overflow)])
  }
}
