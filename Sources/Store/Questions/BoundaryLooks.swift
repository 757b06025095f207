import Metering

/// All looks of a question at one boundary between two entries, without the writer waiting.
///
/// A question finds out what to look for while it is answered. So it may be answered more than
/// once: a look whose boundary has passed sees the tables as they are, the answer counts for
/// nothing, and the next try begins with all looks of the tries before, taken at once. What a try
/// looks for in vain is what came meanwhile, so there are few.
final class BoundaryLooks {
  private struct Taken {
    var find: ([Memtable]) -> Any
    var found: Any
  }

  private let lock: StoreLock
  /// Sequence number of the last entry that was applied; for those who hold the lock.
  private let sequence: () -> UInt64
  private var tables: [Memtable] = []
  private var taken: [Look: Taken] = [:]
  private var boundary: UInt64 = 0
  /// Whether every look of this try was at its boundary.
  private(set) var isWhole = true

  init(lock: StoreLock, sequence: @escaping () -> UInt64) {
    self.lock = lock
    self.sequence = sequence
  }

  /// Begins a try with the tables that its snapshot of the ledger doesn't cover.
  func begin(_ tables: [Memtable]) {
    self.tables = tables
    isWhole = true
    lock.withLock {
      boundary = sequence()
      for (name, look) in taken { taken[name]?.found = look.find(tables) }
    }
  }
}

extension BoundaryLooks: TableLooks {
  func look<Found>(_ name: Look, _ find: @escaping ([Memtable]) -> Found) -> Found {
    if let known = taken[name] {
      guard let found = known.found as? Found else {
        preconditionFailure("looks of one name find the same")
      }
      return found
    }
    return lock.withLock {
      if sequence() != boundary { isWhole = false }
      let found = find(tables)
      taken[name] = Taken(find: find, found: found)
      return found
    }
  }

  func lookBack<Found>(_ find: ([Memtable]) -> Found) -> Found { lock.withLock { find(tables) } }
}
