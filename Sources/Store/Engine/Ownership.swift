import Glibc

/// Asserts in debug builds that what only one thread may do is never done by two at once.
///
/// It may go from one thread to another, as tests and dispatch queues have it, and its owner may
/// come in again from within.
final class Ownership: @unchecked Sendable {
  // Unchecked: `owner` is guarded by `lock`.
  private let what: StaticString
  private let lock = StoreLock()
  /// The thread that is in.
  private var owner: pthread_t?

  /// `what` says whose it is.
  init(_ what: StaticString) { self.what = what }

  /// Begins a stretch of the owner's work; what it gives is for ``leave(_:)``. Traps while another
  /// thread is in.
  func enter() -> Bool {
    #if DEBUG
      let here = pthread_self()
      return lock.withLock {
        precondition(owner == nil || owner == here, "two threads do what only the \(what) may")
        defer { owner = here }
        return owner == nil
      }
    #else
      return false
    #endif
  }

  /// Ends the stretch.
  func leave(_ isOuter: Bool) {
    if isOuter { lock.withLock { owner = nil } }
  }
}
