@testable import Wire

extension FuzzTarget {
  /// Lines of a stream: however the bytes are cut, the lines are those that splitting at newlines
  /// gives.
  static let lines = FuzzTarget(
    name: "lines", goal: "lines",
    words: ["\n", "\n\n", "\r\n", "{}\n", "12345678", "1234567\n"],
    seeds: {
      ["{a}\n{b}\n", "\n\n{a}\n\n", "12345678\n123456789\n1\n", "1234567890123", "{a}\n{last"]
        .flatMap { [[3, 1] + Array(text: $0), [255, 255] + Array(text: $0)] }
    }
  ) { input, run in
    var steering = Pieces(input)
    let number = steering.word()
    let bytes = Array(steering.rest)
    var pieces = Pieces.cut(bytes, by: number)
    if run.takesTwin { pieces[0] = pieces[0].dropLast() }
    let lines = framed(pieces)
    run.agree(lines, split(bytes), "lines of pieces and of the whole")
    if lines.count > 2 { run.reach("lines") }
  }

  private static let limit = 8

  /// The lines that the framer gives; nil stands for one that is too long.
  private static func framed(_ pieces: [[UInt8]]) -> [[UInt8]?] {
    var framer = LineFramer(limit: limit)
    var lines: [[UInt8]?] = []
    func add(_ bytes: some Collection<UInt8>) {
      lines += bytes.dropLast().split(separator: 10, omittingEmptySubsequences: false)
        .map { Array($0) }
    }
    for piece in pieces {
      piece.withUnsafeBytes { bytes in
        var rest = bytes
        while let output = framer.next(&rest) {
          switch output {
          case .lines(let run): add(run)
          case .joined(let line): add(line)
          case .tooLong: lines.append(nil)
          }
        }
      }
    }
    if let last = framer.finish() { add(last) }
    return lines
  }

  private static func split(_ bytes: [UInt8]) -> [[UInt8]?] {
    var lines = bytes.split(separator: 10, omittingEmptySubsequences: false).map { Array($0) }
    // Behind the last newline nothing has begun.
    if lines.last == [] { lines.removeLast() }
    return lines.map { $0.count > limit ? nil : $0 }
  }
}
