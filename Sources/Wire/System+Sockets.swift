import CLinux
import Glibc

// Addresses, listening, connecting and the files of Unix sockets.
extension System {
  /// A socket address in the kernel's form.
  struct SocketAddress {
    fileprivate var storage = sockaddr_storage()
    fileprivate var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

    fileprivate var family: Int32 { Int32(storage.ss_family) }

    fileprivate func withPointer<Result>(
      _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
      withUnsafePointer(to: storage) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
      }
    }

    fileprivate mutating func store<Address>(_ address: Address) {
      withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: Address.self) }
      length = socklen_t(MemoryLayout<Address>.size)
    }

    /// Throws when the path doesn't fit into the kernel's structure.
    static func unix(_ path: String) throws(WireError) -> SocketAddress {
      let bytes = Array(path.utf8)
      guard !bytes.isEmpty, !bytes.contains(0), bytes.count <= Limits.socketPathBytes else {
        throw WireError(
          operation: "socket path", subject: path,
          reason: bytes.isEmpty || bytes.contains(0)
            ? "not a path"
            : "\(bytes.count) bytes are more than the \(Limits.socketPathBytes) a socket can have",
          code: bytes.count > Limits.socketPathBytes ? ENAMETOOLONG : EINVAL)
      }
      var raw = sockaddr_un()
      raw.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &raw.sun_path) { $0.copyBytes(from: bytes) }
      var address = SocketAddress()
      address.store(raw)
      return address
    }

    /// Takes "127.0.0.1:9469" and "[::1]:9469"; throws on names and malformed ports.
    static func tcp(_ text: String) throws(WireError) -> SocketAddress {
      var address = SocketAddress()
      let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      let digits = parts.last.map { String(decoding: $0, as: UTF8.self) } ?? ""
      let host = String(text.dropLast(digits.utf8.count + 1))
      guard parts.count > 1, let port = UInt16(digits), digits.utf8.allSatisfy(ASCII.isDigit) else {
        throw WireError(operation: "address", subject: text, reason: "not address:port")
      }
      var ip4 = sockaddr_in()
      var ip6 = sockaddr_in6()
      if inet_pton(AF_INET, host, &ip4.sin_addr) == 1 {
        ip4.sin_family = sa_family_t(AF_INET)
        ip4.sin_port = port.bigEndian
        address.store(ip4)
      } else if host.hasPrefix("["), host.hasSuffix("]"),
        inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &ip6.sin6_addr) == 1
      {
        ip6.sin6_family = sa_family_t(AF_INET6)
        ip6.sin6_port = port.bigEndian
        address.store(ip6)
      } else {
        throw WireError(operation: "address", subject: text, reason: "not an IP address")
      }
      return address
    }

    fileprivate static func local(of descriptor: Int32) -> SocketAddress {
      var address = SocketAddress()
      var length = address.length
      withUnsafeMutablePointer(to: &address.storage) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          _ = getsockname(descriptor, $0, &length)
        }
      }
      address.length = length
      return address
    }

    fileprivate var port: UInt16 {
      withUnsafeBytes(of: storage) { bytes in
        family == AF_INET
          ? UInt16(bigEndian: bytes.load(as: sockaddr_in.self).sin_port)
          : UInt16(bigEndian: bytes.load(as: sockaddr_in6.self).sin6_port)
      }
    }
  }

  private static func makeSocket(
    _ address: SocketAddress, _ subject: String, blocking: Bool
  ) throws(WireError) -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let flags = blocking ? 0 : Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(address.family, kind | flags, 0)
    guard descriptor >= 0 else { throw failure("socket", subject) }
    return descriptor
  }

  /// Binds without listening, so that mode and group can be set before anyone can connect.
  static func bind(_ address: SocketAddress, subject: String) throws(WireError) -> Int32 {
    let descriptor = try makeSocket(address, subject, blocking: false)
    if address.family != AF_UNIX {
      var on: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    }
    guard address.withPointer({ Glibc.bind(descriptor, $0, $1) }) == 0 else {
      let error = failure("bind", subject)
      close(descriptor)
      throw error
    }
    return descriptor
  }

  static func listen(_ descriptor: Int32, subject: String) throws(WireError) {
    guard Glibc.listen(descriptor, Limits.backlog) == 0 else { throw failure("listen", subject) }
  }

  static func boundPort(_ descriptor: Int32) -> UInt16 {
    SocketAddress.local(of: descriptor).port
  }

  /// Connects a blocking socket; nil waits for ever where the listener's queue is full.
  static func connect(
    _ address: SocketAddress, subject: String, milliseconds: Int32? = nil
  ) throws(WireError) -> Int32 {
    let descriptor = try makeSocket(address, subject, blocking: true)
    // None would be for ever again.
    if let milliseconds { setSendTimeout(descriptor, milliseconds: max(1, milliseconds)) }
    let result = retrying { Int(address.withPointer { Glibc.connect(descriptor, $0, $1) }) }
    guard result == 0 else {
      let error = failure("connect", subject)
      close(descriptor)
      throw error
    }
    return descriptor
  }

  /// Bounds how long connecting and sending on a blocking socket may take.
  private static func setSendTimeout(_ descriptor: Int32, milliseconds: Int32) {
    var time = timeval()
    time.tv_sec = Int(milliseconds / 1000)
    time.tv_usec = Int(milliseconds % 1000) * 1000
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, size)
  }

  static func setNonBlocking(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }

  enum Acceptance: Equatable {
    case connection(Int32)
    case none
    /// Descriptors or memory have run out.
    case exhausted
  }

  static func accept(_ listener: Int32) -> Acceptance {
    while true {
      let descriptor = outlay_accept(listener)
      if descriptor >= 0 { return .connection(descriptor) }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
      default: return .none
      }
    }
  }

  /// Who is at the other end of a Unix socket; nil when the kernel doesn't say.
  static func user(of descriptor: Int32) -> UInt32? {
    let user = outlay_peer_user(descriptor)
    return user >= 0 ? UInt32(truncatingIfNeeded: user) : nil
  }

  /// Descriptors that the process may have.
  static var descriptorLimit: Int {
    let limit = sysconf(Int32(_SC_OPEN_MAX))
    // None, or unknown: then others bound them.
    return limit > 0 ? limit : Int(Int32.max)
  }

  static func sendAtOnce(_ descriptor: Int32) {
    var on: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
  }

  // MARK: The file of a Unix socket

  /// What tells one file from another at the same path.
  struct FileIdentity: Equatable {
    var device: UInt64
    var inode: UInt64
    var isSocket: Bool
  }

  /// Nil when nothing is there.
  static func identity(_ path: String) throws(WireError) -> FileIdentity? {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT { return nil }
      throw failure("look at", path)
    }
    return FileIdentity(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino),
      isSocket: status.st_mode & S_IFMT == S_IFSOCK)
  }

  static func remove(_ path: String) throws(WireError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove", path) }
  }

  static func setMode(_ path: String, _ mode: UInt32) throws(WireError) {
    guard chmod(path, mode_t(mode)) == 0 else { throw failure("set the mode of", path) }
  }

  static func setGroup(_ path: String, _ group: gid_t) throws(WireError) {
    guard chown(path, uid_t.max, group) == 0 else { throw failure("set the group of", path) }
  }

  /// A group's number by its name or digits; throws when there is none.
  static func group(_ name: String) throws(WireError) -> gid_t {
    if let number = gid_t(name) { return number }
    var entry = Glibc.group()
    var found: UnsafeMutablePointer<Glibc.group>?
    var buffer = [CChar](repeating: 0, count: 64 * 1024)
    let code = getgrnam_r(name, &entry, &buffer, buffer.count, &found)
    guard code == 0, found != nil else {
      throw WireError(operation: "find group", subject: name, reason: "there is no such group")
    }
    return entry.gr_gid
  }
}
