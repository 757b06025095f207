import Metering

/// What a look into the memtables is for. Looks of one name find the same at one boundary.
enum Look: Hashable {
  case record(ByteString)
  case records(Set<ByteString>)
  case chain(ByteString)
  case link(ByteString)
  case usage(Hash128)
  case trail(Hash128)
  case points(Hash128)
  case levelSubjects
  case names
  case quarterHours(from: Int64, to: Int64)
  case customer(ByteString)
  case consent(ByteString)
  case waiting(WaitingSubject)
  case marks
  case asked
}

/// How ``BooksSnapshot`` look into the memtables, which the writer changes meanwhile.
///
/// A look takes what it finds and leaves the work on it for later: whoever looks under the books'
/// lock makes every commit wait.
protocol TableLooks {
  /// What `find` finds in the tables, oldest first.
  func look<Found>(_ name: Look, _ find: @escaping ([Memtable]) -> Found) -> Found
  /// Looks at what never changes once it is there.
  func lookBack<Found>(_ find: ([Memtable]) -> Found) -> Found
}

/// For the thread that owns the tables.
struct OwnLooks: TableLooks {
  let tables: [Memtable]

  func look<Found>(_ name: Look, _ find: @escaping ([Memtable]) -> Found) -> Found { find(tables) }

  func lookBack<Found>(_ find: ([Memtable]) -> Found) -> Found { find(tables) }
}

/// Each look sees the tables as they are then.
struct LooseLooks: TableLooks {
  let tables: [Memtable]
  let lock: StoreLock

  func look<Found>(_ name: Look, _ find: @escaping ([Memtable]) -> Found) -> Found {
    lock.withLock { find(tables) }
  }

  func lookBack<Found>(_ find: ([Memtable]) -> Found) -> Found { lock.withLock { find(tables) } }
}
