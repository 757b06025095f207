import Metering

extension Ledger {
  /// The runs that should become one: as many of the lowest level as ``StoreLimits/runFanOut``.
  package static func mergeable(_ runs: [Run]) -> [Run]? {
    for level in Set(runs.map(\.level)).sorted() {
      let same = runs.filter { $0.level == level }
      if same.count >= StoreLimits.runFanOut {
        return Array(same.prefix(StoreLimits.runFanOut))
      }
    }
    return nil
  }

  /// Merges runs into one of the next level: written in slices as `live=0`, flipped last, so that
  /// a crash at any point leaves either the old runs or the new one.
  package func merge(_ runs: [Run]) throws -> Run {
    precondition(!runs.isEmpty)
    let sources = try runs.sorted { $0.lastSequence > $1.lastSequence }
      .map { try RunCursor(connection, $0) }
    var writer: RunWriter?
    try connection.write {
      writer = try RunWriter(
        connection, level: (runs.map(\.level).max() ?? 0) + 1,
        expected: runs.reduce(0) { $0 + Int($1.count) },
        firstSequence: runs.map(\.firstSequence).min() ?? 0,
        lastSequence: runs.map(\.lastSequence).max() ?? 0)
    }
    guard var writer else { preconditionFailure("the writer was made above") }
    var hasMore = true
    while hasMore {
      try connection.write { hasMore = try copySlice(of: sources, to: &writer) }
    }
    var merged: Run?
    try connection.write {
      merged = try writer.finish(live: true)
      for run in runs { try connection.execute("UPDATE run SET live = 0 WHERE id = \(run.id)") }
    }
    try connection.checkpoint()
    guard let merged else { preconditionFailure("the run was finished above") }
    return merged
  }

  /// Copies some thousand keys, the newest record of each; false at the end.
  private func copySlice(of sources: [RunCursor], to writer: inout RunWriter) throws -> Bool {
    for _ in 0..<StoreLimits.mergeSliceKeys {
      var best: KeyEntry?
      for source in sources {
        guard let next = try source.peek() else { continue }
        if let found = best, (found.key.high, found.key.low) <= (next.key.high, next.key.low) {
          continue
        }
        best = next
      }
      guard let best else { return false }
      for source in sources where try source.peek()?.key == best.key { source.advance() }
      try writer.add(best)
    }
    return true
  }

  /// Deletes the blocks of merged runs that no reader needs any more.
  package func remove(_ runs: [Run]) throws {
    for run in runs {
      var first = run.id << 32
      let end = (run.id + 1) << 32
      var isDone = false
      while !isDone {
        try connection.write {
          let last = min(first + Int64(StoreLimits.mergeSliceKeys), end)
          try connection.execute("DELETE FROM block WHERE id >= \(first) AND id < \(last)")
          first = last
          isDone = first > run.id << 32 + (1 << run.bits)
        }
      }
      try connection.write {
        try connection.execute("DELETE FROM filter WHERE id = \(run.id)")
        try connection.execute("DELETE FROM run WHERE id = \(run.id)")
      }
    }
    try connection.checkpoint()
  }
}

/// Goes through a run's keys in order, a block at a time.
private final class RunCursor {
  private let select: Statement
  private let end: Int64
  private var nextBlock: Int64
  private var block: [UInt8] = []
  private var number = 0
  private var current: KeyEntry?

  init(_ connection: Connection, _ run: Run) throws {
    select = try connection.prepare(
      "SELECT id, body FROM block WHERE id >= ? AND id < ? ORDER BY id LIMIT 1")
    nextBlock = run.id << 32
    end = (run.id + 1) << 32
  }

  func peek() throws -> KeyEntry? {
    if let current { return current }
    if number * RunRecord.bytes >= block.count {
      block.removeAll(keepingCapacity: true)
      number = 0
      select.bind(1, nextBlock)
      select.bind(2, end)
      try select.forEach { row in
        nextBlock = row.integer(0) + 1
        block.append(contentsOf: row.blob(1))
      }
    }
    guard !block.isEmpty else { return nil }
    current = block.withUnsafeBytes { RunRecord.entry(number, of: $0) }
    return current
  }

  func advance() {
    current = nil
    number += 1
  }
}
