/// What answers HTTP requests. Called on the loop thread only.
package protocol HTTPService: AnyObject, Sendable {
  /// Answers a request: `reply` is sent exactly once, now or later, from any thread. Answers of
  /// one connection go out in the order of its requests, whatever the order they are given in.
  func handle(_ request: HTTPRequest, _ reply: HTTPReply)

  /// Asked when a head with a body to come is complete: false leaves the body unread until
  /// `EventLoop.resumeIngest()`, when it is asked again. Requests without body are never held.
  func shouldReadBody(of head: HTTPRequestHead) -> Bool

  /// The most bytes that the body behind a head may have; more is refused before it is read. What
  /// the loop takes at all is a bound beside it.
  func bodyLimit(of head: HTTPRequestHead) -> Int
}

extension HTTPService {
  /// Reads every body at once.
  package func shouldReadBody(of head: HTTPRequestHead) -> Bool { true }

  /// As much as the loop takes.
  package func bodyLimit(of head: HTTPRequestHead) -> Int { .max }
}
