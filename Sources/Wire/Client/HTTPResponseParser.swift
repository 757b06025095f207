/// Answers out of bytes: those with Content-Length, those that end with the connection, and
/// chunked ones without extensions.
struct HTTPResponseParser {
  /// Takes one answer off the front; nil when it isn't complete yet.
  static func next(
    _ bytes: inout [UInt8], isHead: Bool, isEnded: Bool
  ) throws(WireError) -> (response: HTTPResponse, keepAlive: Bool)? {
    while let headEnd = end(of: bytes) {
      let head = String(decoding: bytes[..<headEnd], as: UTF8.self)
      var response = try parseHead(head)
      if response.status < 200 {
        bytes.removeFirst(headEnd)
        continue
      }
      let rest = bytes[headEnd...]
      guard let (body, used) = try body(of: response, rest, isHead: isHead, isEnded: isEnded) else {
        return nil
      }
      response.body = body
      bytes.removeFirst(headEnd + used)
      let keepAlive = response.header("Connection")?.lowercased() != "close"
      return (response, keepAlive)
    }
    return nil
  }

  private static func malformed(_ reason: String) -> WireError {
    WireError(operation: "read answer", reason: reason)
  }

  /// The index after the empty line.
  private static func end(of bytes: [UInt8]) -> Int? {
    bytes.withUnsafeBytes { raw in
      var position = 0
      while let feed = ByteSearch.firstNewline(in: raw, from: position) {
        if feed >= 3, raw[feed - 1] == ASCII.carriageReturn, raw[feed - 2] == ASCII.lineFeed {
          return feed + 1
        }
        position = feed + 1
      }
      return nil
    }
  }

  private static func parseHead(_ head: String) throws(WireError) -> HTTPResponse {
    let lines = head.utf8.split(separator: ASCII.lineFeed).map { line in
      String(decoding: line.last == ASCII.carriageReturn ? line.dropLast() : line, as: UTF8.self)
    }
    let words = (lines.first ?? "").split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
      throw malformed("not an HTTP/1.1 status line")
    }
    var headers: [(String, String)] = []
    for line in lines.dropFirst() where !line.isEmpty {
      guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else {
        throw malformed("a header without colon")
      }
      let value = line[line.utf8.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      headers.append((String(line[..<colon]), String(value)))
    }
    return HTTPResponse(status: status, headers: headers)
  }

  private static func body(
    of response: HTTPResponse, _ rest: ArraySlice<UInt8>, isHead: Bool, isEnded: Bool
  ) throws(WireError) -> (body: [UInt8], used: Int)? {
    if isHead || response.status == 204 || response.status == 304 { return ([], 0) }
    if response.header("Transfer-Encoding")?.lowercased() == "chunked" { return try chunks(rest) }
    if let text = response.header("Content-Length") {
      guard let length = Int(text), length >= 0 else { throw malformed("a malformed length") }
      guard rest.count >= length else { return nil }
      return (Array(rest.prefix(length)), length)
    }
    return isEnded ? (Array(rest), rest.count) : nil
  }

  private static func chunks(
    _ bytes: ArraySlice<UInt8>
  ) throws(WireError) -> (body: [UInt8], used: Int)? {
    var body: [UInt8] = []
    var rest = bytes
    while let feed = rest.firstIndex(of: ASCII.lineFeed) {
      let digits = rest[..<feed].prefix { ASCII.hexValue($0) != nil }
      guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16) else {
        throw malformed("a malformed chunk")
      }
      rest = rest[(feed + 1)...]
      guard rest.count - 2 >= size else { return nil }
      body += rest.prefix(size)
      rest = rest.dropFirst(size + 2)
      if size == 0 { return (body, bytes.count - rest.count) }
    }
    return nil
  }
}
