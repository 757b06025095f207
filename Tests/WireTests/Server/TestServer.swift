import Glibc
import Synchronization

@testable import Wire

/// A loop with an echoing service on a socket in a folder of its own.
final class TestServer {
  let folder: String
  let path: String
  let loop: EventLoop
  let http = EchoHTTP()
  let stream = EchoStream()

  init(
    _ options: EventLoopOptions = EventLoopOptions(), mode: UInt32 = 0o600,
    path given: String? = nil
  ) throws {
    folder = try temporaryFolder()
    path = given ?? folder + "/s"
    loop = try EventLoop(options)
    try loop.listen(.unix(path: path, mode: mode, group: nil), http: http, stream: stream)
    try loop.start()
  }

  func figures() -> LoopFigures { loop.snapshot() }

  deinit {
    loop.stop(within: .seconds(5))
    rmdir(folder)
  }
}

extension EventLoop {
  /// The figures as of now, from another thread.
  func snapshot() -> LoopFigures {
    let found = Lock<LoopFigures?>(nil)
    execute { found.withLock { $0 = self.figures } }
    while true {
      if let figures = found.withLock({ $0 }) { return figures }
      sched_yield()
    }
  }
}

func temporaryFolder() throws -> String {
  var template = Array("/tmp/outlay-wire-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else {
    throw WireError(operation: "mkdtemp", reason: "failed")
  }
  return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Answers with method, path and body length; "/hold" waits until `releaseHeld`.
final class EchoHTTP: HTTPService {
  private let held = Lock<[(HTTPReply, HTTPResponse)]>([])
  let bodiesPaused = Atomic<Bool>(false)
  let handled = Atomic<Int>(0)

  func shouldReadBody(of head: HTTPRequestHead) -> Bool {
    !bodiesPaused.load(ordering: .relaxed) || head.path != "/events"
  }

  func handle(_ request: HTTPRequest, _ reply: HTTPReply) {
    handled.add(1, ordering: .relaxed)
    let text = "\(request.method) \(request.path) \(request.body.count)"
    let response = HTTPResponse(
      status: 200, headers: [("Content-Type", "text/plain")], body: Array(text.utf8))
    if request.path.hasPrefix("/hold") {
      held.withLock { $0.append((reply, response)) }
    } else {
      reply.send(response)
    }
  }

  var heldCount: Int { held.withLock { $0.count } }

  /// Of these, how many somebody still waits for.
  var awaitedCount: Int { held.withLock { $0.filter(\.0.isAwaited).count } }

  /// Answers what was held, the last first; returns how many.
  @discardableResult
  func releaseHeld() -> Int {
    let all = held.withLock { held in
      let all = held
      held = []
      return all
    }
    for (reply, response) in all.reversed() { reply.send(response) }
    return all.count
  }
}

/// Acknowledges the number of lines since the last call; too long ones as "long".
final class EchoStream: StreamService {
  let aborted = Atomic<Int>(0)

  func opened(_ stream: StreamHandle) {}

  func receive(_ stream: StreamHandle, _ lines: UnsafeRawBufferPointer) -> Int {
    stream.write(Array("\(lines.count { $0 == UInt8(ascii: "\n") })\n".utf8))
    return lines.count
  }

  func tooLong(_ stream: StreamHandle) { stream.write(Array("long\n".utf8)) }

  func finished(_ stream: StreamHandle) {
    stream.write(Array("end\n".utf8))
    stream.close()
  }

  func aborted(_ stream: StreamHandle) { aborted.add(1, ordering: .relaxed) }
}

extension Array where Element == UInt8 {
  func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
