import Foundation
import Metering
import Testing

@testable import Store

/// Verifying compares every table, and finds whatever somebody changed in it, sums and all.
@Suite("Verification of every table") struct EveryTableTests {
  private static let changes = [
    "UPDATE purchase SET bought = bought + 1",
    "UPDATE purchase SET body = substr(body, 1, length(body) - 1)",
    "DELETE FROM purchase WHERE id = (SELECT max(id) FROM purchase)",
    "UPDATE chain SET customer = x'61'",
    "UPDATE consent SET given = 1 - given",
    "UPDATE mark SET through = through + 1",
    "UPDATE refund SET ended = 1 - ended",
    "DELETE FROM seen WHERE at = (SELECT max(at) FROM seen)",
    "UPDATE quarantine SET received = received + 1",
    "INSERT INTO follow_up VALUES (9, x'61', x'', x'', 0)",
    "UPDATE rollup SET due = 5 WHERE due IS NOT NULL",
    "DELETE FROM rollup WHERE kind = 0",
    "DELETE FROM rollup_total",
    "UPDATE filter SET body = zeroblob(length(body))",
    """
    DELETE FROM block WHERE id = (
      SELECT min(block.id) FROM block JOIN run ON run.id = block.id >> 32
      WHERE kind = 0 AND live = 1)
    """,
    "UPDATE quarter_hour SET product = x'78' WHERE slot = (SELECT max(slot) FROM quarter_hour)",
    "UPDATE quarter_hour SET n = n + 1 WHERE slot = (SELECT max(slot) FROM quarter_hour)",
    "UPDATE unattributed SET amount = x'05'",
    "UPDATE point SET value = x'01'",
    "UPDATE meta SET v = zeroblob(length(v)) WHERE k = 'totals'",
  ]

  private static func verify(_ path: String) throws -> Verification {
    try Verification.run(directory: path, disk: LinuxDisk(root: path))
  }

  @Test("finds a change anywhere") func anyChange() throws {
    let image = try StoreImage(seed: 11)
    let whole = try image.copy()
    #expect(try Self.verify(whole.path).differences == [])
    for change in Self.changes {
      let copy = try image.copy()
      let connection = try Connection(path: copy.path + "/ledger.db")
      try connection.execute(change)
      #expect(connection.changes > 0, "\(change)")
      #expect(try Self.verify(copy.path).differenceCount > 0, "\(change)")
      withExtendedLifetime(copy) {}
    }
    withExtendedLifetime(whole) {}
  }

  @Test("leaves nothing behind") func scratch() throws {
    let image = try StoreImage(seed: 11)
    let (copy, scratch) = (try image.copy(), TemporaryDirectory())
    _ = try Verification.run(
      directory: copy.path, disk: LinuxDisk(root: copy.path), scratch: scratch.path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == [])
    withExtendedLifetime((copy, scratch)) {}
  }
}
