package import Wire

/// Tells of the process and its store.
package enum HealthAnswer {
  /// 200: the process answers.
  package static let health = HTTPResponse(
    status: 200, headers: [("Content-Type", "text/plain; charset=utf-8")],
    body: Array("ok\n".utf8))

  /// 200 when the store takes writes, else 503 `store_unavailable`.
  package static func readiness(isReady: Bool) -> HTTPResponse {
    isReady ? health : Problem.notReady.response
  }
}
