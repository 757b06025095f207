import Glibc

extension CommandSystem {
  /// How a terminal treats what is typed.
  struct TerminalModes {
    fileprivate var modes: termios
  }

  /// The size of the terminal on standard output; nil when it has none.
  static func terminalSize() -> TopScreen.Size? {
    var size = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return nil
    }
    return TopScreen.Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }

  /// Has keys told as they are pressed, and not shown; returns what is to be restored, nil when
  /// standard input is no terminal. Stopping is off, since it would leave the screen taken.
  static func listenToKeys() -> TerminalModes? {
    var modes = termios()
    guard tcgetattr(0, &modes) == 0 else { return nil }
    let saved = TerminalModes(modes: modes)
    modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
    withUnsafeMutableBytes(of: &modes.c_cc) { $0[Int(VSUSP)] = 0 }
    tcsetattr(0, TCSANOW, &modes)
    return saved
  }

  /// Ends the process as the system ends one that writes to a pipe without a reader.
  static func endByClosedPipe() {
    Glibc.signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
  }

  /// Puts the terminal back.
  static func restore(_ saved: TerminalModes) {
    var modes = saved.modes
    tcsetattr(0, TCSANOW, &modes)
  }
}
