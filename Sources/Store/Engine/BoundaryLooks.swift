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
  /// The table that entries are applied to; for those who hold the lock.
  private let active: () -> Memtable
  private var tables: [Memtable] = []
  private var taken: [Look: Taken] = [:]
  private var boundary: UInt64 = 0
  /// Whether every look of this try was at its boundary.
  private(set) var isWhole = true

  init(lock: StoreLock, active: @escaping () -> Memtable) {
    self.lock = lock
    self.active = active
  }

  /// Begins a try with the tables that its snapshot of the ledger doesn't cover. `last` was active
  /// when they were taken down; where another is by now, they lack what came last.
  func begin(_ tables: [Memtable], last: Memtable?) {
    self.tables = tables
    lock.withLock {
      isWhole = active() === last
      boundary = active().lastSequence
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
      if active().lastSequence != boundary { isWhole = false }
      let found = find(tables)
      taken[name] = Taken(find: find, found: found)
      return found
    }
  }

  func lookBack<Found>(_ find: ([Memtable]) -> Found) -> Found { lock.withLock { find(tables) } }
}
