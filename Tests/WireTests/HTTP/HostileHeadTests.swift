import Testing

@testable import Wire

/// Heads that two parsers might read differently, and the status that refuses each.
@Suite struct HostileHeadTests {
  @Test(arguments: [
    ("two lengths", "Content-Length: 1\r\nContent-Length: 2\r\n", 400),
    ("two equal lengths", "Content-Length: 1\r\ncontent-length: 1\r\n", 400),
    ("a list of lengths", "Content-Length: 1, 1\r\n", 400),
    ("a signed length", "Content-Length: +1\r\n", 400),
    ("a negative length", "Content-Length: -1\r\n", 400),
    ("a hexadecimal length", "Content-Length: 0x1\r\n", 400),
    ("an empty length", "Content-Length:\r\n", 400),
    ("a huge length", "Content-Length: 99999999999999999999999\r\n", 413),
    ("length and chunks", "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", 400),
    ("chunks and length", "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n", 400),
    ("chunks twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400),
    ("chunks twice in one", "Transfer-Encoding: chunked, chunked\r\n", 400),
    ("chunks not last", "Transfer-Encoding: chunked, gzip\r\n", 400),
    ("almost chunks", "Transfer-Encoding: xchunked\r\n", 400),
    ("vertical tab before chunks", "Transfer-Encoding: \u{0B}chunked\r\n", 400),
    ("an unknown coding", "Transfer-Encoding: gzip, chunked\r\n", 501),
    ("a folded header", "X: a\r\n b\r\n", 400),
    ("a header folded by tab", "X: a\r\n\tb\r\n", 400),
    ("a first header folded", " X: a\r\n", 400),
    ("bare LF", "X: a\nY: b\r\n", 400),
    ("bare CR", "X: a\rY: b\r\n", 400),
    ("CR CR LF", "X: a\r\r\n", 400),
    ("NUL in a value", "X: a\0b\r\n", 400),
    ("a space before the colon", "X : a\r\n", 400),
    ("a space in a name", "X Y: a\r\n", 400),
    ("an empty name", ": a\r\n", 400),
    ("no colon", "Content-Length\r\n", 400),
    ("brackets in a name", "[X]: a\r\n", 400),
    ("letters beyond ASCII in a name", "Ĥ: a\r\n", 400),
    ("two hosts", "Host: b\r\n", 400),
    ("another expectation", "Expect: 200-ok\r\n", 417),
    ("text beyond ASCII in a value", "X: é\r\n", 200),
  ])
  func headersAreJudged(name: String, lines: String, expected: Int) {
    #expect(status("POST / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n") == expected, "\(name)")
    // The same header first, before the Host.
    #expect(status("POST / HTTP/1.1\r\n\(lines)Host: a\r\n\r\n") == expected, "\(name), first")
  }

  @Test(arguments: [
    ("GET /  HTTP/1.1", 400), ("GET  / HTTP/1.1", 400), ("GET /a b HTTP/1.1", 400),
    ("GET\t/ HTTP/1.1", 400), ("GET / HTTP/1.1 ", 400), ("GET /", 400), ("GET", 400),
    ("GET / http/1.1", 400), ("GET / HTTP/1.10", 400), ("GET / HTTP/11", 400),
    ("GET / HTTP/2.0", 505), ("PRI * HTTP/2.0", 505), ("GET / HTTP/0.9", 505),
    ("GET / HTTP/1.2", 200), ("G@T / HTTP/1.1", 400), ("GET a HTTP/1.1", 400),
    ("GET /%zz HTTP/1.1", 400), ("GET /% HTTP/1.1", 400), ("GET /%4 HTTP/1.1", 400),
    ("GET /?q=%4 HTTP/1.1", 400), ("GET /#a HTTP/1.1", 400), ("GET /é HTTP/1.1", 400),
    ("GET /\u{7F} HTTP/1.1", 400), ("CONNECT a:443 HTTP/1.1", 400),
    ("OPTIONS * HTTP/1.1", 200), ("GET http://a/b HTTP/1.1", 200), ("GET /a?b?c HTTP/1.1", 200),
  ])
  func requestLinesAreJudged(line: String, expected: Int) {
    #expect(status("\(line)\r\nHost: a\r\n\r\n") == expected)
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.0\r\n\r\n", 200),
    ("GET / HTTP/1.1\r\nHost:\r\n\r\n", 200), ("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", 200),
    ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400), ("GET / HTTP/1.1\n\n", 400),
    ("\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
  ])
  func hostsAndVersionsAreJudged(text: String, expected: Int) {
    #expect(status(text) == expected)
  }

  @Test(arguments: [
    ("5\r\nhello\r\n0\r\n\r\n", 200), ("5 \r\nhello", 400), (" 5\r\nhello", 400),
    ("+5\r\nhello", 400), ("-5\r\nhello", 400), ("0x5\r\nhello", 400), ("\r\n", 400),
    ("g\r\n", 400), (";a\r\n", 400), ("5\nhello", 400), ("5\r\nhelloX", 400),
    ("5\r\nhello\n", 400), ("5\r\nhello\r\r", 400), ("5;a=\u{1}\r\nhello", 400),
    ("00000000000000005\r\nhello", 400), ("ffffffffffffffff\r\n", 413),
    ("1000001\r\n", 413), ("5;\(String(repeating: "x", count: 300))\r\n", 400),
    ("0\r\n folded\r\n\r\n", 400), ("0\r\nX: y\n\r\n", 400), ("0\r\nno colon\r\n\r\n", 400),
    ("0\r\nX: \(String(repeating: "x", count: 17_000))\r\n\r\n", 431),
    ("0\r\nX: y\r\nZ: y\r\n\r\n", 200),
  ])
  func chunksAreJudged(body: String, expected: Int) {
    let text = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(body)"
    #expect(status(text) == expected)
  }
}
