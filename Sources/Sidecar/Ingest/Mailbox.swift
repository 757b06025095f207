import Foundation
import Synchronization
import Wire

/// Hands one filled batch at a time from the loop to the writer, and work to it.
final class Mailbox: @unchecked Sendable {
  // Unchecked: `attention` is the writer's; all else but `hasNews` is guarded by `condition`.
  private let condition = NSCondition()
  private var filled: FilledBatch?
  private var spare: [FilledBatch] = [FilledBatch(), FilledBatch()]
  private var tasks: [@Sendable () -> Void] = []
  private var isStopped = false
  /// Whether an offer was turned down since the loop was last told.
  private var isAwaited = false
  /// Whether the writer waits: then what is offered is as good as taken.
  private var isIdle = false
  /// Whether the last delivery was a task: then a batch comes first, so that tasks which follow
  /// each other let others through.
  private var wasTask = false
  /// Whether anything came since the writer last looked; only tells it to look.
  private let hasNews = Atomic(false)
  private var attention = BriefWait()

  /// What the writer gets.
  enum Delivery {
    /// `isAwaited` when the loop has another batch and wants to know that this one was taken.
    case batch(FilledBatch, isAwaited: Bool)
    case task(@Sendable () -> Void)
    case stop
  }

  /// Hands a batch on and returns an empty one; nil while the writer hasn't taken the last.
  func offer(_ batch: FilledBatch) -> FilledBatch? {
    condition.lock()
    guard filled == nil, let next = spare.popLast() else {
      isAwaited = true
      condition.unlock()
      return nil
    }
    filled = batch
    hasNews.store(true, ordering: .releasing)
    condition.unlock()
    // Not before, or the writer would wake up only to wait for the lock.
    condition.signal()
    return next
  }

  /// Gives a batch that was offered back for an empty one, if it isn't full and the writer is busy
  /// with the one before.
  func takeBack(for empty: FilledBatch) -> FilledBatch? {
    condition.lock()
    defer { condition.unlock() }
    guard let batch = filled, !isIdle, !batch.isFull else { return nil }
    filled = nil
    spare.append(empty)
    return batch
  }

  /// Gives an emptied batch back.
  func giveBack(_ batch: FilledBatch) {
    batch.removeAll()
    condition.lock()
    spare.append(batch)
    condition.unlock()
  }

  /// Work for the writer, between batches.
  func post(_ task: @escaping @Sendable () -> Void) {
    condition.lock()
    tasks.append(task)
    hasNews.store(true, ordering: .releasing)
    condition.signal()
    condition.unlock()
  }

  /// Lets the writer end after what is there.
  func stop() {
    condition.lock()
    isStopped = true
    hasNews.store(true, ordering: .releasing)
    condition.signal()
    condition.unlock()
  }

  /// Waits for the next delivery; `isLone` says that the last was a single event. For one thread.
  func take(isLone: Bool = false) -> Delivery {
    var delivery: Delivery?
    attention.wait(isLone: isLone) {
      hasNews.load(ordering: .acquiring)
    } sleep: {
      delivery = takeAsleep()
    }
    return delivery ?? takeAsleep()
  }

  private func takeAsleep() -> Delivery {
    condition.lock()
    defer { condition.unlock() }
    while true {
      hasNews.store(false, ordering: .relaxed)
      if !tasks.isEmpty && !(wasTask && filled != nil) {
        wasTask = true
        return .task(tasks.removeFirst())
      }
      if let batch = filled {
        wasTask = false
        filled = nil
        defer { isAwaited = false }
        return .batch(batch, isAwaited: isAwaited)
      }
      if isStopped { return .stop }
      isIdle = true
      condition.wait()
      isIdle = false
    }
  }
}
