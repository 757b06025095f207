/// Why the store refuses.
package enum StoreFault: Error, Equatable, CustomStringConvertible {
  /// The operating system failed an operation: what, on which file, and errno.
  case system(String, file: String, errno: Int32)
  /// A file belongs to another store or format.
  case foreign(String)
  /// A file is damaged where a torn write can't explain it.
  case damaged(String)
  /// Another process holds the store.
  case locked(String)
  /// A sync failed before: what is on disk behind the last synced frame is unknown.
  case indeterminate
  /// Too little space is left to take events.
  case full

  package var description: String {
    switch self {
    case .system(let operation, let file, let errno): "\(operation) \(file): errno \(errno)"
    case .foreign(let detail), .damaged(let detail), .locked(let detail): detail
    case .indeterminate: "a sync failed; the journal must be reopened"
    case .full: "too little disk space is left"
    }
  }
}
