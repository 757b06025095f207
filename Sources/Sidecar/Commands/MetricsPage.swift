import Wire

/// A reading of `/metrics`.
struct MetricsPage {
  /// One value with its labels.
  struct Sample: Equatable {
    var labels: [String: String] = [:]
    var value: Double
  }

  private let lines: [Substring]

  /// Asks the server. Throws when it doesn't answer.
  init(_ address: ServerAddress) throws(CommandFailure) {
    let body = try address.get("/metrics", accept: "text/plain; version=0.0.4").body
    lines = String(decoding: body, as: UTF8.self).split(separator: "\n")
  }

  /// Takes a text in the classic format.
  init(text: String) { lines = text.split(separator: "\n") }

  /// All values of a metric, in the text's order.
  func samples(_ name: String) -> [Sample] {
    lines.compactMap { line in
      guard line.hasPrefix(name), let mark = line.dropFirst(name.count).first,
        mark == "{" || mark == " "
      else { return nil }
      return Self.sample(line.dropFirst(name.count))
    }
  }

  /// A sample behind its name: `{a="x",b="y"} 1`.
  private static func sample(_ text: Substring) -> Sample? {
    guard let end = text.lastIndex(of: " "), let value = Double(text[text.index(after: end)...])
    else { return nil }
    var sample = Sample(value: value)
    var rest = text[..<end].dropFirst()
    while let equals = rest.firstIndex(of: "="), let (label, after) = quoted(rest[equals...]) {
      sample.labels[String(rest[..<equals])] = label
      rest = after.dropFirst()
    }
    return sample
  }

  /// The text between `="` and the next quote that isn't escaped, and what follows it.
  private static func quoted(_ text: Substring) -> (label: String, rest: Substring)? {
    var label = ""
    var isEscaped = false
    for index in text.indices.dropFirst(2) {
      let character = text[index]
      if isEscaped {
        label.append(character == "n" ? "\n" : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        return (label, text[text.index(after: index)...])
      } else {
        label.append(character)
      }
    }
    return nil
  }

  /// The value of a metric without labels. Throws when the server has no such metric.
  func value(_ name: String) throws(CommandFailure) -> Double {
    for line in lines where line.hasPrefix("\(name) ") {
      if let value = Double(line.dropFirst(name.count + 1)) { return value }
    }
    throw CommandFailure("the server has no metric \(name)")
  }
}
