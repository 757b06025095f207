/// Limits of the log, each with its reason.
enum LogLimits {
  /// Bytes of lines that wait to be written: hundreds of usual ones, so that a reader who pauses
  /// misses nothing, and nothing beside the rest of the process.
  static let waitingBytes = 256 << 10
  /// Bytes of one line; what is longer is cut. A path and a sentence need a tenth of it.
  static let lineBytes = 4 << 10
  /// How long the same line is only counted before it is written again, nanoseconds: a fault that
  /// each request meets says so now and then, not thousands of times.
  static let repeatNanoseconds: UInt64 = 10_000_000_000
  /// How long the last lines may take when the process ends, milliseconds: a moment for a reader
  /// that is there, no hindrance for one that isn't.
  static let endMilliseconds = 1_000
}
