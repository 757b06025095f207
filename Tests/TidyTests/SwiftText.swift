import Foundation

/// What formatted Swift source shows without a parser: the closing brace of a declaration stands
/// below its first letter.
enum SwiftText {
  static func indentation(_ line: String) -> Int { line.prefix { $0 == " " }.count }

  /// The words of a declaration's first line, attributes and modifiers included; nil for a comment
  /// or an empty line.
  static func words(_ line: String) -> [Substring]? {
    let text = line.drop { $0 == " " }
    if text.isEmpty || text.hasPrefix("//") { return nil }
    return text.split { $0 == " " || $0 == "(" || $0 == "<" || $0 == ":" }
  }

  /// Lines without those inside multi-line string literals.
  static func withoutLiterals(_ lines: [String]) -> [String] {
    var isInside = false
    return lines.map { line in
      let quotes = line.components(separatedBy: "\"\"\"").count - 1
      let wasInside = isInside
      if quotes % 2 == 1 { isInside.toggle() }
      return wasInside ? "" : line
    }
  }

  /// Index of the line that closes the function that begins at `start`; nil for one without body
  /// or on one line.
  static func end(ofFunctionAt start: Int, in lines: [String]) -> Int? {
    let indent = indentation(lines[start])
    for index in (start + 1)..<max(lines.count, start + 1) {
      let line = lines[index]
      guard let first = line.first(where: { $0 != " " }), indentation(line) <= indent else {
        continue
      }
      if indentation(line) < indent { return nil }
      if first == "}" { return index }
      // A signature over several lines closes its parentheses there.
      if first != ")" && first != "{" && !line.drop(while: { $0 == " " }).hasPrefix("where ") {
        return nil
      }
    }
    return nil
  }
}
