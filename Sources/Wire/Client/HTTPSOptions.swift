/// How an HTTPS client trusts and how long it waits.
package struct HTTPSOptions: Equatable, Sendable {
  /// A PEM file of the only authorities to trust; nil trusts those of the system.
  package var authorityFile: String?
  /// What `User-Agent` says.
  package var userAgent = "outlay"
  /// How long a connection may take, TLS included, milliseconds.
  package var connectMilliseconds = 10_000
  /// How long a whole call may take, milliseconds.
  package var callMilliseconds = 30_000
  /// Longest body of an answer, bytes.
  package var answerBytes = Limits.answerBytes

  /// Trusts the system's authorities, waits as long as Apple's own libraries do.
  package init() {}
}
