/// Standard output and standard error.
package enum Console {
  /// Prints to standard output as it stands.
  package static func print(_ text: String) {
    CommandSystem.write(Array(text.utf8), to: 1)
  }

  /// Prints one line to standard error.
  package static func complain(_ line: String) {
    CommandSystem.write(Array("\(line)\n".utf8), to: 2)
  }

  /// Replaces the current line of the terminal on standard error.
  static func showProgress(_ line: String) {
    CommandSystem.write(Array("\r\u{1B}[K\(line)".utf8), to: 2)
  }

  /// Removes what `showProgress` left.
  static func clearProgress() {
    CommandSystem.write(Array("\r\u{1B}[K".utf8), to: 2)
  }
}
