import Foundation
import Wire

/// Hands one filled batch at a time from the loop to the writer, and work to it.
final class Mailbox: @unchecked Sendable {
  // Unchecked: every field is guarded by `condition`.
  private let condition = NSCondition()
  private var filled: FilledBatch?
  private var spare: [FilledBatch] = [FilledBatch(), FilledBatch()]
  private var tasks: [@Sendable () -> Void] = []
  private var isStopped = false

  /// What the writer gets.
  enum Delivery {
    case batch(FilledBatch)
    case task(@Sendable () -> Void)
    case stop
  }

  /// Hands a batch on and returns an empty one; nil while the writer hasn't taken the last.
  func offer(_ batch: FilledBatch) -> FilledBatch? {
    condition.lock()
    defer { condition.unlock() }
    guard filled == nil, let next = spare.popLast() else { return nil }
    filled = batch
    condition.signal()
    return next
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
    condition.signal()
    condition.unlock()
  }

  /// Lets the writer end after what is there.
  func stop() {
    condition.lock()
    isStopped = true
    condition.signal()
    condition.unlock()
  }

  /// Waits for the next delivery.
  func take() -> Delivery {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if !tasks.isEmpty { return .task(tasks.removeFirst()) }
      if let batch = filled {
        filled = nil
        return .batch(batch)
      }
      if isStopped { return .stop }
      condition.wait()
    }
  }
}
