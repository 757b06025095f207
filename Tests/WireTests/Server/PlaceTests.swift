import Dispatch
import Glibc
import Testing

@testable import Wire

/// Who gets a place at a listener that has none left.
@Suite struct PlaceTests {
  private static func server(places: Int) throws -> TestServer {
    var options = EventLoopOptions()
    // One user may have three quarters.
    options.connections = places * 4 / 3
    return try TestServer(options)
  }

  private static func connect(_ server: TestServer, _ said: String) throws -> ClientSocket {
    let socket = try ClientSocket(unix: server.path)
    if !said.isEmpty { try socket.write(Array(said.utf8)) }
    return socket
  }

  @Test(arguments: ["", "GET / HTTP/1.1\r\nHost:", "{", "{\"a\":1"])
  func whoNeverSaysAnythingWholeGivesWay(_ said: String) throws {
    let server = try Self.server(places: 12)
    let resting = try UnixHTTPClient(path: server.path)
    #expect(try resting.send(ClientRequest("GET", "/")).status == 200)
    let stream = try UnixStreamConnection(path: server.path)
    try stream.write(Array("{}\n".utf8))
    while try stream.readLines(waitMilliseconds: nil).isEmpty {}
    // Ten times as many as there are places.
    let hostile = try (0..<120).map { _ in try Self.connect(server, said) }
    for _ in 0..<3 {
      let client = try UnixHTTPClient(path: server.path)
      #expect(try client.send(ClientRequest("GET", "/")).status == 200)
    }
    #expect(try resting.send(ClientRequest("GET", "/")).status == 200)
    try stream.write(Array("{}\n".utf8))
    while try stream.readLines(waitMilliseconds: nil).isEmpty {}
    #expect(server.figures().ended[.gaveWay, default: 0] >= 108)
    #expect(server.figures().connections <= 12)
    withExtendedLifetime(hostile) {}
  }

  @Test func amongEqualsTheIdleLongestGivesWay() throws {
    let server = try Self.server(places: 3)
    let sockets = try (0..<3).map { _ in try ClientSocket(unix: server.path) }
    for index in [0, 1, 2, 0, 2] {
      sockets[index].received = []
      try sockets[index].write(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      while !sockets[index].received.hasSuffix("GET / 0") {
        _ = try sockets[index].waitForInput(milliseconds: nil)
      }
    }
    let newcomer = try UnixHTTPClient(path: server.path)
    #expect(try newcomer.send(ClientRequest("GET", "/")).status == 200)
    for socket in sockets { try socket.receive() }
    #expect(sockets.map(\.isEnded) == [false, true, false])
  }

  /// A newcomer is seen before what the one idle longest has just asked is read.
  @Test func whoHasJustAskedIsNotIdle() throws {
    let server = try Self.server(places: 3)
    let sockets = try (0..<3).map { _ in try ClientSocket(unix: server.path) }
    while server.figures().connections < 3 { sched_yield() }
    let stands = DispatchSemaphore(value: 0)
    let goesOn = DispatchSemaphore(value: 0)
    server.loop.execute {
      stands.signal()
      goesOn.wait()
    }
    stands.wait()
    // Both wait for the loop, the newcomer first.
    let newcomer = try ClientSocket(unix: server.path)
    let question = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    try newcomer.write(question)
    try sockets[0].write(question)
    goesOn.signal()
    for socket in [sockets[0], newcomer] {
      while !socket.isEnded, !socket.received.hasSuffix("GET / 0") {
        _ = try socket.waitForInput(milliseconds: nil)
      }
      #expect(!socket.isEnded)
    }
    while !sockets[1].isEnded { _ = try sockets[1].waitForInput(milliseconds: nil) }
  }

  /// Requests that wait for room aren't read, and so their peers' ends aren't either.
  @Test func whoHasGoneKeepsNoPlace() throws {
    var options = EventLoopOptions()
    options.connections = 4
    options.bodyBytes = 1 << 20
    options.bodyPoolBytes = 1 << 21
    options.bodyPoolReserveBytes = 1 << 20
    let server = try TestServer(options)
    let head = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\n"
    let first = try Self.connect(server, head)
    do {
      let waiting = try (0..<2).map { _ in try Self.connect(server, head) }
      while server.figures().connections < 3 { sched_yield() }
      let isRead = DispatchSemaphore(value: 0)
      server.loop.execute { isRead.signal() }
      isRead.wait()
      withExtendedLifetime(waiting) {}
    }
    for _ in 0..<2 {
      let newcomer = try UnixHTTPClient(path: server.path)
      #expect(try newcomer.send(ClientRequest("GET", "/")).status == 200)
    }
    #expect(server.figures().ended[.refused, default: 0] == 0)
    withExtendedLifetime(first) {}
  }

  /// Work for an answer is not begun for who has gone, even while he had more to ask.
  @Test func whoHasGoneIsNotWorkedFor() throws {
    let server = try Self.server(places: 3)
    let stays = try Self.connect(server, "GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
    while server.http.heldCount < 1 { sched_yield() }
    do {
      let more = String(repeating: "GET /hold HTTP/1.1\r\nHost: a\r\n\r\n", count: 2_000)
      let goes = try Self.connect(server, more)
      while server.http.heldCount < 2 { sched_yield() }
      withExtendedLifetime(goes) {}
    }
    let end = System.monotonicNanoseconds() + 100 * Limits.goneLookNanoseconds
    while server.http.awaitedCount > 1, System.monotonicNanoseconds() < end {
      // A turn of the loop, as others' requests make them.
      let hasTurned = DispatchSemaphore(value: 0)
      server.loop.execute { hasTurned.signal() }
      hasTurned.wait()
    }
    #expect(server.http.awaitedCount == 1)
    server.http.releaseHeld()
    withExtendedLifetime(stays) {}
  }

  @Test func whereAllAreServedTheNewcomerIsToldSo() throws {
    let server = try Self.server(places: 3)
    let served = try (0..<3).map { _ in
      try Self.connect(server, "GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
    }
    while server.http.heldCount < 3 { sched_yield() }
    let newcomer = try ClientSocket(unix: server.path)
    while !newcomer.isEnded { _ = try newcomer.waitForInput(milliseconds: nil) }
    let answer = String(decoding: newcomer.received, as: UTF8.self)
    #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.contains("\"code\":\"busy\""))
    #expect(answer.contains("Retry-After: 1"))
    server.http.releaseHeld()
    for socket in served {
      while !socket.received.hasSuffix("GET /hold 0") {
        _ = try socket.waitForInput(milliseconds: nil)
      }
    }
    #expect(server.figures().ended[.refused] == 1)
  }

  @Test func oneUserLeavesPlacesToOthers() {
    let capacity = Limits.connections
    let listener = Listener(
      descriptor: -1, name: "", http: EchoHTTP(), stream: nil, capacity: capacity, isUnix: true,
      file: nil)
    #expect(listener.share == capacity * 3 / 4)
    // All places, the other listeners' and the store's descriptors fit the customary limit.
    #expect(capacity + Limits.scrapeConnections + Limits.reservedDescriptors <= 1_024)
  }

  /// What each state of a connection is worth, in the order in which they give way.
  @Test func places() throws {
    let now: Int64 = 10_000_000_000
    func connection(_ change: (Connection) -> Void) -> Place? {
      let connection = Connection(
        id: ConnectionID(slot: 0, generation: 0), descriptor: -1, listener: 0, user: nil, now: 0,
        http: EchoHTTP(), stream: nil, bodyLimit: 100)
      change(connection)
      return connection.place(at: now)
    }
    func feed(_ connection: Connection, _ text: String) {
      connection.speech = .http
      _ = Array(text.utf8).withUnsafeBytes { connection.parser.consume($0) }
    }
    #expect(connection { _ in } == .unused)
    #expect(connection { feed($0, "GET / HT") } == .unused)
    #expect(
      connection {
        feed($0, "")
        $0.hasSpoken = true
      } == .resting)
    let body = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n"
    #expect(connection { feed($0, body) } == .unfinished)
    #expect(
      connection {
        feed($0, body)
        $0.lastActivity = now - 1
      } == nil)
    #expect(
      connection {
        feed($0, "")
        $0.replies.append(Connection.PendingReply(manner: HTTPResponseEncoder.Manner()))
      } == nil)
    #expect(
      connection {
        feed($0, "")
        $0.output.append([1])
        $0.isOutputBlocked = true
      } == .unread)
    let order: [Place] = [.unused, .resting, .unread, .unfinished, .quiet]
    #expect(order == order.sorted())
  }
}
