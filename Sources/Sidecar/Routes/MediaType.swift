import Wire

/// A media type without its parameters, compared without case.
struct MediaType: Equatable {
  var text: String

  static let json = MediaType(text: "application/json")
  static let ndjson = MediaType(text: "application/x-ndjson")

  /// What the request says its body is; nil when it says nothing. Two answers are none.
  static func of(_ request: HTTPRequest) throws(Problem) -> MediaType? {
    let values = request.headers("Content-Type")
    guard let value = values.first else { return nil }
    guard values.count == 1 else {
      throw Problem(
        status: 400, code: "invalid_header", detail: "Content-Type is given more than once.")
    }
    return MediaType(text: leading(value))
  }

  /// The part before the first semicolon, in lower case without spaces around it.
  static func leading(_ value: some StringProtocol) -> String {
    let isSpace = { (character: Character) in character == " " || character == "\t" }
    var text = Substring(value.prefix { $0 != ";" }).drop(while: isSpace)
    while let last = text.last, isSpace(last) { text.removeLast() }
    return text.lowercased()
  }
}
