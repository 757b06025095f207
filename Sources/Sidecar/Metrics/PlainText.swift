/// Text on its way to a terminal or a page: what came from outside may say things, but not do them.
enum PlainText {
  /// The text with everything replaced that isn't shown: control characters, which a terminal
  /// obeys, and those that turn the direction of what follows.
  static func clean(_ text: String) -> String {
    var cleaned = ""
    for scalar in text.unicodeScalars {
      cleaned.unicodeScalars.append(isShown(scalar) ? scalar : "\u{FFFD}")
    }
    return cleaned
  }

  /// The text with control characters, and those that turn or break lines, as escapes: `\u{1B}`
  /// says what is there and does nothing. Those in `kept` stay.
  static func escaped(_ text: String, keeping kept: String = "") -> String {
    escaped(text, keeping: kept) { "\\u{\(String($0.value, radix: 16, uppercase: true))}" }
  }

  /// JSON with such characters in the escapes that JSON has for them; its line ends stay.
  static func escapedJSON(_ text: String) -> String {
    escaped(text, keeping: "\n\r\t") { scalar in
      let units = String(scalar).utf16.map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
      return units.joined()
    }
  }

  private static func escaped(
    _ text: String, keeping kept: String, _ escape: (Unicode.Scalar) -> String
  ) -> String {
    guard text.unicodeScalars.contains(where: isActing) else { return text }
    var escaped = ""
    for scalar in text.unicodeScalars {
      if isActing(scalar) && !kept.unicodeScalars.contains(scalar) {
        escaped += escape(scalar)
      } else {
        escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// Whether a scalar does something to what is around it.
  private static func isActing(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x7F { return scalar.value < 0x20 }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return false
    }
  }

  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator, .nonspacingMark, .enclosingMark:
      false
    default: true
    }
  }

  /// Columns that a cleaned text takes.
  static func width(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + width($1) }
  }

  /// A cleaned text of at most so many columns; what was cut shows as an ellipsis.
  static func cut(_ text: String, to columns: Int) -> String {
    guard width(text) > columns else { return text }
    guard columns > 0 else { return "" }
    var kept = ""
    var taken = 0
    for scalar in text.unicodeScalars {
      guard taken + width(scalar) < columns else { break }
      taken += width(scalar)
      kept.unicodeScalars.append(scalar)
    }
    return kept + "…"
  }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    wide.contains { $0.contains(scalar.value) } ? 2 : 1
  }

  /// What East Asian scripts and pictures take two columns for.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
    0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD,
  ]
}
