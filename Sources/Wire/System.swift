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

  static func message(_ code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }

  static func failure(_ operation: String, _ subject: String = "") -> WireError {
    let code = errno
    return WireError(operation: operation, subject: subject, reason: message(code), code: code)
  }

  private static func retrying(_ call: () -> Int) -> Int {
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

  // MARK: Time and threads

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
