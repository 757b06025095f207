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
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    var text = Array(value.utf8.prefix { $0 != UInt8(ascii: ";") })[...].drop(while: isSpace)
    while let last = text.last, isSpace(last) { text.removeLast() }
    let lowered = text.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
    return String(decoding: lowered, as: UTF8.self)
  }
}
