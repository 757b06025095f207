import Foundation

/// Lines for the operator on standard error.
package enum Log {
  static let lines = LogLines(descriptor: 2)

  /// Hands a line on. Never waits and never fails: what can't be written is counted.
  static func write(_ line: String) { lines.add(line) }

  /// Waits a moment until everything is written: at the end of the process.
  package static func finish() { lines.finish(milliseconds: LogLimits.endMilliseconds) }
}

/// A log that nobody waits for: a thread of its own writes, and a bounded queue leads to it. A full
/// device, a reader who went or one who doesn't read costs lines, which are counted, and nothing
/// else.
final class LogLines: @unchecked Sendable {
  // Unchecked: everything is guarded by `condition`.
  private let descriptor: Int32
  private let condition = NSCondition()
  private var waiting: [[UInt8]] = []
  private var waitingBytes = 0
  private var isStarted = false
  private var isWriting = false
  private var lostLines: UInt64 = 0
  /// The last line that was taken, when, and how often it came again since.
  private var last: (bytes: [UInt8], at: UInt64) = ([], 0)
  private var repeats = 0
  /// Lost lines that the log itself hasn't told of.
  private var untoldLines: UInt64 = 0

  /// A log on an open descriptor.
  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Lines that couldn't be written since the start.
  var lost: UInt64 { condition.withLock { lostLines } }

  /// Takes a line, or counts it as lost when too many wait. The same line again is counted, and
  /// told with the next other one, or after some time. What came from outside can't act as more
  /// than text in it. `now` is monotonic, in nanoseconds.
  func add(_ line: String, at now: UInt64 = CommandSystem.monotonicNanoseconds()) {
    let bytes = Self.bytes(of: line)
    condition.withLock {
      if bytes == last.bytes, now - last.at < LogLimits.repeatNanoseconds {
        repeats += 1
        return
      }
      if repeats > 0 { put(Self.bytes(of: "the line before came \(Self.times(repeats))")) }
      repeats = 0
      last = (bytes, now)
      put(bytes)
    }
  }

  private static func times(_ count: Int) -> String {
    count == 1 ? "again" : "\(count) times more"
  }

  private func put(_ bytes: [UInt8]) {
    guard waitingBytes + bytes.count <= LogLimits.waitingBytes else { return lose() }
    waiting.append(bytes)
    waitingBytes += bytes.count
    start()
    condition.broadcast()
  }

  /// Waits until everything is written; false when the time is over before.
  @discardableResult
  func finish(milliseconds: Int) -> Bool {
    let end = Date(timeIntervalSinceNow: Double(milliseconds) / 1_000)
    return condition.withLock {
      while isWriting || !waiting.isEmpty {
        guard condition.wait(until: end) else { return false }
      }
      return true
    }
  }

  private static func bytes(of line: String) -> [UInt8] {
    let text = PlainText.escaped(line)
    guard text.utf8.count > LogLimits.lineBytes else { return Array("outlay: \(text)\n".utf8) }
    let kept = String(decoding: text.utf8.prefix(LogLimits.lineBytes), as: UTF8.self)
    return Array("outlay: \(kept)…\n".utf8)
  }

  private func lose() {
    lostLines += 1
    untoldLines += 1
  }

  private func start() {
    guard !isStarted else { return }
    isStarted = true
    let thread = Thread { [self] in
      Thread.current.name = "log"
      work()
    }
    thread.start()
  }

  private func work() {
    condition.lock()
    while true {
      guard !waiting.isEmpty else {
        condition.wait()
        continue
      }
      let line = waiting.removeFirst()
      waitingBytes -= line.count
      let untold = untoldLines
      isWriting = true
      condition.unlock()
      let isTold = untold > 0 && write(Array("outlay: \(untold) lines are missing here\n".utf8))
      let isWritten = write(line)
      condition.lock()
      isWriting = false
      if isTold { untoldLines -= untold }
      if !isWritten { lose() }
      condition.broadcast()
    }
  }

  private func write(_ bytes: [UInt8]) -> Bool {
    CommandSystem.write(bytes, to: descriptor) == 0
  }
}
