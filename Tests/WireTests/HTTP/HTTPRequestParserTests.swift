import Testing

@testable import Wire

@Suite struct HTTPRequestParserTests {
  static let messages: [String] = [
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "\r\nPUT /v1/a%20b?x=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
    "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.0\r\n\r\n\r\nGET /3 HTTP/1.1\r\nHost:\r\n\r\n",
    "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\nExpect: 100-continue\r\n\r\n"
      + "5;x=\"y\"\r\nhello\r\n00a\r\n0123456789\r\n0\r\nX-T: 1\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n",
    "GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\nBAD LINE\r\n\r\n",
  ]

  @Test(arguments: messages, [Int.max, 2])
  func everySplitSaysTheSame(message: String, allowance: Int) {
    let bytes = Array(message.utf8)
    let whole = parse([bytes], allowance: allowance)
    var different: [Int] = []
    for split in 0...bytes.count
    where parse([bytes[..<split], bytes[split...]], allowance: allowance) != whole {
      different.append(split)
    }
    #expect(different.isEmpty)
    #expect(parse(bytes.map { [$0] }, allowance: allowance) == whole)
  }

  @Test func pipelinedRequestsComeOneByOne() {
    let paths = parse([Array(Self.messages[2].utf8)]).map { action in
      if case .request(let head, _) = action { head.path } else { "?" }
    }
    #expect(paths == ["/1", "/2", "/3"])
  }

  @Test func chunksAreJoinedAndTrailersDropped() {
    let actions = parse([Array(Self.messages[3].utf8)])
    guard actions.count == 3, case .request(let head, let body) = actions[1] else {
      Issue.record("unexpected actions")
      return
    }
    #expect(body == Array("hello0123456789".utf8) && head.expectsContinue)
    #expect(head.contentLength == nil && head.header("x-t") == nil)
  }

  @Test func fieldsAreFoundAndDecoded() throws {
    let found = try #require(
      head(
        "GET /v1/a%2Fb//%C3%A9+?q=a+b%26&flag&q=2&= HTTP/1.1\r\nHost: a\r\nX-One: \t 1 \r\n"
          + "x-one:2\r\nEmpty:\r\n\r\n"))
    #expect(found.path == "/v1/a%2Fb//%C3%A9+")
    #expect(
      found.segments.map { String(decoding: $0, as: UTF8.self) } == ["v1", "a/b", "", "é+"])
    #expect(
      found.query.map { "\($0.name)=\(String(decoding: $0.value, as: UTF8.self))" } == [
        "q=a b&", "flag=", "q=2", "=",
      ])
    #expect(found.headers("X-ONE") == ["1", "2"] && found.header("empty") == "")
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", true),
    ("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n", false),
    ("GET / HTTP/1.0\r\n\r\n", false),
    ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true),
    ("GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n", false),
  ])
  func connectionsAreKeptAsAsked(text: String, keepAlive: Bool) {
    #expect(head(text)?.keepAlive == keepAlive)
  }

  @Test func theHeadLimitIsExact() {
    let frame = "GET / HTTP/1.1\r\nHost: a\r\nX: \r\n\r\n"
    let room = Limits.headBytes - frame.utf8.count
    let sizes = [room, room + 1].map { size in
      status("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: size))\r\n\r\n")
    }
    #expect(sizes == [200, 431])
    #expect(status(String(repeating: "A", count: Limits.headBytes)) == 0)
    #expect(status(String(repeating: "A", count: Limits.headBytes + 1)) == 431)
  }

  /// Of all trailers together, each of which fits alone.
  @Test func theTrailerLimitIsExact() {
    // Beside the text a field has its name, a colon and a line break.
    let half = Limits.headBytes / 2 - 4
    let fields = [half, half + 1].map { count in
      "X:\(String(repeating: "x", count: half))\r\nY:\(String(repeating: "y", count: count))\r\n"
    }
    let sizes = fields.map { trailers in
      status(
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\(trailers)\r\n")
    }
    #expect(sizes == [200, 431])
  }

  @Test func theBodyLimitIsExact() {
    let fixed = [5, 6].map { size in
      status("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n", bodyLimit: 5)
    }
    let chunked = ["5\r\nhello\r\n0\r\n\r\n", "5\r\nhello\r\n1\r\nx"].map { body in
      status(
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + body, bodyLimit: 5)
    }
    #expect(fixed == [200, 413] && chunked == [200, 413])
  }
}
