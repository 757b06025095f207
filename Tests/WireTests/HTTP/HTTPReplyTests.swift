import Testing

@testable import Wire

/// Answers out of bytes, as the programs of this package get them over a socket.
@Suite struct HTTPReplyTests {
  /// The answers as status and body, "more" where they go on, "bad" where they are none.
  private func read(_ text: String, isHead: Bool = false, isEnded: Bool = false) -> String {
    var bytes = Array(text.utf8)
    var said: [String] = []
    do throws(WireError) {
      while let (reply, keepAlive) = try HTTPResponseParser.next(
        &bytes, isHead: isHead, isEnded: isEnded)
      {
        said.append(
          "\(reply.status) \(String(decoding: reply.body, as: UTF8.self))\(keepAlive ? "" : ".")")
      }
    } catch {
      return (said + ["bad"]).joined(separator: "|")
    }
    return (said + (bytes.isEmpty ? [] : ["more"])).joined(separator: "|")
  }

  private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n"

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "200 hi"),
    ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi", "more"),
    ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: Close\r\n\r\n", "200 ."),
    ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\nHTTP/1.", "204 |more"),
    ("HTTP/1.1 200\r\nContent-Length: 1\r\n\r\na", "200 a"),
    ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "bad"),
    ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", "bad"),
    ("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n", "more"),
    ("HTTP/2 200 OK\r\n\r\n", "bad"), ("\r\n\r\n", "bad"), ("HTTP/1.1 OK\r\n\r\n", "bad"),
    ("HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "bad"),
    (chunked + "5\r\nhello\r\n0\r\n\r\n", "200 hello"),
    (chunked + "5\r\nhel", "more"), (chunked + "g\r\n", "bad"), (chunked + "\r\n", "bad"),
    (chunked + "7ffffffffffffffe\r\nx", "more"), (chunked + "7fffffffffffffff\r\nx", "more"),
    (chunked + "8000000000000000\r\nx", "bad"), (chunked + "0\r\n", "more"),
  ])
  func answersAreRead(text: String, expected: String) {
    #expect(read(text) == expected)
  }

  @Test func anAnswerMayEndWithItsConnection() {
    let text = "HTTP/1.0 200 OK\r\n\r\nuntil the end"
    #expect(read(text) == "more")
    #expect(read(text, isEnded: true) == "200 until the end")
    #expect(read("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", isHead: true) == "200 ")
  }
}
