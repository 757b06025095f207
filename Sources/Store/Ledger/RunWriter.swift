import Metering

/// Writes sorted keys as a run's blocks.
struct RunWriter {
  private let connection: Connection
  private let insert: Statement
  private var run: Run
  private var block: [UInt8] = []
  private var blockID: Int64 = -1

  init(
    _ connection: Connection, level: Int64, expected: Int, firstSequence: UInt64,
    lastSequence: UInt64
  ) throws {
    self.connection = connection
    insert = try connection.prepare("INSERT INTO block(id, body) VALUES (?, ?)")
    var next: Int64 = 1
    try connection.prepare("SELECT coalesce(max(id), 0) + 1 FROM run").forEach {
      next = $0.integer(0)
    }
    run = Run(
      id: next, level: level, count: 0, firstSequence: firstSequence, lastSequence: lastSequence,
      bits: Run.bits(for: expected), filter: Filter(count: expected))
    try save(live: false)
  }

  /// Adds the next key in order.
  mutating func add(_ entry: KeyEntry) throws {
    let id = run.block(of: entry.key)
    if id != blockID {
      try flushBlock()
      blockID = id
    }
    RunRecord.append(entry, to: &block)
    run.filter.insert(entry.key)
    run.count += 1
  }

  /// Writes the rest; with `live` the run counts from the transaction's commit on.
  mutating func finish(live: Bool) throws -> Run {
    try flushBlock()
    let filter = try connection.prepare("INSERT OR REPLACE INTO filter(id, body) VALUES (?, ?)")
    filter.bind(1, run.id)
    filter.bind(2, run.filter.bytes)
    try filter.run()
    try save(live: live)
    return run
  }

  private mutating func flushBlock() throws {
    guard !block.isEmpty else { return }
    insert.bind(1, blockID)
    insert.bind(2, block)
    try insert.run()
    block.removeAll(keepingCapacity: true)
  }

  private func save(live: Bool) throws {
    let put = try connection.prepare(
      "INSERT OR REPLACE INTO run(id, kind, level, n, seqMin, seqMax, bits, live) "
        + "VALUES (?, 0, ?, ?, ?, ?, ?, ?)")
    put.bind(1, run.id)
    put.bind(2, run.level)
    put.bind(3, run.count)
    put.bind(4, Int64(bitPattern: run.firstSequence))
    put.bind(5, Int64(bitPattern: run.lastSequence))
    put.bind(6, run.bits)
    put.bind(7, live ? 1 : 0)
    try put.run()
  }
}
