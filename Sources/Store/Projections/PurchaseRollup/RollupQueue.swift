import Metering

/// A walk over everything that has figures, for when it isn't known what changed.
struct RollupSweep: Equatable {
  /// What is walked, in this order; the numbers are stored.
  enum Phase: UInt8 {
    case purchases = 0
    case levels = 1
  }

  /// The walk is in the ledger only, so it begins when that covers this entry.
  var after: UInt64
  var phase = Phase.purchases
  /// The last id that was walked over; empty before the first.
  var cursor: ByteString = ""
  /// Whether another walk has to follow, since again it isn't known what changed.
  var isAgain = false
}

/// What is still to be rolled up: what changed since the rollup saw it, as far as it is known, else
/// a sweep. Guarded by the books' lock.
struct RollupQueue {
  /// Changes that wait, each once.
  private(set) var waiting: Set<Change> = []
  private(set) var sweep: RollupSweep?
  /// Every change up to this entry is rolled up, or the sweep comes to it.
  private(set) var settled: UInt64
  /// Every change up to this entry has been seen.
  private var collected: UInt64
  /// The latest instant that figures were made for.
  private(set) var asOf = Instant.distantPast
  /// How far each table was looked through, by its first entry.
  private var cursors: [UInt64: ChangeCursor] = [:]
  private let limit: Int

  /// Nothing was rolled up: sweeps what the ledger covers up to `applied`, and takes what is newer
  /// from the tables.
  init(after applied: UInt64, limit: Int) {
    settled = applied
    collected = applied
    sweep = RollupSweep(after: applied)
    self.limit = limit
  }

  /// Goes on where a saved rollup was.
  init(_ state: RollupState, limit: Int) {
    settled = state.settled
    collected = state.settled
    sweep = state.sweep
    asOf = state.asOf
    self.limit = limit
  }

  /// Notes for which instant figures are made now. When the clock was set back, those that were
  /// made for later ones tell of what hasn't happened, and nothing is due until then: all are made
  /// anew.
  mutating func begin(at now: Instant, of tables: [Memtable]) {
    if now.adding(microseconds: StoreLimits.rollupClockMicroseconds) < asOf {
      overflow(tables)
      asOf = now
    }
    asOf = max(asOf, now)
  }

  /// Takes in what changed since the last look, a little at a time; false when there is more. The
  /// tables are all there are, oldest first.
  mutating func collect(from tables: [Memtable]) -> Bool {
    for table in tables {
      let isAll = take(from: table, at: StoreLimits.rollupLooks)
      guard waiting.count <= limit else {
        overflow(tables)
        return true
      }
      guard isAll else { return false }
    }
    cursors = cursors.filter { known in tables.contains { $0.firstSequence == known.key } }
    if let newest = tables.last { collected = max(collected, newest.lastSequence) }
    return true
  }

  private mutating func take(from table: Memtable, at most: Int) -> Bool {
    var cursor = cursors[table.firstSequence] ?? ChangeCursor()
    defer { cursors[table.firstSequence] = cursor }
    return table.changes(since: &cursor, limit: most) { waiting.insert($0) }
  }

  /// How far a table was looked through.
  func cursor(of table: Memtable) -> ChangeCursor { cursors[table.firstSequence] ?? ChangeCursor() }

  /// What changed in a table that isn't written to any more, since a cursor; nil when it is more
  /// than `limit`. For use without the lock, since it may take milliseconds.
  static func rest(of table: Memtable, since cursor: ChangeCursor, limit: Int) -> Set<Change>? {
    let atMost = min(table.changes(since: cursor), table.subjects.count + table.notes.count)
    guard atMost <= limit else { return nil }
    var cursor = cursor
    var rest: Set<Change> = []
    _ = table.changes(since: &cursor) { rest.insert($0) }
    return rest
  }

  /// Takes in the rest of a table that is about to go, nil when it is too much.
  mutating func absorb(_ rest: Set<Change>?, of tables: [Memtable]) {
    guard let rest else { return overflow(tables) }
    if waiting.isEmpty { waiting = rest } else { waiting.formUnion(rest) }
    if waiting.count > limit { overflow(tables) }
  }

  /// Gives up to know what changed until now: a sweep will find it.
  mutating func overflow(_ tables: [Memtable]) {
    waiting.removeAll()
    for table in tables { cursors[table.firstSequence] = table.changeCursor }
    if let newest = tables.last { collected = max(collected, newest.lastSequence) }
    settled = collected
    // One that was to come begins as planned, or under a flood it never would.
    if sweep == nil { sweep = RollupSweep(after: collected) } else { sweep?.isAgain = true }
  }

  /// Adds changes, found in whatever way; `tables` as for ``collect(from:)``.
  mutating func add(_ changes: some Sequence<Change>, of tables: [Memtable]) {
    waiting.formUnion(changes)
    if waiting.count > limit { overflow(tables) }
  }

  /// Takes some changes out, to be rolled up now.
  mutating func take(atMost count: Int) -> [Change] {
    let taken = Array(waiting.prefix(count))
    waiting.subtract(taken)
    return taken
  }

  /// Notes how far the sweep came; nil when it is over. A sweep that was replaced meanwhile goes
  /// its own way.
  mutating func advance(from old: RollupSweep, to new: RollupSweep?) {
    guard let current = sweep, current.after == old.after, current.phase == old.phase,
      current.cursor == old.cursor
    else { return }
    if let new {
      sweep?.phase = new.phase
      sweep?.cursor = new.cursor
    } else {
      sweep = current.isAgain ? RollupSweep(after: collected) : nil
    }
  }

  /// Notes that what was taken out is rolled up.
  mutating func settle() {
    if waiting.isEmpty { settled = collected }
  }
}
