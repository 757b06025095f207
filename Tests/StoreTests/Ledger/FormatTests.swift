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

  @Test("takes a new ledger's first page that was written in part for damage")
  func isNewAndTorn() throws {
    let directory = TemporaryDirectory()
    let path = directory.path + "/ledger.db"
    let ledger = try Ledger(path: path, storeID: Self.identity)
    try ledger.checkpoint()
    let copy = directory.path + "/copy.db"
    var page = try Data(contentsOf: URL(fileURLWithPath: path))
    // Format and application, as before the tables were made.
    page.replaceSubrange(60..<72, with: repeatElement(0, count: 12))
    try page.write(to: URL(fileURLWithPath: copy))
    #expect(throws: StoreFault.ledger("ledger.db: offset 0: page 1 is damaged")) {
      try LedgerFile(copy).check()
    }
    // Where the log has the page still, nothing is lost.
    try Data([1]).write(to: URL(fileURLWithPath: copy + "-wal"))
    try LedgerFile(copy).checkFormat()
    withExtendedLifetime(ledger) {}
  }
}
