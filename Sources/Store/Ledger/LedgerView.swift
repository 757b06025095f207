import Metering

/// The ledger as a reader sees it: one connection, one snapshot for each question.
package final class LedgerView: @unchecked Sendable {
  // Unchecked: each view has one owning thread.
  private(set) var connection: Connection
  private let path: String
  /// Which of the ledgers that had this name it looks into.
  private(set) var generation = 0
  /// What numbers of sums stand for; they never change.
  var sumKeys: [Int64: UsageKey] = [:]

  /// Opens the ledger for reading. Throws ``StoreFault/foreign(_:)`` for another format.
  package init(path: String) throws {
    self.path = path
    connection = try Self.open(path)
  }

  private static func open(_ path: String) throws -> Connection {
    try LedgerFile(path).checkFormat()
    let connection = try Connection.reading(
      path, busyMilliseconds: StoreLimits.busyMilliseconds)
    try Schema.check(connection)
    return connection
  }

  /// Looks into the ledger that has the name now, if it is another one than before. Its owner's.
  func renew(_ generation: Int) throws {
    guard generation != self.generation else { return }
    connection = try Self.open(path)
    sumKeys.removeAll()
    self.generation = generation
  }

  /// Last sequence number that this snapshot covers.
  func applied() throws -> UInt64 {
    UInt64(bitPattern: try Meta(connection).integer("applied") ?? 0)
  }
}
