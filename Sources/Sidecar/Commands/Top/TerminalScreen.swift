/// The terminal's second page, without its cursor and without echo, until it is closed.
final class TerminalScreen {
  private let saved: CommandSystem.TerminalModes?

  /// Takes the terminal.
  init() {
    saved = CommandSystem.listenToKeys()
    Console.draw("\u{1B}[?1049h\u{1B}[?25l")
  }

  /// Puts lines in the place of those before.
  func show(_ lines: [String]) {
    // Line by line rather than cleared first, so that nothing flickers.
    Console.draw("\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\n") + "\u{1B}[J")
  }

  /// Waits for a key; true when it is one that ends the program.
  func waitForQuit(milliseconds: Int32) -> Bool {
    guard saved != nil else {
      CommandSystem.sleep(milliseconds: Int(milliseconds))
      return false
    }
    var keyboard = [CommandSystem.Interest(0, input: true, output: false)]
    CommandSystem.poll(&keyboard, milliseconds: milliseconds)
    guard keyboard[0].isReadable else { return false }
    var keys = [UInt8](repeating: 0, count: 64)
    guard let count = CommandSystem.read(0, into: &keys), count > 0 else {
      CommandSystem.sleep(milliseconds: Int(milliseconds))
      return false
    }
    return keys[..<count].contains { [UInt8(ascii: "q"), UInt8(ascii: "Q"), 3].contains($0) }
  }

  /// Gives the terminal back as it was.
  func close() {
    Console.draw("\u{1B}[?25h\u{1B}[?1049l")
    if let saved { CommandSystem.restore(saved) }
  }
}
