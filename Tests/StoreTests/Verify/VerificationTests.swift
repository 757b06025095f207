import Foundation
import Metering
import Store
import Testing

@Suite("Verification") struct VerificationTests {
  /// A store that has been through a random history: voids, late purchases, customers, merges.
  private static func store(seed: UInt64) throws -> (subject: BooksSubject, directory: String) {
    let world = World(base: HistoryTests.base)
    let subject = try BooksSubject(
      world.configuration, now: HistoryTests.base + Calendar.hour,
      options: Books.Options(memtableEvents: 32, segmentBytes: 1 << 20))
    var history = try History(subject: subject, seed: seed, world: world)
    try history.run(steps: 60)
    #expect(history.faults == [])
    try subject.restart(killing: false)
    return (subject, subject.directory)
  }

  private static func verify(_ directory: String, sumsAtOnce: Int) throws -> Verification {
    try Verification.run(
      directory: directory, disk: LinuxDisk(root: directory), sumsAtOnce: sumsAtOnce)
  }

  @Test("agrees with the books, in one pass and in many", arguments: [1_000_000, 20])
  func agrees(sumsAtOnce: Int) throws {
    let (subject, directory) = try Self.store(seed: Chance.seed)
    let found = try Self.verify(directory, sumsAtOnce: sumsAtOnce)
    #expect(found.differences == [])
    #expect(found.events > 50 && found.sums > 20)
    withExtendedLifetime(subject) {}
  }

  @Test(
    "finds what was changed",
    arguments: [
      "UPDATE quarter_hour SET n = n + 1 WHERE slot = (SELECT min(slot) FROM quarter_hour)",
      "DELETE FROM run WHERE kind = 1 AND id = (SELECT max(id) FROM run WHERE kind = 1)",
      "DELETE FROM point",
      "UPDATE unattributed SET q = x'01'",
    ])
  func finds(change: String) throws {
    // A history that ends with rows in every table: not each one does.
    let (subject, directory) = try Self.store(seed: 1)
    try Connection(path: directory + "/ledger.db").execute(change)
    let found = try Self.verify(directory, sumsAtOnce: 1_000_000)
    #expect(found.differenceCount > 0)
    withExtendedLifetime(subject) {}
  }

  @Test("refuses a directory without a store") func refuses() throws {
    let directory = NSTemporaryDirectory() + "outlay-verify-\(UUID().uuidString)"
    try LinuxDisk.makeRoot(directory)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    #expect(throws: (any Error).self) { try Self.verify(directory, sumsAtOnce: 1) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
  }
}
