extension HTTPResponse {
  /// An error as RFC 9457 has it: status, its phrase as title, a stable `code`, and a detail.
  package static func problem(
    status: Int, code: String, detail: String, headers: [(String, String)] = []
  ) -> HTTPResponse {
    var text = "{\"type\":\"about:blank\",\"title\":"
    appendJSON(HTTPStatus.phrase(status), to: &text)
    text += ",\"status\":\(status),\"code\":"
    appendJSON(code, to: &text)
    text += ",\"detail\":"
    appendJSON(detail, to: &text)
    text += "}\n"
    return HTTPResponse(
      status: status, headers: [("Content-Type", "application/problem+json")] + headers,
      body: Array(text.utf8))
  }

  private static func appendJSON(_ value: String, to text: inout String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\u{0}"..<"\u{20}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
