/// What one request may ask for.
package enum RouteLimits {
  /// Longest id or customer key in bytes, the same as for events.
  package static let idBytes = 256
  /// Longest body of every route but events, in bytes: Apple's payload has about 2 KiB, and these
  /// bodies become trees in memory.
  package static let smallBodyBytes = 65_536
  /// What a list of single results may take of an answer, bytes: some thousands of them, and no
  /// more than that however many events a request has. What is left out is counted in the answer.
  package static let answerListBytes = 1 << 20
  /// Signed payloads that may wait to be proved: a second's work. Apple comes again later.
  package static let waitingSignatures = 256
  /// Readings of one opening balance, as in an event.
  package static let openingReadings = 64
  /// Items of a page when the client names no limit.
  package static let pageItems = 100
  /// Most items of a page, so that no page takes a reader for long.
  package static let pageItemsMax = 1000
  /// Items of a page that is answered among the short questions: some milliseconds.
  package static let shortPageItems = 100
  /// Most records looked at for one filtered page; the cursor goes on from there.
  package static let pageScan = 10_000
  /// Most windows of one cost table: ten years of days.
  package static let costWindows = 3700
  /// Seconds a client should wait after a 503: about the time that a full disk is noticed freed.
  package static let retryAfterSeconds = 1
  /// Most microseconds that a consent may lie in the future, the clock skew events have: since the
  /// newest `at` wins, a far one could never be withdrawn.
  package static let clockSkewMicroseconds: Int64 = 300_000_000
  /// Longest that a client may wait for a change, seconds: below the patience of most proxies.
  package static let waitSeconds = 60
  /// Clients that may wait at once: more than responders there are. One more than these lets the
  /// one that waits longest go with what there is.
  package static let waitingClients = 64
  /// Longest claim of a case, seconds: it bridges one attempt to send, and nobody else can send
  /// before it ends.
  package static let claimSeconds: Int64 = 3_600
  /// A claim that names no length, seconds.
  package static let defaultClaimSeconds: Int64 = 60
  /// Meters that one allowance may name, far more than any product has.
  package static let allowanceMeters = 64
}
