import Foundation

/// What an orderly end waits for: an answer on its way to Apple, and reports that the sidecar
/// hasn't got yet.
final class Settlement: @unchecked Sendable {
  // Unchecked: everything that changes is guarded by `changed`.
  private let changed = NSCondition()
  private var isSending = false
  private var reports = 0
  private var isEnding = false
  private var isGivenUp = false

  /// An answer is about to be sent; false once the end has come.
  func begin() -> Bool {
    changed.withLock {
      isSending = !isEnding
      return isSending
    }
  }

  /// So many reports wait now, and nothing is on its way.
  func rest(pending: Int) {
    changed.withLock {
      isSending = false
      reports = pending
      changed.broadcast()
    }
  }

  /// Nobody tries any longer.
  func giveUp() {
    changed.withLock {
      isGivenUp = true
      changed.broadcast()
    }
  }

  /// Lets nothing more begin, and waits until nothing is left, or for so long. Returns whether
  /// nothing is left.
  func end(within seconds: Double) -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    return changed.withLock {
      isEnding = true
      while isSending || reports > 0, !isGivenUp, changed.wait(until: end) {}
      return !isSending && reports == 0
    }
  }
}
