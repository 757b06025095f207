import Glibc
import Synchronization
import Testing

@testable import Wire

/// Peers that ask and don't read.
@Suite struct UnreadTests {
  /// Answers each question with as many bytes as its path says.
  private final class Bulk: HTTPService {
    let handled = Atomic<Int>(0)

    func handle(_ request: HTTPRequest, _ reply: HTTPReply) {
      handled.add(1, ordering: .relaxed)
      let count = Int(request.path.dropFirst()) ?? 0
      reply.send(HTTPResponse(status: 200, body: [UInt8](repeating: 0x78, count: count)))
    }
  }

  private static let answerBytes = 500_000

  private static func ask(_ path: String, times: Int) throws -> ClientSocket {
    let socket = try ClientSocket(unix: path)
    let request = "GET /\(answerBytes) HTTP/1.1\r\nHost: a\r\n\r\n"
    try socket.write(Array(String(repeating: request, count: times).utf8))
    return socket
  }

  private static func serve(
    _ options: EventLoopOptions, _ body: (String, Bulk, EventLoop) throws -> Void
  ) throws {
    let folder = try temporaryFolder()
    defer { rmdir(folder) }
    let loop = try EventLoop(options)
    let http = Bulk()
    try loop.listen(.unix(path: folder + "/s", mode: 0o600, group: nil), http: http)
    try loop.start()
    defer { loop.stop(within: .milliseconds(100)) }
    try body(folder + "/s", http, loop)
  }

  @Test func oneIsAnsweredNoFurtherThanItReads() throws {
    try Self.serve(EventLoopOptions()) { path, http, loop in
      let socket = try Self.ask(path, times: 200)
      let honest = try UnixHTTPClient(path: path)
      for _ in 0..<50 { #expect(try honest.send(ClientRequest("GET", "/10")).status == 200) }
      // One fills the bound, and the kernel's buffer takes a part of it.
      #expect(http.handled.load(ordering: .relaxed) <= 50 + 2)
      #expect(
        loop.snapshot().mostUnreadBytes < Limits.outputBytes + Self.answerBytes + 1_000)
      // Reading on brings all the rest.
      var count = 0
      while count < 200 * Self.answerBytes {
        _ = try socket.waitForInput(milliseconds: nil)
        count += socket.received.count
        socket.received = []
      }
      #expect(http.handled.load(ordering: .relaxed) == 250)
    }
  }

  @Test func togetherTheyAreBoundAndTheSlowestIsCutOff() throws {
    var options = EventLoopOptions()
    options.outputPoolBytes = 4 << 20
    try Self.serve(options) { path, _, loop in
      let honest = try UnixHTTPClient(path: path)
      let hostile = try (0..<40).map { _ in
        let socket = try Self.ask(path, times: 100)
        #expect(try honest.send(ClientRequest("GET", "/100000")).body.count == 100_000)
        return socket
      }
      let figures = loop.snapshot()
      #expect(figures.mostUnreadBytes <= options.outputPoolBytes + Self.answerBytes + 1_000)
      #expect(figures.ended[.unread, default: 0] >= 20)
      #expect(try honest.send(ClientRequest("GET", "/100000")).body.count == 100_000)
      withExtendedLifetime(hostile) {}
    }
  }

  @Test func oneLargeAnswerAloneIsNotCutOff() throws {
    var options = EventLoopOptions()
    options.outputPoolBytes = 100_000
    try Self.serve(options) { path, _, _ in
      let client = try UnixHTTPClient(path: path)
      #expect(try client.send(ClientRequest("GET", "/3000000")).body.count == 3_000_000)
    }
  }

  @Test func whatIsSentIsNotKept() {
    var buffer = OutputBuffer()
    var sockets: [Int32] = [0, 0]
    socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &sockets)
    defer { for socket in sockets { close(socket) } }
    var input = [UInt8](repeating: 0, count: 50_000)
    buffer.append([UInt8](repeating: 1, count: 1_000_000))
    // A peer that is always a little behind.
    for _ in 0..<200 {
      _ = buffer.flush(to: sockets[0])
      let count = read(sockets[1], &input, input.count)
      buffer.append([UInt8](repeating: 1, count: max(0, count)))
    }
    #expect(buffer.sent > 5_000_000 && buffer.bytes.count < 2_500_000)
  }
}
