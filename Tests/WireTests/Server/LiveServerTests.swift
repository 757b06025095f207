import Glibc
import Synchronization
import Testing

@testable import Wire

@Suite struct LiveServerTests {
  @Test func requestsAreAnsweredInOrderThoughRepliesComeLast() throws {
    let server = try TestServer()
    let client = try UnixHTTPClient(path: server.path)
    let paths = (0..<300).map { $0 % 3 == 0 ? "/hold\($0)" : "/now\($0)" }
    let releaser = try LoopThread(name: "releaser") { [http = server.http] in
      while http.handled.load(ordering: .relaxed) < 300 {
        if http.heldCount > 20 { http.releaseHeld() }
        sched_yield()
      }
      http.releaseHeld()
    }
    let answers = try client.sendAll(paths.map { ClientRequest("POST", $0) })
    releaser.join()
    #expect(answers.map { text($0) } == paths.map { "POST \($0) 0" })
  }

  @Test func questionsOfOneConnectionComeOneByOne() throws {
    let server = try TestServer()
    let client = try UnixHTTPClient(path: server.path)
    let releaser = try LoopThread(name: "releaser") { [http = server.http] in
      var mostHeld = 0
      // Each is let go, not only handled: it is held a moment later.
      var released = 0
      while released < 40 {
        mostHeld = max(mostHeld, http.heldCount)
        released += http.releaseHeld()
        sched_yield()
      }
      #expect(mostHeld == 1)
    }
    let paths = (0..<40).map { "/hold\($0)" }
    let answers = try client.sendAll(paths.map { ClientRequest("GET", $0) })
    releaser.join()
    #expect(answers.map { text($0) } == paths.map { "GET \($0) 0" })
  }

  @Test func manyConnectionsAreServedAtOnce() throws {
    let server = try TestServer()
    let clients = try (0..<200).map { _ in try UnixHTTPClient(path: server.path) }
    let body = [UInt8](repeating: 1, count: 2000)
    let answers = try clients.map { try $0.send(ClientRequest("POST", "/a", body: body)) }
    #expect(answers.allSatisfy { text($0) == "POST /a 2000" })
  }

  @Test func aSlowClientIsToldAndStopsNobody() throws {
    var options = EventLoopOptions()
    // Long enough for the quick one on a busy machine, between its connection and its request.
    options.timeouts.head = .seconds(2)
    let server = try TestServer(options)
    let slow = try ClientSocket(unix: server.path)
    try slow.write(Array("GET / HTT".utf8))
    let quick = try UnixHTTPClient(path: server.path)
    #expect(try quick.send(ClientRequest("GET", "/")).status == 200)
    while !slow.isEnded { _ = try slow.waitForInput(milliseconds: nil) }
    #expect(String(decoding: slow.received, as: UTF8.self).hasPrefix("HTTP/1.1 408 "))
  }

  @Test func bodiesBeyondThePoolWaitWhileSmallRequestsPass() throws {
    var options = EventLoopOptions()
    options.bodyBytes = 1 << 20
    options.bodyPoolBytes = 1 << 21
    options.bodyPoolReserveBytes = 1 << 20
    let server = try TestServer(options)
    let size = 1 << 20
    let head = Array("POST /big HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n".utf8)
    let large = try (0..<4).map { _ in try ClientSocket(unix: server.path) }
    for socket in large { try socket.write(head + [1]) }
    let small = try UnixHTTPClient(path: server.path)
    let request = ClientRequest("POST", "/small", body: [1, 2, 3])
    #expect(text(try small.send(request)) == "POST /small 3")
    #expect(try small.send(ClientRequest("GET", "/q")).status == 200)
    // Each finishes its own body, in whatever order the pool lets them in.
    let rest = [UInt8](repeating: 2, count: size - 1)
    let threads = try large.map { socket in
      let box = Unchecked(socket)
      return try LoopThread(name: "large") {
        try? box.value.write(rest)
        while box.value.received.isEmpty, !box.value.isEnded {
          _ = try? box.value.waitForInput(milliseconds: nil)
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(
      large.allSatisfy {
        String(decoding: $0.received, as: UTF8.self).hasSuffix("POST /big \(size)")
      })
  }

  @Test func chunkedBodiesGrowOutOfTheReserve() throws {
    var options = EventLoopOptions()
    options.bodyBytes = 200_000
    options.bodyPoolBytes = 300_000
    options.bodyPoolReserveBytes = 70_000
    let server = try TestServer(options)
    let chunk = "186A0\r\n" + String(repeating: "x", count: 100_000) + "\r\n"
    let request =
      "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(chunk)\(chunk)0\r\n\r\n"
    for _ in 0..<3 {
      let answer = try exchange(server, request + "GET /z HTTP/1.0\r\n\r\n")
      #expect(answer.contains("POST /c 200000") && answer.contains("GET /z 0"))
    }
    let over = request.replacing("0\r\n\r\n", with: "1\r\nx\r\n0\r\n\r\n")
    #expect(try exchange(server, over).hasPrefix("HTTP/1.1 413 "))
  }

  @Test func ingestPausesWhileQuestionsGoOn() throws {
    let server = try TestServer()
    server.http.bodiesPaused.store(true, ordering: .relaxed)
    server.loop.pauseIngest()
    let paused = try ClientSocket(unix: server.path)
    try paused.write(
      Array("POST /events HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n".utf8)
        + Array("Content-Length: 2\r\n\r\n".utf8))
    let stream = try UnixStreamConnection(path: server.path)
    try stream.write(Array("{}\n{}\n".utf8))
    let client = try UnixHTTPClient(path: server.path)
    for _ in 0..<3 {
      #expect(try client.send(ClientRequest("POST", "/q", body: [1])).status == 200)
    }
    try paused.receive()
    #expect(paused.received.isEmpty)
    server.http.bodiesPaused.store(false, ordering: .relaxed)
    server.loop.resumeIngest()
    while !paused.received.hasSuffix("\r\n\r\n") {
      _ = try paused.waitForInput(milliseconds: nil)
    }
    try paused.write([1, 2])
    paused.received = []
    while !paused.received.hasSuffix("POST /events 2") {
      _ = try paused.waitForInput(milliseconds: nil)
    }
    try stream.write(Array("{}\n".utf8))
    stream.finishWriting()
    #expect(try sum(stream) == 3)
  }

  @Test func streamsAreAcknowledgedToTheLastLine() throws {
    let server = try TestServer()
    let stream = try UnixStreamConnection(path: server.path)
    let line = Array(("{" + String(repeating: "x", count: 200) + "}\n").utf8)
    for _ in 0..<20 { try stream.write(Array(repeatElement(line, count: 1000).joined())) }
    try stream.write([UInt8](repeating: 7, count: 70_000) + Array("\n\n{last".utf8))
    stream.finishWriting()
    var lines: [String] = []
    while !stream.isEnded {
      lines += try stream.readLines(waitMilliseconds: nil).map {
        String(decoding: $0, as: UTF8.self)
      }
    }
    #expect(lines.compactMap { Int($0) }.reduce(0, +) == 20_002)
    #expect(lines.contains("long") && lines.last == "end")
  }

  @Test func anotherFirstByteIsRefused() throws {
    let server = try TestServer()
    let answer = try exchange(server, "[1]\n")
    #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains("\"code\":\"bad_request\""))
  }

  @Test func stoppingLetsAnswersOutAndRemovesTheSocket() throws {
    let server = try TestServer()
    let socket = try ClientSocket(unix: server.path)
    try socket.write(Array("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    while server.http.heldCount == 0 { sched_yield() }
    let stopper = try LoopThread(name: "stopper") { [loop = server.loop] in
      loop.stop(within: .seconds(60))
    }
    while access(server.path, F_OK) == 0 { sched_yield() }
    server.http.releaseHeld()
    while !socket.isEnded { _ = try socket.waitForInput(milliseconds: nil) }
    let answer = String(decoding: socket.received, as: UTF8.self)
    #expect(answer.contains("Connection: close") && answer.hasSuffix("GET /hold 0"))
    _ = consume socket
    stopper.join()
  }

  @Test func theMetricsListenerTellsItsPort() throws {
    let loop = try EventLoop()
    let http = EchoHTTP()
    let address = try loop.listen(.tcp("127.0.0.1:0"), http: http)
    try loop.start()
    defer { loop.stop(within: .seconds(1)) }
    #expect(!address.hasSuffix(":0"))
    let client = try UnixHTTPClient(tcp: address)
    #expect(text(try client.send(ClientRequest("GET", "/metrics"))) == "GET /metrics 0")
    let head = try client.send(ClientRequest("HEAD", "/metrics"))
    #expect(head.body.isEmpty && head.header("content-length") == "15")
  }

  private func sum(_ stream: UnixStreamConnection) throws -> Int {
    var total = 0
    while !stream.isEnded {
      for line in try stream.readLines(waitMilliseconds: nil) {
        total += Int(String(decoding: line, as: UTF8.self)) ?? 0
      }
    }
    return total
  }
}

/// Lets a test's own object cross into a thread that has it alone until joined.
struct Unchecked<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}

func text(_ response: HTTPResponse) -> String {
  String(decoding: response.body, as: UTF8.self)
}

/// Sends, half-closes, and returns all that comes back.
func exchange(_ server: TestServer, _ request: String) throws -> String {
  let socket = try ClientSocket(unix: server.path)
  try socket.write(Array(request.utf8))
  socket.finishWriting()
  while !socket.isEnded { _ = try socket.waitForInput(milliseconds: nil) }
  return String(decoding: socket.received, as: UTF8.self)
}
