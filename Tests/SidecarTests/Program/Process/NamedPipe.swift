import Glibc

@testable import Sidecar

/// A pipe with a name, whose reading end this process holds and doesn't read.
final class NamedPipe {
  let path: String
  private let folder: String
  private var descriptor: Int32

  /// Holds at most `bytes`, a page or more; nil leaves the system's size.
  init(bytes: Int32? = nil) throws {
    folder = try CommandSystem.makeScratchFolder(in: "/tmp")
    path = "\(folder)/pipe"
    guard mkfifo(path, 0o600) == 0 else { throw CommandFailure(CommandSystem.lastError) }
    descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw CommandFailure(CommandSystem.lastError) }
    let setSize: Int32 = 1_031  // F_SETPIPE_SZ
    if let bytes { _ = fcntl(descriptor, setSize, bytes) }
  }

  /// Takes the reader away.
  func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  deinit {
    close()
    CommandSystem.removeFolder(folder)
  }
}
