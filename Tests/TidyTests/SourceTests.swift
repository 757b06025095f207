import Testing

/// Rules of style that the formatter doesn't know.
struct SourceTests {
  private static let columns = 100
  private static let fileLines = 400
  private static let functionLines = 60
  /// Words that stand for work not done or for faults not handled.
  private static let forbidden = ["try" + "!", "fatal" + "Error(", "TO" + "DO", "FIX" + "ME"]

  @Test func linesFit() {
    let long = Repository.swiftFiles.flatMap { file in
      file.lines.enumerated()
        .filter { $0.element.count > Self.columns && !Self.isOnlyText($0.element) }
        .map { "\(file.path):\($0.offset + 1): \($0.element.count) columns" }
    }
    #expect(long == [])
  }

  @Test func filesFit() {
    let long = Repository.swiftFiles.filter { $0.lines.count > Self.fileLines }
      .map { "\($0.path): \($0.lines.count) lines" }
    #expect(long == [])
  }

  @Test func functionsFit() {
    var long: [String] = []
    for file in Repository.swiftFiles {
      let lines = SwiftText.withoutLiterals(file.lines)
      for (index, line) in lines.enumerated() where Self.beginsFunction(line) {
        guard let end = SwiftText.end(ofFunctionAt: index, in: lines) else { continue }
        let count = end - index + 1
        if count > Self.functionLines { long.append("\(file.path):\(index + 1): \(count) lines") }
      }
    }
    #expect(long == [])
  }

  @Test func nothingIsLeftOpen() {
    let found = Repository.swiftFiles.flatMap { file in
      file.lines.enumerated().flatMap { index, line in
        Self.forbidden.filter(line.contains).map { "\(file.path):\(index + 1): \($0)" }
      }
    }
    #expect(found == [])
  }

  @Test func whatCrossesTargetsIsDocumented() {
    var bare: [String] = []
    for file in Repository.swiftFiles where file.path.hasPrefix("Sources/") {
      for (index, line) in file.lines.enumerated() where Self.needsDocumentation(line) {
        var above = index - 1
        while above >= 0, file.lines[above].drop(while: { $0 == " " }).hasPrefix("@") { above -= 1 }
        let comment = above >= 0 ? file.lines[above].drop { $0 == " " } : ""
        if !comment.hasPrefix("///") {
          bare.append("\(file.path):\(index + 1): \(line.drop { $0 == " " })")
        }
      }
    }
    #expect(bare == [])
  }

  /// A line of one literal, which may not be cut where what it says would be.
  private static func isOnlyText(_ line: String) -> Bool {
    let text = line.drop { " +(#".contains($0) }
    return text.hasPrefix("\"")
  }

  private static func beginsFunction(_ line: String) -> Bool {
    guard let words = SwiftText.words(line) else { return false }
    return words.prefix(6).contains {
      ["func", "init", "init?", "deinit", "subscript"].contains($0)
    }
  }

  /// What protocols ask for is documented there.
  private static let requirements: Set<Substring> = Set(
    Repository.swiftFiles.filter { $0.path.hasPrefix("Sources/") }.flatMap { file in
      var isProtocol = false
      return file.lines.compactMap { line -> Substring? in
        let words = SwiftText.words(line) ?? []
        if line.first != " " { isProtocol = words.contains("protocol") || isProtocol && line == "" }
        guard isProtocol, let keyword = words.firstIndex(of: "func"), keyword + 1 < words.count
        else { return nil }
        return words[keyword + 1]
      }
    })

  /// Types and functions; operators and what a protocol asks for explain themselves.
  private static func needsDocumentation(_ line: String) -> Bool {
    guard let words = SwiftText.words(line), words.contains("package"), !words.contains("import"),
      let keyword = words.firstIndex(where: {
        ["func", "struct", "class", "enum", "protocol", "actor"].contains($0)
      }),
      words.firstIndex(of: "package").map({ $0 < keyword }) == true, keyword + 1 < words.count
    else { return false }
    let name = words[keyword + 1]
    let isOperator = line.contains(/func [^A-Za-z_`]/)
    return !isOperator && name != "hash" && !requirements.contains(name)
  }
}
