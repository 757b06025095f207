/// Where to listen.
package enum ListenAddress: Equatable, Sendable {
  /// A Unix stream socket with its mode bits and, if given, its group by name or number.
  case unix(path: String, mode: UInt32, group: String?)
  /// An IP address and port such as "127.0.0.1:9469" or "[::1]:0"; port 0 takes a free one.
  case tcp(String)
}
