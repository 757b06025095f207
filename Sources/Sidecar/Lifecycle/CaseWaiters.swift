import Dispatch
import Metering
import Store
import Synchronization
import Wire

/// Holds questions for refund cases until there is something to tell, without holding a thread:
/// commits wake it, and it looks on the reader's queue between other questions.
final class CaseWaiters: @unchecked Sendable {
  // Unchecked: the atomics are shared; everything else belongs to `queue`.
  private let queue: DispatchQueue
  private let page: (CasesQuestion) throws -> CasesPage
  /// Clients that wait or are about to.
  private let interest = Atomic<Int>(0)
  private let isWoken = Atomic<Bool>(false)
  private var room = CaseWaitingRoom<HTTPReply>()
  private var isClosed = false
  /// Monotonic nanoseconds before which no change is looked at.
  private var restUntil: UInt64 = 0
  /// When the next look is planned because of the time alone.
  private var plannedAt: UInt64?
  private var nextDeadline: Instant?

  /// Least time between two looks that commits cause, nanoseconds: a flood of events then costs a
  /// few looks a second.
  private static let rest: UInt64 = 200_000_000
  /// A look rests so many times as long as it took, so that it never takes much of the reader.
  private static let restFactor: UInt64 = 9

  /// Looks with `page`, on `queue`.
  init(queue: DispatchQueue, page: @escaping (CasesQuestion) throws -> CasesPage) {
    self.queue = queue
    self.page = page
  }

  /// Answers now if there is something to tell, else when there is, or when the wait is over.
  func ask(_ question: CasesQuestion, for reply: HTTPReply) {
    // Counted before the first look, so that no commit behind that look goes unnoticed.
    interest.add(1, ordering: .sequentiallyConsistent)
    queue.async { [self] in
      room.enter(question, reply, now: SystemClock.monotonic())
      if isClosed { room.end() }
      look()
    }
  }

  /// Something was committed or reloaded. Cheap when nobody waits; any thread.
  func changed() {
    guard interest.load(ordering: .sequentiallyConsistent) > 0,
      !isWoken.exchange(true, ordering: .sequentiallyConsistent)
    else { return }
    queue.async { [self] in
      let now = SystemClock.monotonic()
      guard now < restUntil else { return lookAtChange() }
      queue.asyncAfter(deadline: .now() + .nanoseconds(Int(restUntil - now))) { [self] in
        lookAtChange()
      }
    }
  }

  private func lookAtChange() {
    isWoken.store(false, ordering: .sequentiallyConsistent)
    look()
  }

  /// Answers everybody, and from now on at once.
  func close() {
    queue.sync {
      isClosed = true
      room.end()
      look()
    }
  }

  private func look() {
    guard !room.isEmpty else { return }
    let started = SystemClock.monotonic()
    nextDeadline = nil
    let leaving = room.leave(now: started) { question in
      do {
        let found = try page(question)
        if let deadline = found.nextDeadline { note(deadline) }
        return found
      } catch {
        Log.write("a question failed: \(error)")
        return nil
      }
    }
    for (reply, page) in leaving {
      reply.send(page?.response ?? Problem.readUnavailable.response)
    }
    interest.subtract(leaving.count, ordering: .sequentiallyConsistent)
    let ended = SystemClock.monotonic()
    restUntil = ended + max(Self.rest, (ended - started) * Self.restFactor)
    plan(now: ended)
  }

  private func note(_ deadline: Instant) {
    nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
  }

  /// Plans a look for when the first wait ends or the first case is missed.
  private func plan(now: UInt64) {
    guard let end = room.nextEnd else { return }
    let deadline = nextDeadline.map { deadline in
      let left = max(0, deadline.microseconds - SystemClock.now().microseconds) + 1
      return now + UInt64(left) * 1_000
    }
    let next = min(end, deadline ?? end)
    if let plannedAt, plannedAt > now, plannedAt <= next { return }
    plannedAt = next
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(max(next, now) - now))) { [self] in
      if plannedAt == next { plannedAt = nil }
      look()
    }
  }
}
