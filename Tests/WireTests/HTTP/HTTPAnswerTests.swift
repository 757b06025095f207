import Testing

@testable import Wire

@Suite struct HTTPAnswerTests {
  private func encode(
    _ response: HTTPResponse, _ manner: HTTPResponseEncoder.Manner = .init()
  ) -> String {
    var output: [UInt8] = []
    HTTPResponseEncoder.append(
      response, manner: manner, date: Array("today".utf8), to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  @Test func answersCarryDateAndLength() {
    let response = HTTPResponse(
      status: 200, headers: [("Content-Type", "text/plain")], body: Array("hi".utf8))
    let head = "HTTP/1.1 200 OK\r\nDate: today\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n"
    #expect(encode(response) == head + "\r\nhi")
    #expect(encode(response, .init(omitsBody: true)) == head + "\r\n")
    #expect(encode(response, .init(closes: true)) == head + "Connection: close\r\n\r\nhi")
    #expect(
      encode(response, .init(announcesKeepAlive: true))
        == head + "Connection: keep-alive\r\n\r\nhi")
  }

  @Test func noContentHasNoLength() {
    #expect(encode(HTTPResponse(status: 204)) == "HTTP/1.1 204 No Content\r\nDate: today\r\n\r\n")
  }

  @Test func aHeaderValueCannotBeginAnother() {
    let text = encode(HTTPResponse(status: 204, headers: [("X", "a\r\nY: b")]))
    #expect(text.contains("X: a  Y: b\r\n"))
  }

  @Test func problemsAreEscapedJSON() {
    let response = HTTPResponse.problem(
      status: 413, code: "body_too_large", detail: "\"a\\\n\u{1}é")
    #expect(
      text(response) == """
        {"type":"about:blank","title":"Content Too Large","status":413,"code":"body_too_large",\
        "detail":"\\"a\\\\\\n\\u0001é"}

        """)
  }

  @Test(
    arguments: [
      (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
      (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
      (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
      (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
    ] as [(Int64, String)])
  func datesAreFixed(second: Int64, expected: String) {
    #expect(HTTPDate.format(second) == expected)
  }

  @Test func percentCodingComesBack() {
    let bytes = (0...255).map { UInt8($0) }
    let encoded = PercentCoding.encode(bytes)
    #expect(PercentCoding.decode(Array(encoded.utf8)[...], plusIsSpace: true) == bytes)
    #expect(PercentCoding.encode("aZ09-._~ /".utf8) == "aZ09-._~%20%2F")
  }
}
