import Foundation
import Metering
import Testing

@testable import Store

/// With the configuration at hand, verifying reckons again what gauges tell.
@Suite("Verification of figures") struct FigureVerificationTests {
  /// Three purchases with usage, all rolled up and flushed.
  private static func desk() throws -> RollupDesk {
    let desk = try RollupDesk()
    for (number, id) in (["1", "2", "3"] as [ByteString]).enumerated() {
      try desk.put(id)
      try desk.send(
        #"{"id":"e\#(number)","transactionId":"\#(id)","meter":"credits","quantity":\#(number + 1)}"#
      )
    }
    try desk.settle()
    try desk.flush()
    try desk.settle()
    return desk
  }

  private static func verify(
    _ desk: RollupDesk, under configuration: Configuration?
  ) throws -> Verification {
    try Verification.run(
      directory: desk.scratch.directory, disk: LinuxDisk(root: desk.scratch.directory),
      configuration: configuration)
  }

  @Test("agrees") func agrees() throws {
    let desk = try Self.desk()
    let found = try Self.verify(desk, under: desk.configuration)
    #expect(found.differences == [])
    #expect(found.figures == 3)
  }

  @Test("takes the configuration that the store is kept under") func another() throws {
    let desk = try Self.desk()
    #expect(try Self.verify(desk, under: nil).figures == nil)
    let other = try ScratchBooks.load(RollupDesk.text.replacingOccurrences(of: "5000", with: "9"))
    #expect(try Self.verify(desk, under: other).figures == nil)
  }

  /// The rollup tells of memory too, which the ledger doesn't cover yet: no difference at all.
  @Test("waits for a store at rest") func atWork() throws {
    let desk = try Self.desk()
    try desk.send(#"{"id":"later","transactionId":"1","meter":"credits","quantity":9}"#)
    try desk.settle()
    let found = try Self.verify(desk, under: desk.configuration)
    #expect(found.differences == [])
    #expect(found.figures == nil)
  }

  /// Rows that change places leave all sums of the rollup as they are.
  @Test("finds figures that are another purchase's") func swapped() throws {
    let desk = try Self.desk()
    let connection = try Connection(path: desk.scratch.directory + "/ledger.db")
    for (from, to) in [("1", "x"), ("2", "1"), ("x", "2")] {
      let statement = try connection.prepare("UPDATE rollup SET subject = ? WHERE subject = ?")
      statement.bind(1, ByteString(to))
      statement.bind(2, ByteString(from))
      try statement.run()
    }
    let found = try Self.verify(desk, under: desk.configuration)
    #expect(found.differenceCount == 2, "\(found.differences)")
    #expect(try Self.verify(desk, under: nil).differences == [])
  }

  @Test("finds figures that are missing") func missing() throws {
    let desk = try Self.desk()
    try Connection(path: desk.scratch.directory + "/ledger.db").execute(
      "DELETE FROM rollup; DELETE FROM rollup_total")
    let found = try Self.verify(desk, under: desk.configuration)
    #expect(found.differenceCount == 3, "\(found.differences)")
    #expect(try Self.verify(desk, under: nil).differences == [])
  }

  @Test("finds a gauge that tells another figure than the books") func gauge() throws {
    let desk = try Self.desk()
    let connection = try Connection(path: desk.scratch.directory + "/ledger.db")
    let meta = Meta(connection)
    var totals = try #require(try meta.value("totals").flatMap { Totals(encoded: $0) })
    let keys = totals.byKey.keys.filter { totals.byKey[$0]?.standing != 0 }
    let key = try #require(keys.first)
    totals.byKey[key]?.standing += 1_000_000_000
    try meta.set("totals", totals.encode())
    let found = try Self.verify(desk, under: desk.configuration)
    #expect(
      found.differences.contains { $0.hasPrefix("a gauge of credits") }, "\(found.differences)")
  }
}
