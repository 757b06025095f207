import Foundation
import Metering
import Synchronization
import Testing

@testable import Store

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
        "{ meters: { m: { unit: '1' } } }", options: Books.Options(memtableEvents: 3)))
    let view = try shared.books.makeView()
    let writer = Thread {
      for number in 0..<400 {
        let lines = ["a", "b"].map {
          #"{"id":"\#($0)\#(number)","transactionId":"\#($0)","meter":"m","quantity":1}"#
        }
        do { _ = try ScratchBooks.commit(lines, to: shared.books) } catch { Issue.record(error) }
        if number % 3 == 2 { _ = try? shared.books.flush() }
      }
    }
    writer.start()
    var torn = 0
    var last: Int128 = -1
    while last < 400_000_000_000 {
      let (first, second, singles) = try shared.books.ask(view) { snapshot in
        (
          try snapshot.usage(of: "a").first?.quantity ?? 0,
          try snapshot.usage(of: "b").first?.quantity ?? 0,
          try snapshot.readings(bookedTo: "a").reduce(0) { $0 + $1.line.quantity }
        )
      }
      if first != second || first != singles { torn += 1 }
      #expect(first >= last)
      last = first
    }
    #expect(torn == 0)
  }

  /// A question that lets the writer commit between any two of its looks, whatever it tries: were
  /// the writer kept waiting, neither would ever go on.
  @Test func theWriterNeverWaitsForAQuestion() throws {
    let scratch = try ScratchBooks()
    let shared = Shared(
      books: try scratch.open("{ meters: { m: { unit: '1' }, l: { unit: 'By', kind: 'level' } } }"))
    let view = try shared.books.makeView()
    let (asked, told) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let ended = Atomic(false)
    Thread {
      var number = 0
      while true {
        asked.wait()
        if ended.load(ordering: .acquiring) { return }
        number += 1
        let lines = ["a", "b"].flatMap {
          [
            #"{"id":"\#($0)\#(number)","transactionId":"\#($0)","meter":"m","quantity":1}"#,
            #"{"id":"l\#($0)\#(number)","transactionId":"\#($0)","meter":"l","quantity":\#(number)}"#,
          ]
        }
        do { _ = try ScratchBooks.commit(lines, to: shared.books) } catch { Issue.record(error) }
        told.signal()
      }
    }.start()
    func commit() {
      asked.signal()
      told.wait()
    }
    commit()
    var tries = 0
    let counts = try shared.books.ask(view) { snapshot in
      tries += 1
      var counts: [Int] = []
      for id: ByteString in ["a", "b"] {
        counts.append(Int(try snapshot.usage(of: id).first?.count ?? 0))
        commit()
        counts.append(try snapshot.readings(bookedTo: id).count)
        commit()
        counts.append(
          Int((try snapshot.levels(of: id).first?.points.last?.value ?? 0) / 1_000_000_000))
        commit()
      }
      return counts
    }
    ended.store(true, ordering: .releasing)
    asked.signal()
    // The first finds out what is looked for, the second finds it at one boundary: six commits
    // later.
    #expect(tries == 2)
    #expect(counts == Array(repeating: 7, count: 6))
  }

  /// A question ends where its time is over, between two looks of any try.
  @Test func aQuestionEndsWhenItHasTo() throws {
    struct Over: EndedQuestion {}
    let scratch = try ScratchBooks()
    let books = try scratch.open("{ meters: { m: { unit: '1' } } }")
    for id in 0..<8 {
      let line = #"{"id":"\#(id)","transactionId":"a","meter":"m","quantity":1}"#
      _ = try ScratchBooks.commit([line], to: books)
    }
    let view = try books.makeView()
    func pace(most: Int) -> () throws -> Void {
      var steps = 0
      return {
        steps += 1
        if steps > most { throw Over() }
      }
    }
    // A try's begin, and a frame for each event.
    let whole = try books.ask(view, pace: pace(most: 9)) { try $0.readings(bookedTo: "a").count }
    #expect(whole == 8)
    #expect(throws: Over.self) {
      try books.ask(view, pace: pace(most: 8)) { try $0.readings(bookedTo: "a").count }
    }
  }

  /// Tables that were taken down before the last was frozen lack what came since.
  @Test func aTryWithoutTheNewestTableCountsForNothing() {
    let (old, new) = (Memtable(after: 0, capacity: 4), Memtable(after: 0, capacity: 4))
    var active = old
    let looks = BoundaryLooks(lock: StoreLock()) { active }
    looks.begin([old], last: old)
    #expect(looks.isWhole)
    active = new
    looks.begin([old], last: old)
    #expect(!looks.isWhole)
    looks.begin([old, new], last: new)
    #expect(looks.isWhole)
  }
}
