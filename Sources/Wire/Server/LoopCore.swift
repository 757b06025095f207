/// The loop thread's state.
final class LoopCore {
  weak var loop: EventLoop?
  var idle: () -> Void = {}

  init(_ options: EventLoopOptions) throws(WireError) {}

  func listen(
    _ address: ListenAddress, http: any HTTPService, stream: (any StreamService)?
  ) throws(WireError) -> String {
    throw WireError(operation: "listen", reason: "not built yet")
  }

  func apply(_ message: LoopMessage) {}
  func run() {}
  func wake() {}
  func closeListeners() {}
}
