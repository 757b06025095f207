import Foundation
import Glibc

/// The system calls of the subcommands.
enum CommandSystem {
  /// What ``poll(_:milliseconds:)`` asks and answers for one descriptor.
  struct Interest {
    var descriptor: Int32
    var input: Bool
    var output: Bool
    var isReadable = false
    var isWritable = false

    init(_ descriptor: Int32, input: Bool, output: Bool) {
      self.descriptor = descriptor
      self.input = input
      self.output = output
    }
  }

  /// Writes everything, waiting where the other side can't take more. Returns errno of what kept it
  /// from doing so, or 0.
  @discardableResult
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var start = 0
    while start < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress?.advanced(by: start), $0.count - start)
      }
      if count > 0 {
        start += count
        continue
      }
      switch count < 0 ? errno : EIO {
      case EINTR: continue
      case EAGAIN:
        // Whoever shares a terminal or pipe with this program may have made it non-blocking.
        var interest = [Interest(descriptor, input: false, output: true)]
        poll(&interest, milliseconds: -1)
      case let code: return code
      }
    }
    return 0
  }

  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Opens a file for reading; nil with the reason left to ``lastError``.
  static func openForReading(_ path: String) -> Int32? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    return descriptor < 0 ? nil : descriptor
  }

  static var lastError: String { message(of: errno) }

  /// What the system says of an error's number.
  static func message(of code: Int32) -> String { String(cString: strerror(code)) }

  /// Reads what is there, at most the buffer's size; 0 at the end, nil on failure.
  static func read(_ descriptor: Int32, into buffer: inout [UInt8]) -> Int? {
    while true {
      let count = buffer.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress, $0.count)
      }
      if count >= 0 { return count }
      if errno != EINTR { return nil }
    }
  }

  /// Sends without waiting: bytes taken, 0 when the socket is full, nil when the peer has gone.
  static func sendNow(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int? {
    let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
    let count = send(descriptor, bytes.baseAddress, bytes.count, flags)
    if count >= 0 { return count }
    return errno == EAGAIN || errno == EINTR ? 0 : nil
  }

  /// Waits until one of the descriptors is ready or the time is over (-1: for ever).
  static func poll(_ interests: inout [Interest], milliseconds: Int32) {
    var entries = interests.map { interest in
      pollfd(
        fd: interest.descriptor,
        events: Int16((interest.input ? POLLIN : 0) | (interest.output ? POLLOUT : 0)),
        revents: 0)
    }
    let count = Glibc.poll(&entries, nfds_t(entries.count), milliseconds)
    for index in interests.indices {
      let events = count > 0 ? Int32(entries[index].revents) : 0
      interests[index].isReadable = events & (POLLIN | POLLHUP | POLLERR) != 0
      interests[index].isWritable = events & POLLOUT != 0
    }
  }

  /// The index of the next newline.
  static func newline(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard let base = bytes.baseAddress,
      let found = memchr(base + start, 0x0A, bytes.count - start)
    else { return nil }
    return UnsafeRawPointer(found) - base
  }

  static func sleep(milliseconds: Int) {
    usleep(UInt32(milliseconds * 1000))
  }

  /// Nanoseconds of a clock that never steps.
  static func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Microseconds since 1970.
  static func wallMicroseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }

  static func signal(_ process: Int32, _ number: Int32) {
    kill(process, number)
  }

  /// A TCP port of the loopback address that nobody listens on: the wanted one if it is free.
  static func freePort(preferring wanted: UInt16) -> UInt16? {
    bindOnce(port: wanted) ?? bindOnce(port: 0)
  }

  private static func bindOnce(port: UInt16) -> UInt16? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var reuse: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutableBytes(of: &address) { raw -> Bool in
      guard let base = raw.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
      return bind(descriptor, base, length) == 0 && listen(descriptor, 1) == 0
        && getsockname(descriptor, base, &length) == 0
    }
    return isBound ? UInt16(bigEndian: address.sin_port) : nil
  }

  /// Creates a folder with a name of its own.
  static func makeScratchFolder(in parent: String) throws(CommandFailure) -> String {
    var template = Array("\(parent)/outlay-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw CommandFailure("can't create a folder in \(parent): \(lastError)")
    }
    let path = template.dropLast().map { UInt8(bitPattern: $0) }
    return String(decoding: path, as: UTF8.self)
  }

  static func writeFile(_ path: String, _ text: String) throws(CommandFailure) {
    do {
      try text.write(toFile: path, atomically: false, encoding: .utf8)
    } catch {
      throw CommandFailure("can't write \(path): \(error.localizedDescription)")
    }
  }

  /// Makes a file that only its owner may read. Throws when there is one already.
  static func writeSecret(_ path: String, _ bytes: [UInt8]) throws(CommandFailure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw CommandFailure("can't write \(path): \(lastError)") }
    defer { close(descriptor) }
    let code = write(bytes, to: descriptor)
    guard code == 0 else { throw CommandFailure("can't write \(path): \(message(of: code))") }
  }

  static func removeFolder(_ path: String) {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Bytes that a folder's files take on disk.
  static func diskUsage(of folder: String) -> Int64 {
    guard let names = FileManager.default.enumerator(atPath: folder) else { return 0 }
    var total: Int64 = 0
    for case let name as String in names {
      var status = stat()
      if stat("\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG {
        total += Int64(status.st_blocks) * 512
      }
    }
    return total
  }
}
