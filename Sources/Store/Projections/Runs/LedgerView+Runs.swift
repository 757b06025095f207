import Metering

extension LedgerView {

  /// Lends the block of a run that holds a hash, if any does, with its row id.
  func withBlock(
    of hash: Hash128, run: Int64, _ use: (UnsafeRawBufferPointer, Int64) throws -> Void
  ) throws {
    let statement = try connection.cached(
      "SELECT id, body FROM block WHERE id >= ? AND id <= ? ORDER BY id DESC LIMIT 1")
    statement.bind(1, run << 32)
    statement.bind(2, Run.block(of: hash, run: run))
    try statement.forEach { try use($0.blob(1), $0.integer(0)) }
  }
}
