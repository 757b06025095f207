import CLinux
import Glibc

/// The only file that names system calls. Each is retried on EINTR; a descriptor that is ours and
/// wrong is our bug and traps.
enum System {
  /// What a non-blocking transfer came to.
  enum Transfer: Equatable {
    case bytes(Int)
    case wouldBlock
    case failed(Int32)
  }

  /// Nobody listens on the socket.
  static let refused = ECONNREFUSED

  static func message(_ code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }

  static func failure(_ operation: String, _ subject: String = "") -> WireError {
    let code = errno
    return WireError(operation: operation, subject: subject, reason: message(code), code: code)
  }

  static func retrying(_ call: () -> Int) -> Int {
    while true {
      let result = call()
      if result != -1 || errno != EINTR { return result }
    }
  }

  private static func transfer(_ call: () -> Int) -> Transfer {
    let count = retrying(call)
    if count >= 0 { return .bytes(count) }
    let code = errno
    precondition(code != EBADF && code != EFAULT, "a descriptor or buffer of ours is wrong")
    return code == EAGAIN || code == EWOULDBLOCK ? .wouldBlock : .failed(code)
  }

  static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
    transfer { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
  }

  /// Which of these descriptors' peers have closed both ways, or failed.
  static func gone(_ descriptors: [Int32]) -> [Bool] {
    var entries = descriptors.map { pollfd(fd: $0, events: 0, revents: 0) }
    guard poll(&entries, nfds_t(entries.count), 0) > 0 else {
      return descriptors.map { _ in false }
    }
    return entries.map { Int32($0.revents) & (POLLHUP | POLLERR) != 0 }
  }

  /// Whether bytes of the peer wait to be read; its end is none.
  static func hasInput(_ descriptor: Int32) -> Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
  }

  /// MSG_NOSIGNAL: a peer that went away must not kill the process.
  static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Transfer {
    transfer { Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
  }

  static func close(_ descriptor: Int32) {
    _ = Glibc.close(descriptor)
  }

  static func shutdownWriting(_ descriptor: Int32) {
    _ = shutdown(descriptor, Int32(SHUT_WR))
  }

  // MARK: Polling

  static func makePoller() throws(WireError) -> Int32 {
    let descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { throw failure("epoll") }
    return descriptor
  }

  enum PollChange {
    case add, modify, remove

    fileprivate var operation: Int32 {
      switch self {
      case .add: EPOLL_CTL_ADD
      case .modify: EPOLL_CTL_MOD
      case .remove: EPOLL_CTL_DEL
      }
    }
  }

  /// What a descriptor is or should be ready for.
  struct Readiness: OptionSet, Equatable {
    var rawValue: UInt32

    static let input = Readiness(rawValue: EPOLLIN.rawValue)
    static let output = Readiness(rawValue: EPOLLOUT.rawValue)
    /// Reports once what becomes ready, not as long as it is.
    static let once = Readiness(rawValue: EPOLLET.rawValue)
    static let hangup = Readiness(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
  }

  static func changePoll(
    _ poller: Int32, _ change: PollChange, _ descriptor: Int32, _ readiness: Readiness, tag: UInt64
  ) {
    var event = epoll_event()
    event.events = readiness.rawValue
    event.data.u64 = tag
    let result = epoll_ctl(poller, change.operation, descriptor, &event)
    precondition(result == 0 || errno == ENOMEM || errno == ENOSPC, "epoll refused a descriptor")
  }

  /// The kernel's list of ready descriptors; to be deallocated by its owner.
  struct PollEvents {
    private let events: UnsafeMutableBufferPointer<epoll_event>

    init(capacity: Int) {
      events = .allocate(capacity: capacity)
    }

    func deallocate() {
      events.deallocate()
    }

    subscript(index: Int) -> (tag: UInt64, readiness: Readiness) {
      (events[index].data.u64, Readiness(rawValue: events[index].events))
    }

    /// Waits for the first ready descriptor; the number of ready ones, 0 when the time is over.
    func wait(_ poller: Int32, milliseconds: Int32) -> Int {
      let count = epoll_wait(poller, events.baseAddress, Int32(events.count), milliseconds)
      precondition(count >= 0 || errno == EINTR, "epoll_wait failed")
      return max(0, Int(count))
    }
  }

  static func makeWaker() throws(WireError) -> Int32 {
    let descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    guard descriptor >= 0 else { throw failure("eventfd") }
    return descriptor
  }

  static func wake(_ waker: Int32) {
    eventfd_write(waker, 1)
  }

  /// Waits until one descriptor is ready, and for what; nil waits for ever. Both are false when the
  /// time is over.
  static func wait(
    _ descriptor: Int32, input: Bool, output: Bool, milliseconds: Int32?
  ) -> (input: Bool, output: Bool) {
    var entry = pollfd(
      fd: descriptor, events: Int16((input ? POLLIN : 0) | (output ? POLLOUT : 0)), revents: 0)
    _ = retrying { Int(poll(&entry, 1, milliseconds ?? -1)) }
    let failed = Int32(entry.revents) & (POLLHUP | POLLERR) != 0
    return (
      failed || Int32(entry.revents) & POLLIN != 0, failed || Int32(entry.revents) & POLLOUT != 0
    )
  }

  // MARK: Time and threads

  /// Lets another thread run, if one waits.
  static func yield() { sched_yield() }

  static func monotonicNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  static func wallSeconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec)
  }

  struct ThreadHandle: Sendable {
    fileprivate var raw: pthread_t
  }

  private final class ThreadBody {
    let name: String
    let run: @Sendable () -> Void

    init(name: String, run: @escaping @Sendable () -> Void) {
      self.name = name
      self.run = run
    }
  }

  static func currentThread() -> UInt {
    UInt(pthread_self())
  }

  static func startThread(
    name: String, _ run: @escaping @Sendable () -> Void
  ) throws(WireError) -> ThreadHandle {
    let body = Unmanaged.passRetained(ThreadBody(name: name, run: run))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        let body = Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue()
        _ = outlay_name_thread(String(body.name.prefix(15)))
        body.run()
        return nil
      }, body.toOpaque())
    guard code == 0 else {
      body.release()
      throw WireError(operation: "start thread", subject: name, reason: message(code), code: code)
    }
    return ThreadHandle(raw: thread)
  }

  static func joinThread(_ handle: ThreadHandle) {
    pthread_join(handle.raw, nil)
  }
}
