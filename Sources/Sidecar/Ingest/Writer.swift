import Foundation
import Metering
import Store
import Wire

/// The writer: takes batches, commits them and answers those who wait.
final class Writer: @unchecked Sendable {
  // Unchecked: one thread runs it; the histograms are read under `figures`.
  private let books: Books
  private let mailbox: Mailbox
  private let taken: @Sendable () -> Void
  private let committed: @Sendable () -> Void
  private let flushNeeded: @Sendable () -> Void
  private var lastCommit: UInt64
  private let figures = NSLock()
  private var commitDuration = DurationHistogram()
  private var acknowledgeDuration = DurationHistogram()
  private var isHealthy = true

  init(
    books: Books, mailbox: Mailbox, taken: @escaping @Sendable () -> Void,
    committed: @escaping @Sendable () -> Void, flushNeeded: @escaping @Sendable () -> Void
  ) {
    self.books = books
    self.mailbox = mailbox
    self.taken = taken
    self.committed = committed
    self.flushNeeded = flushNeeded
    // A day more at a restart: how long the process was down isn't known to a monotonic clock.
    lastCommit = 0
  }

  /// What metrics say of commits.
  func durations() -> (commit: DurationHistogram, acknowledge: DurationHistogram) {
    figures.withLock { (commitDuration, acknowledgeDuration) }
  }

  /// Whether the store took what it was last given to write, or would take it now.
  var takesWrites: Bool { figures.withLock { isHealthy } }

  /// Works until the mailbox is stopped.
  func run() {
    var isLone = false
    while true {
      switch mailbox.take(isLone: isLone) {
      case .batch(let batch, let isAwaited):
        // Only then: a wake-up of the loop costs a lone event as much as all the rest.
        if isAwaited { taken() }
        isLone = batch.batch.events.count == 1
        commit(batch)
        mailbox.giveBack(batch)
      case .task(let task): task()
      case .stop: return
      }
    }
  }

  /// The instants of a commit that begins now.
  func time() -> CommitTime {
    let now = SystemClock.monotonic()
    let elapsed =
      lastCommit == 0 ? Metering.Limits.restartMicroseconds : Int64((now - lastCommit) / 1_000)
    lastCommit = now
    return CommitTime(now: SystemClock.now(), elapsed: elapsed)
  }

  /// Looks whether the store would take a commit now. The writer's.
  func lookAgain() {
    // The failure was logged when it came, and this is asked again with each scrape.
    guard (try? books.checkWritable(at: SystemClock.now())) != nil else { return }
    figures.withLock { isHealthy = true }
  }

  private func commit(_ filled: FilledBatch) {
    let started = SystemClock.monotonic()
    let result: CommitResult?
    var reason: String?
    do {
      result = try books.commit(filled.batch, steps: filled.steps, at: time())
    } catch {
      Log.write("commit failed: \(error)")
      result = nil
      // What only the operator can mend is told to whoever looks for the cause.
      if case StoreFault.clock(let detail) = error { reason = detail }
    }
    let committed = SystemClock.monotonic()
    // Before anybody is told, or who is told asks too early. An entry that wrote nothing, such as
    // the end of a stream, says nothing of a disk that failed before.
    if result == nil {
      figures.withLock { isHealthy = false }
    } else if !takesWrites {
      lookAgain()
    }
    var answers = BatchAnswers(filled, result, reason)
    answers.send()
    if result != nil { self.committed() }
    if books.needsFlush { flushNeeded() }
    let done = SystemClock.monotonic()
    figures.withLock {
      commitDuration.observe(nanoseconds: Int64(committed - started))
      acknowledgeDuration.observe(
        nanoseconds: Int64(done - started), times: filled.origins.count)
    }
  }
}
