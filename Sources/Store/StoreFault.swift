/// Why the store refuses.
package enum StoreFault: Error, Equatable, CustomStringConvertible {
  /// The operating system failed an operation: what, on which file, and errno.
  case system(String, file: String, errno: Int32)
  /// A file belongs to another store or format.
  case foreign(String)
  /// The store's files don't fit together.
  case damaged(String)
  /// The ledger's files hold other bytes than were written: what it says can be made anew from the
  /// journal. Says which file, and where.
  case ledger(String)
  /// A journal file holds other bytes than were written, where no torn write explains it.
  case rot(file: String, offset: Int, detail: String)
  /// Another process holds the store.
  case locked(String)
  /// Writing or syncing a commit failed: nobody knows whether it will be there after a crash. The
  /// journal takes nothing more until it is reopened.
  case indeterminate(cause: String)
  /// Too little disk space is left; nothing was written.
  case full
  /// The machine's clock can't be right, so that nobody can say what is too old; nothing was
  /// written.
  case clock(String)

  package var description: String {
    switch self {
    case .system(let operation, let file, let errno):
      "\(operation) \(file): \(System.message(errno))"
    case .foreign(let detail), .damaged(let detail), .ledger(let detail), .locked(let detail),
      .clock(let detail):
      detail
    case .rot(let file, let offset, let detail): "\(file): offset \(offset): \(detail)"
    case .indeterminate(let cause): "the outcome of a write is unknown: \(cause)"
    case .full: "too little disk space is left"
    }
  }
}
