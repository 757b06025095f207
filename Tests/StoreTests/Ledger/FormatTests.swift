import Foundation
import Testing

@testable import Store

/// A ledger of another release is refused by name, and stays as it is.
struct FormatTests {
  private static let identity = [UInt8](repeating: 1, count: 16)

  @Test(
    arguments: [
      ("PRAGMA user_version=99", "has format 99, of a newer outlay"),
      ("UPDATE meta SET v = x'6300000000000000' WHERE k = 'format'", "has format 99, of a newer"),
      ("UPDATE meta SET v = x'0100000000000000' WHERE k = 'format'", "has format 1; this outlay"),
    ])
  func isNamed(statement: String, words: String) throws {
    let directory = TemporaryDirectory()
    let path = directory.path + "/ledger.db"
    _ = try Ledger(path: path, storeID: Self.identity)
    try Connection(path: path).execute(statement)
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    for open in [
      { _ = try Ledger(path: path, storeID: Self.identity) }, { _ = try LedgerView(path: path) },
    ] {
      let fault = #expect(throws: StoreFault.self) { try open() }
      #expect(fault?.description.contains(words) == true, "\(String(describing: fault))")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test func isMarkedForOtherReleases() throws {
    let directory = TemporaryDirectory()
    let path = directory.path + "/ledger.db"
    _ = try Ledger(path: path, storeID: Self.identity)
    let version = try Connection(path: path).prepare("PRAGMA user_version").onlyInteger()
    #expect(version == Schema.format)
  }
}
