import Metering

/// Reads what the server answers.
enum AnswerJSON {
  static func parse(_ bytes: [UInt8]) throws(CommandFailure) -> JSONNode {
    do throws(JSONFault) {
      return try JSONNode.parse(bytes, dialect: .strict)
    } catch {
      throw CommandFailure("the server's answer isn't JSON: \(error.message)")
    }
  }
}

extension JSONNode {
  /// A scalar as people write it; "–" for null and for what isn't there. A control character in it
  /// is an escape.
  static func plain(_ node: JSONNode?) -> String {
    switch node?.value {
    case .string(let text), .number(let text): PlainText.escaped(text.string)
    case .bool(let flag): flag ? "true" : "false"
    default: "–"
    }
  }

  /// A string's or number's text; nil for anything else.
  var text: String? {
    (string ?? number)?.string
  }
}
