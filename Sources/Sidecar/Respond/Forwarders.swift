import Foundation
import Metering
import Store
import Wire

/// Threads that hand over what came, in order of arrival, each on a connection of its own.
final class Forwarders: @unchecked Sendable {
  // Unchecked: everything that changes is guarded by `changed`.

  /// What became of one.
  typealias Outcome = Result<HTTPResponse, SidecarConnection.Fault>

  private struct Job {
    var body: [UInt8]
    /// Monotonic nanoseconds until which an answer is of use.
    var until: UInt64
    var done: @Sendable (Outcome?) -> Void
  }

  private let changed = NSCondition()
  private var waiting: [Job] = []
  private var isEnded = false
  private let socketPath: String

  init(socketPath: String) { self.socketPath = socketPath }

  func start() {
    for index in 0..<RespondLimits.forwarders {
      let thread = Thread { [self] in work() }
      thread.name = "forward \(index)"
      thread.start()
    }
  }

  /// Hands a notification over; `done` is called with what became of it, with nil when there was no
  /// time for it. Their number is bounded by the connections they came on.
  func take(
    _ body: [UInt8], until: UInt64, done: @escaping @Sendable (Outcome?) -> Void
  ) {
    changed.withLock {
      waiting.append(Job(body: body, until: until, done: done))
      changed.signal()
    }
  }

  /// Lets the threads end; what waits is answered that there was no time for it.
  func stop() {
    let left = changed.withLock { () -> [Job] in
      isEnded = true
      changed.broadcast()
      defer { waiting = [] }
      return waiting
    }
    for job in left { job.done(nil) }
  }

  private func work() {
    let sidecar = SidecarConnection(path: socketPath)
    while let job = next() {
      let now = SystemClock.monotonic()
      let left = job.until > now ? Int32(clamping: (job.until - now) / 1_000_000) : 0
      guard left > 0 else {
        job.done(nil)
        continue
      }
      let request = ClientRequest(
        "POST", SidecarConnection.SignedRoute.notification.target,
        headers: [("Content-Type", "application/json")], body: job.body)
      do throws(SidecarConnection.Fault) {
        job.done(.success(try sidecar.exchange(request, patienceMilliseconds: left)))
      } catch {
        job.done(.failure(error))
      }
    }
  }

  private func next() -> Job? {
    changed.withLock {
      while waiting.isEmpty, !isEnded { changed.wait() }
      return waiting.isEmpty ? nil : waiting.removeFirst()
    }
  }
}
