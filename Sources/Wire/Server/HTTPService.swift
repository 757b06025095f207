/// What answers HTTP requests. Called on the loop thread only.
package protocol HTTPService: AnyObject, Sendable {
  /// Answers a request: `reply` is sent exactly once, now or later, from any thread. Answers of
  /// one connection go out in the order of its requests, whatever the order they are given in.
  func handle(_ request: HTTPRequest, _ reply: HTTPReply)

  /// Asked when a head with a body to come is complete: false leaves the body unread until
  /// `EventLoop.resumeIngest()`, when it is asked again. Requests without body are never held.
  func shouldReadBody(of head: HTTPRequestHead) -> Bool
}

extension HTTPService {
  /// Reads every body at once.
  package func shouldReadBody(of head: HTTPRequestHead) -> Bool { true }
}
