import Glibc
import Testing

@testable import Sidecar

/// The log by itself, on pipes of the test.
struct LogLinesTests {
  /// A pipe of one page, whose ends are closed with it.
  private final class SmallPipe {
    private(set) var input: Int32
    let output: Int32

    init() throws {
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else { throw CommandFailure(CommandSystem.lastError) }
      (input, output) = (ends[0], ends[1])
      let setSize: Int32 = 1_031  // F_SETPIPE_SZ
      _ = fcntl(output, setSize, 4_096)
    }

    deinit {
      close(input)
      close(output)
    }

    /// What has come within some time; empty when nothing did.
    func some(milliseconds: Int32 = 60_000) -> String {
      var interest = [CommandSystem.Interest(input, input: true, output: false)]
      CommandSystem.poll(&interest, milliseconds: milliseconds)
      var buffer = [UInt8](repeating: 0, count: 65_536)
      guard interest[0].isReadable, let count = CommandSystem.read(input, into: &buffer) else {
        return ""
      }
      return String(decoding: buffer[..<count], as: UTF8.self)
    }

    /// What has come, until `isEnough`.
    func read(until isEnough: (String) -> Bool) -> String {
      var text = ""
      while !isEnough(text) { text += some() }
      return text
    }
  }

  @Test func linesComeInOrder() throws {
    let pipe = try SmallPipe()
    let log = LogLines(descriptor: pipe.output)
    for number in 0..<10 { log.add("line \(number)") }
    log.finish(milliseconds: 60_000)
    let expected = (0..<10).map { "outlay: line \($0)\n" }.joined()
    #expect(pipe.read { $0.count >= expected.count } == expected)
    #expect(log.lost == 0)
  }

  @Test func whoReadsAgainIsToldWhatIsMissing() throws {
    let pipe = try SmallPipe()
    let log = LogLines(descriptor: pipe.output)
    let line = String(repeating: "x", count: 1_000)
    // More than the pipe and the queue hold; none of it waits for a reader.
    let count = 2 * LogLimits.waitingBytes / line.utf8.count
    for number in 0..<count { log.add("\(number)\(line)") }
    #expect(log.lost > 0)
    log.finish(milliseconds: 10)
    let lost = log.lost
    var text = ""
    // To the end, since a pipe without a reader would end the test's own process.
    repeat { text += pipe.some(milliseconds: 1) } while !log.finish(milliseconds: 1)
    while case let rest = pipe.some(milliseconds: 0), !rest.isEmpty { text += rest }
    #expect(text.contains("outlay: \(lost) lines are missing here\n"))
  }

  @Test func whatComesFromOutsideIsText() throws {
    let pipe = try SmallPipe()
    let log = LogLines(descriptor: pipe.output)
    log.add("a\nb\u{1B}[2Jc\u{9B}d\u{202E}e")
    let text = pipe.read { $0.hasSuffix("\n") }
    #expect(text == #"outlay: a\u{A}b\u{1B}[2Jc\u{9B}d\u{202E}e"# + "\n")
  }

  @Test func theSameLineIsCounted() throws {
    let pipe = try SmallPipe()
    let log = LogLines(descriptor: pipe.output)
    let rest = LogLimits.repeatNanoseconds
    for now in [0, 1, rest - 1, rest, rest + 1] { log.add("a", at: now) }
    log.add("b", at: rest + 2)
    let expected = [
      "a", "the line before came 2 times more", "a", "the line before came again", "b",
    ]
    .map { "outlay: \($0)\n" }.joined()
    #expect(pipe.read { $0.utf8.count >= expected.utf8.count } == expected)
  }

  @Test func aLineIsBounded() throws {
    let pipe = try SmallPipe()
    let log = LogLines(descriptor: pipe.output)
    log.add(String(repeating: "ä", count: LogLimits.lineBytes))
    let text = pipe.read { $0.hasSuffix("\n") }
    #expect(text.utf8.count <= LogLimits.lineBytes + 20)
    #expect(text.hasSuffix("…\n"))
  }
}
