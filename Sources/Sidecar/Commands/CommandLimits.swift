/// Limits of the subcommands, each with its reason.
enum CommandLimits {
  /// Bytes that `send` keeps until they are acknowledged: enough to fill several group commits,
  /// small enough to be nothing beside the program.
  static let unacknowledgedBytes = 4 << 20
  /// Lines that `send` keeps until they are acknowledged, for lines that are very short.
  static let unacknowledgedLines = 65_536
  /// Bytes written at once.
  static let chunkBytes = 64 << 10
  /// The longest line `send` reads; the server takes 64 KiB and says so for longer ones.
  static let lineBytes = 1 << 20
  /// Attempts to connect again before `send` gives up; acknowledged lines start the count anew.
  static let reconnections = 12
  /// Longest wait between two attempts, milliseconds; the first is 50 and each doubles.
  static let reconnectionWaitMilliseconds = 2_000
  /// How long a child may take until it is ready: recovery of a large store included.
  static let readyMilliseconds = 60_000
  /// How long a child may take to end after SIGTERM before it is killed.
  static let endMilliseconds = 15_000
}
