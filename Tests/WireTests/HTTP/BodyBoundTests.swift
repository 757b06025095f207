import Testing

@testable import Wire

/// Bodies and trailers at their bounds.
@Suite struct BodyBoundTests {
  private static let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

  /// What the parser says last of a chunked body with trailers of so many bytes, whole and cut.
  private static func verdict(trailerBytes: Int) -> Set<Int> {
    let line = "a: " + String(repeating: "b", count: 995) + "\r\n"
    var trailers = String(repeating: line, count: trailerBytes / 1_000)
    let rest = trailerBytes % 1_000
    if rest > 0 { trailers += "a: " + String(repeating: "b", count: rest - 5) + "\r\n" }
    let bytes = Array((head + "1\r\nx\r\n0\r\n" + trailers + "\r\n").utf8)
    let statuses = [1, 7, 4_096, bytes.count].map { size in
      let pieces = stride(from: 0, to: bytes.count, by: size).map {
        bytes[$0..<min(bytes.count, $0 + size)]
      }
      switch parse(pieces).last {
      case .request(_, let body): return body == [0x78] ? 200 : 0
      case .refuse(let refusal): return refusal.status
      default: return 0
      }
    }
    return Set(statuses)
  }

  @Test(arguments: [(0, 200), (Limits.headBytes, 200), (Limits.headBytes + 6, 431), (90_000, 431)])
  func trailersTogetherHaveTheBoundOfAHead(_ bytes: Int, _ expected: Int) {
    // Each by itself is far below it.
    #expect(Self.verdict(trailerBytes: bytes) == [expected])
  }

  @Test func aPathsOwnBoundHoldsBeforeTheBodyComes() throws {
    final class Narrow: HTTPService {
      func handle(_ request: HTTPRequest, _ reply: HTTPReply) {
        reply.send(HTTPResponse(status: 200, body: Array("\(request.body.count)".utf8)))
      }

      func bodyLimit(of head: HTTPRequestHead) -> Int { head.isPath("/wide") ? .max : 1_000 }
    }
    let folder = try temporaryFolder()
    var options = EventLoopOptions()
    options.bodyBytes = 5_000
    let loop = try EventLoop(options)
    let http = Narrow()
    try loop.listen(.unix(path: folder + "/s", mode: 0o600, group: nil), http: http)
    try loop.start()
    defer { loop.stop(within: .seconds(1)) }
    for (path, bytes, expected) in [
      ("/", 1_000, 200), ("/", 1_001, 413), ("/wide", 5_000, 200), ("/wide", 5_001, 413),
      ("/", Int.max, 413),
    ] {
      // Only the head, as a client that waits for 100 Continue sends it.
      let socket = try ClientSocket(unix: folder + "/s")
      let request =
        "POST \(path) HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
        + "Content-Length: \(bytes)\r\n\r\n"
      try socket.write(Array(request.utf8))
      while !socket.received.hasSuffix("\r\n\r\n"), !socket.isEnded {
        _ = try socket.waitForInput(milliseconds: nil)
      }
      let answer = String(decoding: socket.received, as: UTF8.self)
      #expect(answer.hasPrefix(expected == 200 ? "HTTP/1.1 100 " : "HTTP/1.1 413 "), "\(bytes)")
      let chunked = try ClientSocket(unix: folder + "/s")
      let size = String(min(bytes, 10_000), radix: 16)
      try chunked.write(
        Array(Self.head.replacing("POST /", with: "POST \(path)").utf8) + Array("\(size)\r\n".utf8)
          + [UInt8](repeating: 1, count: min(bytes, 10_000)) + Array("\r\n0\r\n\r\n".utf8))
      while chunked.received.isEmpty { _ = try chunked.waitForInput(milliseconds: nil) }
      #expect(
        String(decoding: chunked.received, as: UTF8.self).hasPrefix("HTTP/1.1 \(expected) "))
    }
  }
}
