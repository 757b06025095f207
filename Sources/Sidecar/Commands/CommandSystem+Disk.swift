import Glibc

extension CommandSystem {
  /// A file of blocks that exist already, for measuring what one durable write costs here.
  final class SyncedFile {
    private static let blockBytes = 4096
    private static let blocks = 1024
    private let descriptor: Int32
    private var next = 0
    private let block = [UInt8](repeating: 0x6F, count: blockBytes)

    /// Creates and fills the file, so that later writes change no metadata.
    init(path: String) throws(CommandFailure) {
      descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw CommandFailure("can't create \(path): \(lastError)") }
      for _ in 0..<Self.blocks { try writeBlock() }
      guard fsync(descriptor) == 0 else { throw CommandFailure("can't sync \(path): \(lastError)") }
    }

    deinit {
      close(descriptor)
    }

    /// Writes one block of 4 KiB and waits until it is on disk.
    func writeAndSync() throws(CommandFailure) {
      try writeBlock()
      guard fdatasync(descriptor) == 0 else { throw CommandFailure("fdatasync: \(lastError)") }
    }

    private func writeBlock() throws(CommandFailure) {
      let place = off_t(next % Self.blocks * Self.blockBytes)
      next += 1
      let count = block.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, place) }
      guard count == Self.blockBytes else { throw CommandFailure("pwrite: \(lastError)") }
    }
  }

  /// From now on SIGINT, SIGTERM and SIGHUP are remembered instead of ending the program. The last,
  /// which a terminal sends as it closes, stays ignored for who started the program with `nohup`.
  static func rememberEndSignals() {
    for number in [SIGINT, SIGTERM] { Glibc.signal(number) { _ in CommandSystem.endSignals += 1 } }
    let earlier = Glibc.signal(SIGHUP) { _ in CommandSystem.endSignals += 1 }
    if unsafeBitCast(earlier, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
      Glibc.signal(SIGHUP, SIG_IGN)
    }
    // Whoever started the program may have kept them from it; one that waits is remembered too.
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, number) }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  /// Whether one of them has come.
  static var isEndRequested: Bool { endSignals > 0 }

  /// Written by a signal handler alone, which may do nothing more than this; read as a flag.
  private nonisolated(unsafe) static var endSignals: sig_atomic_t = 0
}
