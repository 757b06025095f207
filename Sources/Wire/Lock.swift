import Glibc

/// A pthread mutex around a value. Thread sanitizer understands it, unlike Synchronization.Mutex.
final class Lock<Value>: @unchecked Sendable {
  // Unchecked: the value is only touched while the mutex is held.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var value: Value

  init(_ value: Value) {
    self.value = value
    let code = pthread_mutex_init(mutex, nil)
    precondition(code == 0, "a mutex could not be made")
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&value)
  }
}
