/// Fetches a run's blocks one after another, each into the same memory.
final class RunBlocks {
  private let select: Statement
  private let end: Int64
  private var next: Int64
  private var memory: UnsafeMutableRawBufferPointer
  private var count = 0
  /// Row id of the block fetched last.
  private(set) var id: Int64 = 0

  convenience init(_ connection: Connection, _ run: Run) throws {
    try self.init(connection, run: run.id)
  }

  init(_ connection: Connection, run id: Int64) throws {
    select = try connection.cached(
      "SELECT id, body FROM block WHERE id >= ? AND id < ? ORDER BY id LIMIT 1")
    next = id << 32
    end = (id + 1) << 32
    memory = .allocate(byteCount: StoreLimits.blockBytes, alignment: 8)
  }

  deinit { memory.deallocate() }

  /// Fetches the next block; false at the end. Throws a ``LedgerError``.
  func advance() throws -> Bool {
    select.bind(1, next)
    select.bind(2, end)
    defer { select.reset() }
    guard try select.step() else { return false }
    id = select.integer(0)
    next = id + 1
    let block = select.blob(1)
    if block.count > memory.count {
      memory.deallocate()
      memory = .allocate(byteCount: block.count * 2, alignment: 8)
    }
    memory.copyMemory(from: block)
    count = block.count
    return true
  }

  /// The block fetched last, valid until the next.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }
}
