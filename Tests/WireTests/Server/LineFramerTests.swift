import Testing

@testable import Wire

@Suite struct LineFramerTests {
  /// The lines that come out of the pieces, each as text with "|" for its newline.
  private func lines(_ pieces: [[UInt8]], limit: Int) -> String {
    var framer = LineFramer(limit: limit)
    var text: [UInt8] = []
    for piece in pieces {
      piece.withUnsafeBytes { bytes in
        var rest = bytes
        while let output = framer.next(&rest) {
          switch output {
          case .lines(let lines): text += lines
          case .joined(let line): text += line
          case .tooLong: text += Array("LONG\n".utf8)
          }
        }
      }
    }
    text += framer.finish() ?? []
    return String(decoding: text.map { $0 == 10 ? UInt8(ascii: "|") : $0 }, as: UTF8.self)
  }

  @Test(arguments: [
    ("{a}\n{b}\n", "{a}|{b}|"), ("\n\n{a}\n\n", "||{a}||"), ("{a}\n{last", "{a}|{last|"),
    ("12345\n123456\n1\n", "12345|LONG|1|"), ("1234567890123\n\n2\n", "LONG||2|"),
    ("1234567890123", "LONG"), ("12345", "12345|"), ("", ""), ("a\r\nb", "a\r|b|"),
    ("123456\n123456\n12345\n123456", "LONG|LONG|12345|LONG"),
  ])
  func everySplitGivesTheSameLines(input: String, expected: String) {
    let bytes = Array(input.utf8)
    let want = expected == "LONG" || expected.hasSuffix("|LONG") ? expected + "|" : expected
    var outputs: Set = [lines([bytes], limit: 5), lines(bytes.map { [$0] }, limit: 5)]
    for first in 0...bytes.count {
      for second in first...bytes.count {
        let pieces = [bytes[..<first], bytes[first..<second], bytes[second...]].map { Array($0) }
        outputs.insert(lines(pieces, limit: 5))
      }
    }
    #expect(outputs == [want])
  }

  @Test func aFullChunkOfLinesIsHandedOverInOneRun() {
    let line = Array("{\"id\":1}\n".utf8)
    let chunk = Array(repeatElement(line, count: Limits.readBytes / line.count).joined())
    var runs = 0
    chunk.withUnsafeBytes { bytes in
      var framer = LineFramer()
      var rest = bytes
      while case .lines(let lines)? = framer.next(&rest) {
        runs += lines.count == bytes.count ? 1 : 9
      }
    }
    #expect(runs == 1)
  }

  @Test func theLimitIsExact() {
    let limit = Limits.lineBytes
    let fits = [UInt8](repeating: 120, count: limit) + [10]
    #expect(lines([fits], limit: limit).utf8.count == limit + 1)
    #expect(lines([[120] + fits], limit: limit) == "LONG|")
  }
}
