import Metering

/// The rows of one run while it is written: it counts from the commit in which it is finished live.
struct RunRows {
  private let connection: Connection
  private let insert: Statement
  private(set) var run: Run
  /// Bytes of blocks so far.
  private(set) var bytes = 0

  /// Takes the next id and writes the run's row, not live yet.
  init(_ connection: Connection, _ description: Run) throws {
    self.connection = connection
    insert = try connection.cached("INSERT INTO block(id, body) VALUES (?, ?)")
    run = description
    run.id = try connection.cached("SELECT coalesce(max(id), 0) + 1 FROM run").onlyInteger()
    try save(isLive: false)
  }

  /// Writes a block that begins with `hash`, behind all others of the run.
  mutating func put(_ block: UnsafeRawBufferPointer, from hash: Hash128) throws {
    insert.bind(1, run.block(of: hash))
    insert.bind(2, block)
    try insert.run()
    bytes += block.count
  }

  /// Completes the run.
  mutating func finish(count: Int, filter: Filter?, isLive: Bool) throws -> Run {
    run.count = Int64(count)
    run.filter = filter
    if let filter {
      let put = try connection.cached("INSERT OR REPLACE INTO filter(id, body) VALUES (?, ?)")
      put.bind(1, run.id)
      filter.withBytes { put.bind(2, $0) }
      try put.run()
    }
    try save(isLive: isLive)
    return run
  }

  private func save(isLive: Bool) throws {
    let put = try connection.cached(
      "INSERT OR REPLACE INTO run(id, kind, level, n, seqMin, seqMax, locMin, locMax, live) "
        + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
    put.bind(1, run.id)
    put.bind(2, run.kind.rawValue)
    put.bind(3, run.level)
    put.bind(4, run.count)
    put.bind(5, Int64(bitPattern: run.firstSequence))
    put.bind(6, Int64(bitPattern: run.lastSequence))
    put.bind(7, Int64(bitPattern: run.locations.lowerBound))
    put.bind(8, Int64(bitPattern: run.locations.upperBound))
    put.bind(9, isLive ? 1 : 0)
    try put.run()
  }
}

extension Run {
  /// A run yet to be written, for a flush of a table.
  init(kind: RunKind, flushing table: Memtable, locations: ClosedRange<UInt64>) {
    self.init(
      id: 0, kind: kind, level: 0, count: 0, firstSequence: table.firstSequence,
      lastSequence: table.lastSequence, locations: locations, filter: nil)
  }

  /// A run yet to be written that takes the place of others of one kind.
  init(merging runs: [Run]) {
    guard var all = runs.first else { preconditionFailure("nothing to merge") }
    for run in runs {
      precondition(run.kind == all.kind)
      all.level = max(all.level, run.level)
      all.firstSequence = min(all.firstSequence, run.firstSequence)
      all.lastSequence = max(all.lastSequence, run.lastSequence)
      all.locations =
        min(
          all.locations.lowerBound, run.locations.lowerBound)...max(
          all.locations.upperBound, run.locations.upperBound)
    }
    all.level += 1
    all.count = 0
    all.filter = nil
    self = all
  }
}
