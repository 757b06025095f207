import Synchronization

/// One epoll loop on a thread of its own: listeners, connections, deadlines, and the calls of the
/// services. Everything that isn't marked otherwise may be called from any thread.
package final class EventLoop: @unchecked Sendable {
  // Unchecked: `core` belongs to the loop thread from `start` on, and to the starter before.
  private struct Inbox {
    var messages: [LoopMessage] = []
    var isClosed = false
  }

  private let core: LoopCore
  private let inbox = Lock(Inbox())
  private let threadID = Atomic<UInt>(0)
  private var thread: LoopThread?

  /// Makes a loop that doesn't run yet. Throws when the kernel gives no epoll or eventfd.
  package init(_ options: EventLoopOptions = EventLoopOptions()) throws(WireError) {
    core = try LoopCore(options)
    core.loop = self
  }

  /// Listens, before `start`. A Unix socket's path may hold a dead socket, which is replaced;
  /// a live one or anything else is refused untouched. With `stream` nil only HTTP is spoken.
  /// Returns the address bound, with the port when 0 was asked for.
  @discardableResult
  package func listen(
    _ address: ListenAddress, http: any HTTPService, stream: (any StreamService)? = nil
  ) throws(WireError) -> String {
    precondition(thread == nil, "listen comes before start")
    return try core.listen(address, http: http, stream: stream)
  }

  /// Runs the loop on its thread. `idle` is called there at the end of each turn, after all ready
  /// connections were served, so that filled batches can be handed on.
  package func start(
    name: String = "loop", idle: @escaping @Sendable () -> Void = {}
  ) throws(WireError) {
    precondition(thread == nil, "a loop starts once")
    core.idle = idle
    thread = try LoopThread(name: name) { [self] in
      threadID.store(System.currentThread(), ordering: .relaxed)
      core.run()
      core.loop = nil
    }
  }

  /// Runs work on the loop thread, soon.
  package func execute(_ work: @escaping @Sendable () -> Void) {
    post([.work(work)])
  }

  /// Stops reading streams, and bodies that the service doesn't want now; questions go on.
  package func pauseIngest() {
    deliver([.pauseIngest])
  }

  /// Reads streams again and asks anew about the bodies held.
  package func resumeIngest() {
    deliver([.resumeIngest])
  }

  /// What became of connections, and what is held for them. Loop thread only, or once it has ended.
  package var figures: LoopFigures {
    var figures = core.figures
    figures.connections = core.open
    figures.bodyBytes = core.pool.used
    figures.mostBodyBytes = core.pool.most
    return figures
  }

  /// Stops: no new connections, streams are told `finished`, answers in flight go out; what is
  /// left after `limit` is cut off. Returns when the thread has ended. Not from the loop thread.
  package func stop(within limit: Duration) {
    guard let thread else {
      core.closeListeners()
      core.stopDeadline = .min
      core.loop = nil
      return
    }
    post([.stop(deadline: System.monotonicNanoseconds() + limit.nanoseconds)])
    thread.join()
  }

  var isCurrent: Bool {
    threadID.load(ordering: .relaxed) == System.currentThread()
  }

  /// Applies messages at once on the loop thread, else leaves them for its next turn.
  func deliver(_ messages: [LoopMessage]) {
    if isCurrent {
      for message in messages { core.apply(message) }
    } else {
      post(messages)
    }
  }

  func takeMessages() -> [LoopMessage] {
    inbox.withLock { inbox in
      let messages = inbox.messages
      inbox.messages = []
      return messages
    }
  }

  /// Drops what comes from now on; the loop has ended.
  func closeInbox() {
    let rest = inbox.withLock { inbox in
      inbox.isClosed = true
      let messages = inbox.messages
      inbox.messages = []
      return messages
    }
    _ = rest  // Released outside the lock: an unsent reply posts from its deinit.
  }

  private func post(_ messages: [LoopMessage]) {
    let mustWake = inbox.withLock { inbox in
      guard !inbox.isClosed else { return false }
      let wasEmpty = inbox.messages.isEmpty
      inbox.messages += messages
      return wasEmpty
    }
    if mustWake { core.wake() }
  }
}
