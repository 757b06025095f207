import Foundation

/// What a process that a test starts knows of ours: nothing but the clock, which may be another
/// than the machine's (`Config/setup test --at`). Two processes with two clocks would be a test of
/// something else.
enum ChildEnvironment {
  static func with(_ settings: [String: String]) -> [String: String] {
    ProcessInfo.processInfo.environment.filter { isOfClock($0.key) }.merging(settings) { $1 }
  }

  private static func isOfClock(_ name: String) -> Bool {
    name == "LD_PRELOAD" || name == "CLOCK_AHEAD"
  }
}
