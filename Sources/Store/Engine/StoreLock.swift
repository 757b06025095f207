import Glibc

/// A plain lock for short sections. A pthread mutex, unlike Synchronization.Mutex, is understood by
/// the thread sanitizer.
final class StoreLock: @unchecked Sendable {
  // Unchecked: the mutex is what makes sharing safe.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func withLock<Value>(_ body: () throws -> Value) rethrows -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }
}
