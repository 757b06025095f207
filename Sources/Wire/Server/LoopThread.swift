/// A named kernel thread that can be joined once.
final class LoopThread: Sendable {
  private let handle: System.ThreadHandle
  private let isJoined = Lock(false)

  init(name: String, _ body: @escaping @Sendable () -> Void) throws(WireError) {
    handle = try System.startThread(name: name, body)
  }

  /// Waits for the end; a second call returns once the first has.
  func join() {
    isJoined.withLock { isJoined in
      if !isJoined { System.joinThread(handle) }
      isJoined = true
    }
  }
}
