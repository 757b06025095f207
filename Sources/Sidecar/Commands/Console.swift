import Glibc
import Synchronization

/// Standard output and standard error.
///
/// What comes from a store or a server may say things, but not do them: a control character is
/// printed as an escape. A print that fails is remembered, so that ``finish(_:)`` tells it once.
package enum Console {
  /// errno of the first print that failed; 0 while all went well.
  private static let outputFault = Atomic<Int32>(0)

  /// Prints text to standard output; line ends and tabs are kept.
  package static func print(_ text: String) {
    put(PlainText.escaped(text, keeping: "\n\t"))
  }

  /// Prints JSON to standard output, as it stands but for control characters in its strings.
  static func printJSON(_ bytes: [UInt8]) {
    let text = PlainText.escapedJSON(String(decoding: bytes, as: UTF8.self))
    put(text.hasSuffix("\n") ? text : text + "\n")
  }

  /// Prints a table in CSV to standard output; its line ends are kept.
  static func printCSV(_ bytes: [UInt8]) {
    put(PlainText.escaped(String(decoding: bytes, as: UTF8.self), keeping: "\r\n\t"))
  }

  /// Prints a screen with the sequences that a terminal obeys; everything from outside in it must
  /// have been cleaned.
  static func draw(_ screen: String) { put(screen) }

  private static func put(_ text: String) {
    let code = CommandSystem.write(Array(text.utf8), to: STDOUT_FILENO)
    if code != 0 {
      _ = outputFault.compareExchange(expected: 0, desired: code, ordering: .relaxed)
    }
  }

  /// Whether standard output takes nothing any more: then going on has no purpose.
  static var isOutputLost: Bool { outputFault.load(ordering: .relaxed) != 0 }

  /// Prints a complaint to standard error, which may have several lines.
  package static func complain(_ text: String) {
    let line = PlainText.escaped(text, keeping: "\n\t")
    CommandSystem.write(Array("\(line)\n".utf8), to: STDERR_FILENO)
  }

  /// Replaces the current line of the terminal on standard error.
  static func showProgress(_ line: String) {
    CommandSystem.write(Array("\r\u{1B}[K\(line)".utf8), to: STDERR_FILENO)
  }

  /// Removes what `showProgress` left.
  static func clearProgress() {
    CommandSystem.write(Array("\r\u{1B}[K".utf8), to: STDERR_FILENO)
  }

  /// The exit code of a program that did its work with `code`: what was printed must have arrived.
  /// Where the reader has gone the program ends as the system's own tools do, by SIGPIPE, without a
  /// word; anything else that kept output from arriving is told.
  package static func finish(_ code: Int32) -> Int32 {
    // Some file systems tell only now that there was no room.
    if close(STDOUT_FILENO) != 0 {
      _ = outputFault.compareExchange(expected: 0, desired: errno, ordering: .relaxed)
    }
    let fault = outputFault.load(ordering: .relaxed)
    guard fault != 0 else { return code }
    if fault == EPIPE { CommandSystem.endByClosedPipe() }
    complain("outlay: can't write to standard output: \(CommandSystem.message(of: fault))")
    return code == ExitCode.success ? ExitCode.failure : code
  }
}
