import AppStore
import Foundation
import Metering
import Store
import Wire

/// What the responder's threads tell each other and the metrics.
final class ResponderState: @unchecked Sendable {
  // Unchecked: everything that changes is guarded by `lock`.
  private let lock = NSLock()
  private var figures = ResponderMetrics()
  private var skew: Int64?
  private var hasStopped = false
  private let stopping = NSCondition()

  init(mode: ResponderSettings.Mode) { figures.mode = mode }

  /// Microseconds by which Apple's clock is ahead of ours; nil while unknown.
  var clockSkew: Int64? { lock.withLock { skew } }

  /// The figures of this moment.
  func snapshot() -> ResponderMetrics { lock.withLock { figures } }

  /// Changes figures.
  func note(_ change: (inout ResponderMetrics) -> Void) { lock.withLock { change(&figures) } }

  /// Counts a call to Apple that began at a monotonic instant.
  func called(_ endpoint: AppStoreCall.Endpoint, result: String, since start: UInt64) {
    let duration = Int64(SystemClock.monotonic() - start)
    note { figures in
      figures.calls[ResponderMetrics.Call(endpoint: endpoint, result: result), default: 0] += 1
      figures.callDuration.observe(nanoseconds: duration)
    }
  }

  /// Compares clocks by an answer's Date, which has whole seconds: half of one is added. Without a
  /// Date nothing changes.
  func compareClocks(serverDate: String?, before: Instant, after: Instant) {
    guard let seconds = serverDate.flatMap({ HTTPDate.seconds($0) }) else { return }
    let middle = before.microseconds / 2 + after.microseconds / 2
    let skew = seconds * 1_000_000 + 500_000 - middle
    lock.withLock {
      self.skew = skew
      figures.clockSkewMicroseconds = skew
    }
  }

  /// Microseconds to add to our clock for Apple's; 0 where they agree or nothing is known.
  var aheadOfUs: Int64 {
    guard let skew = clockSkew, abs(skew) >= RespondLimits.agreeingClocksMicroseconds else {
      return 0
    }
    return skew
  }

  /// Whether the program is to end.
  var isStopped: Bool { stopping.withLock { hasStopped } }

  /// Ends all waiting.
  func stop() {
    stopping.withLock {
      hasStopped = true
      stopping.broadcast()
    }
  }

  /// Waits so long, or until the end.
  func pause(milliseconds: Int) {
    let end = Date(timeIntervalSinceNow: Double(milliseconds) / 1000)
    stopping.withLock {
      while !hasStopped, stopping.wait(until: end) {}
    }
  }
}
