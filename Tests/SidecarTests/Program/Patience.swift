@testable import Sidecar

/// How long a test waits for what must come: so long that no busy machine takes it, and only what
/// never comes ends it. Reckoned by the clock that nobody sets.
struct Patience {
  static let milliseconds: Int32 = 120_000

  private let end = CommandSystem.monotonicNanoseconds() + UInt64(milliseconds) * 1_000_000

  /// Whether it has come to its end.
  var isOver: Bool { CommandSystem.monotonicNanoseconds() >= end }

  /// Asks again and again until it is so; false when it never was.
  static func waits(pause: Int = 5, until isSo: () throws -> Bool) rethrows -> Bool {
    let patience = Patience()
    while try !isSo() {
      if patience.isOver { return false }
      CommandSystem.sleep(milliseconds: pause)
    }
    return true
  }
}
