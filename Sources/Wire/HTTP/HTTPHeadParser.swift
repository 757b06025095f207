/// Checks a complete head: every line ends in CRLF, the last one is empty. Whatever two parsers
/// might read differently is refused.
struct HTTPHeadParser {
  private let bytes: [UInt8]
  private var position = 0
  private var head: HTTPRequestHead
  private var hosts = 0
  private var connectionClose = false
  private var connectionKeepAlive = false
  private var isChunked = false
  private var length: Int?
  private let bodyLimit: Int

  static func parse(_ bytes: [UInt8], bodyLimit: Int) throws(HTTPRefusal) -> HTTPRequestHead {
    var parser = HTTPHeadParser(bytes, bodyLimit: bodyLimit)
    try parser.requestLine()
    while let line = parser.nextLine() {
      let field = try Self.field(in: bytes, line: line)
      try parser.note(field)
      parser.head.fields.append(field)
    }
    return try parser.finished()
  }

  private init(_ bytes: [UInt8], bodyLimit: Int) {
    self.bytes = bytes
    self.bodyLimit = bodyLimit
    head = HTTPRequestHead(
      bytes: bytes, methodRange: 0..<0, pathRange: 0..<0, queryRange: 0..<0, fields: [],
      isVersion11: true, keepAlive: true, expectsContinue: false, contentLength: 0)
  }

  /// The next line without its CRLF; nil at the empty one.
  private mutating func nextLine() -> Range<Int>? {
    var end = position
    while bytes[end] != ASCII.lineFeed { end += 1 }
    let line = position..<(end - 1)
    position = end + 1
    return line.isEmpty ? nil : line
  }

  private mutating func requestLine() throws(HTTPRefusal) {
    guard let line = nextLine() else { throw .badRequest("The request line is missing.") }
    guard let first = bytes[line].firstIndex(of: ASCII.space),
      let last = bytes[line].lastIndex(of: ASCII.space), first < last
    else { throw .badRequest("The request line is not method, target and version.") }
    head.methodRange = line.lowerBound..<first
    guard !head.methodRange.isEmpty, bytes[head.methodRange].allSatisfy(ASCII.isToken) else {
      throw .badRequest("The method is not a token.")
    }
    try version(bytes[(last + 1)..<line.upperBound])
    try target((first + 1)..<last)
  }

  private mutating func version(_ text: ArraySlice<UInt8>) throws(HTTPRefusal) {
    let start = text.startIndex
    guard text.count == 8, text.starts(with: "HTTP/".utf8), ASCII.isDigit(text[start + 5]),
      text[start + 6] == UInt8(ascii: "."), ASCII.isDigit(text[start + 7])
    else { throw .badRequest("The version is not HTTP/1.1.") }
    guard text[start + 5] == UInt8(ascii: "1") else { throw .version }
    head.isVersion11 = text[start + 7] != UInt8(ascii: "0")
  }

  private mutating func target(_ range: Range<Int>) throws(HTTPRefusal) {
    let text = bytes[range]
    guard !text.isEmpty, text.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") })
    else { throw .badRequest("The request target holds bytes that are not allowed.") }
    guard PercentCoding.isValid(text) else {
      throw .badRequest("The request target holds a malformed percent escape.")
    }
    var start = range.lowerBound
    if let scheme = ["http://", "https://"].first(where: { text.starts(with: $0.utf8) }) {
      start += scheme.utf8.count
      while start < range.upperBound, bytes[start] != UInt8(ascii: "/"),
        bytes[start] != UInt8(ascii: "?")
      {
        start += 1
      }
    } else if bytes[start] != UInt8(ascii: "/"), !text.elementsEqual("*".utf8) {
      throw .badRequest("The request target is not a path.")
    }
    let mark = bytes[start..<range.upperBound].firstIndex(of: UInt8(ascii: "?"))
    head.pathRange = start..<(mark ?? range.upperBound)
    head.queryRange = (mark.map { $0 + 1 } ?? range.upperBound)..<range.upperBound
  }

  /// Splits a header line, also of a trailer, into name and trimmed value.
  static func field(
    in bytes: [UInt8], line: Range<Int>
  ) throws(HTTPRefusal) -> HTTPRequestHead.Field {
    let first = bytes[line.lowerBound]
    guard first != ASCII.space, first != ASCII.tab else {
      throw .badRequest("A header line is folded.")
    }
    guard let colon = bytes[line].firstIndex(of: UInt8(ascii: ":")), colon > line.lowerBound,
      bytes[line.lowerBound..<colon].allSatisfy(ASCII.isToken)
    else { throw .badRequest("A header name is not a token followed by a colon.") }
    var start = colon + 1
    var end = line.upperBound
    guard bytes[start..<end].allSatisfy(ASCII.isFieldValue) else {
      throw .badRequest("A header value holds control characters.")
    }
    while start < end, isBlank(bytes[start]) { start += 1 }
    while end > start, isBlank(bytes[end - 1]) { end -= 1 }
    return HTTPRequestHead.Field(name: line.lowerBound..<colon, value: start..<end)
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == ASCII.space || byte == ASCII.tab
  }

  /// Takes in what decides the framing. The switch on lengths spares most headers a comparison.
  private mutating func note(_ field: HTTPRequestHead.Field) throws(HTTPRefusal) {
    switch field.name.count {
    case 4 where isNamed(field, "host"): try noteHost(field)
    case 6 where isNamed(field, "expect"):
      guard isValued(field, "100-continue") else { throw .expectation }
      head.expectsContinue = true
    case 10 where isNamed(field, "connection"):
      for token in bytes[field.value].split(separator: UInt8(ascii: ",")) {
        let name = String(
          decoding: token.filter { !Self.isBlank($0) }.map(ASCII.lowered), as: UTF8.self)
        if name == "close" { connectionClose = true }
        if name == "keep-alive" { connectionKeepAlive = true }
      }
    case 14 where isNamed(field, "content-length"): try noteLength(field)
    case 17 where isNamed(field, "transfer-encoding"):
      guard !isChunked else { throw .badRequest("Transfer-Encoding is given twice.") }
      try noteCodings(field)
      isChunked = true
    default: break
    }
  }

  private mutating func noteHost(_ field: HTTPRequestHead.Field) throws(HTTPRefusal) {
    hosts += 1
    let forbidden = Array(" \t,/?#@\\".utf8)
    guard !bytes[field.value].contains(where: { forbidden.contains($0) || $0 > 0x7E }) else {
      throw .badRequest("Host is not a host.")
    }
  }

  private mutating func noteLength(_ field: HTTPRequestHead.Field) throws(HTTPRefusal) {
    guard length == nil else { throw .badRequest("Content-Length is given twice.") }
    let digits = bytes[field.value]
    guard !digits.isEmpty, digits.allSatisfy(ASCII.isDigit) else {
      throw .badRequest("Content-Length is not a number.")
    }
    // Any number too long for Int is beyond the body limit, which `finished` compares.
    length = Int(String(decoding: digits, as: UTF8.self)) ?? Int.max
  }

  private func noteCodings(_ field: HTTPRequestHead.Field) throws(HTTPRefusal) {
    guard !isValued(field, "chunked") else { return }
    let codings = bytes[field.value].split(
      separator: UInt8(ascii: ","), omittingEmptySubsequences: false
    )
    .map { String(decoding: $0.filter { !Self.isBlank($0) }.map(ASCII.lowered), as: UTF8.self) }
    let known: Set = ["gzip", "x-gzip", "deflate", "compress", "x-compress"]
    guard codings.last == "chunked", codings.dropLast().allSatisfy(known.contains) else {
      throw .badRequest("Transfer-Encoding doesn't end the body clearly.")
    }
    throw .transferCoding
  }

  private func isNamed(_ field: HTTPRequestHead.Field, _ name: String) -> Bool {
    ASCII.equalIgnoringCase(bytes[field.name], name.utf8)
  }

  private func isValued(_ field: HTTPRequestHead.Field, _ value: String) -> Bool {
    ASCII.equalIgnoringCase(bytes[field.value], value.utf8)
  }

  private mutating func finished() throws(HTTPRefusal) -> HTTPRequestHead {
    guard hosts <= 1, hosts == 1 || !head.isVersion11 else {
      throw .badRequest("Exactly one Host header is required.")
    }
    guard !isChunked || length == nil else {
      throw .badRequest("Content-Length and Transfer-Encoding exclude each other.")
    }
    guard !isChunked || head.isVersion11 else {
      throw .badRequest("HTTP/1.0 has no Transfer-Encoding.")
    }
    if let length, length > bodyLimit { throw .bodyTooLarge(bodyLimit) }
    head.contentLength = isChunked ? nil : length ?? 0
    head.keepAlive = !connectionClose && (head.isVersion11 || connectionKeepAlive)
    head.expectsContinue = head.expectsContinue && head.isVersion11 && head.hasBody
    return head
  }
}
