/// Cuts a file or a pipe into lines, reading only when told that something is there.
struct LineReader {
  let descriptor: Int32
  private(set) var isAtEnd = false
  private var rest: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: CommandLimits.chunkBytes)
  private(set) var lineNumber = 0

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Reads once and hands over each complete line with its number from 1; at the end also a last
  /// line without newline. Throws for a line without end and when reading fails.
  mutating func read(_ body: (ArraySlice<UInt8>, Int) -> Void) throws(CommandFailure) {
    guard let count = CommandSystem.read(descriptor, into: &buffer) else {
      throw CommandFailure("can't read the input: \(CommandSystem.lastError)")
    }
    if count == 0 {
      isAtEnd = true
      if !rest.isEmpty { hand(rest[...], body) }
      rest = []
      return
    }
    var start = 0
    let end = buffer[..<count].endIndex
    while let newline = buffer[start..<end].firstIndex(of: UInt8(ascii: "\n")) {
      if rest.isEmpty {
        hand(buffer[start..<newline], body)
      } else {
        rest += buffer[start..<newline]
        hand(rest[...], body)
        rest = []
      }
      start = newline + 1
    }
    rest += buffer[start..<end]
    if rest.count > CommandLimits.lineBytes {
      throw CommandFailure("line \(lineNumber + 1) is longer than \(CommandLimits.lineBytes) bytes")
    }
  }

  private mutating func hand(_ line: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>, Int) -> Void) {
    lineNumber += 1
    body(line, lineNumber)
  }
}
