import Glibc

/// The only file of the store that names system calls. Each is retried on EINTR; a descriptor or
/// buffer that is ours and wrong is our bug and traps.
enum System {
  static func message(_ code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }

  private static func fault(_ operation: String, _ name: String) -> StoreFault {
    let code = errno
    precondition(code != EBADF && code != EFAULT, "a descriptor or buffer of ours is wrong")
    return code == ENOSPC || code == EDQUOT
      ? .full : .system(operation, file: name.isEmpty ? "." : name, errno: code)
  }

  private static func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
      let result = call()
      if result != -1 || errno != EINTR { return result }
    }
  }

  // MARK: Memory

  /// Asks the kernel to back a region with large pages (madvise(2), `MADV_HUGEPAGE`): look-ups all
  /// over a table of many megabytes then find their address at once. Without them, or where the
  /// kernel doesn't have any to give, it only takes longer.
  static func preferLargePages(_ region: UnsafeMutableRawBufferPointer) {
    guard let start = region.baseAddress else { return }
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let skipped = -Int(bitPattern: start) & (page - 1)
    guard region.count > skipped else { return }
    _ = madvise(start + skipped, (region.count - skipped) & -page, MADV_HUGEPAGE)
  }

  // MARK: Files

  static func open(
    _ path: String, name: String, create: Bool, isReadOnly: Bool = false
  ) throws(StoreFault) -> Int32 {
    let flags = (isReadOnly ? O_RDONLY : O_RDWR) | O_CLOEXEC | (create ? O_CREAT : 0)
    let descriptor = retrying { Glibc.open(path, flags, 0o600) }
    guard descriptor >= 0 else { throw fault("open", name) }
    return descriptor
  }

  static func close(_ descriptor: Int32) {
    _ = Glibc.close(descriptor)
  }

  static func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int, name: String
  ) throws(StoreFault) -> Int {
    guard let start = buffer.baseAddress else { return 0 }
    var done = 0
    while done < buffer.count {
      let count = retrying {
        pread(descriptor, start + done, buffer.count - done, off_t(offset + done))
      }
      guard count >= 0 else { throw fault("pread", name) }
      if count == 0 { break }
      done += count
    }
    return done
  }

  static func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int, name: String
  ) throws(StoreFault) {
    guard let start = bytes.baseAddress else { return }
    var done = 0
    while done < bytes.count {
      let count = retrying {
        pwrite(descriptor, start + done, bytes.count - done, off_t(offset + done))
      }
      guard count > 0 else { throw fault("pwrite", name) }
      done += count
    }
  }

  /// Gives a file blocks of zeroes up to a size (posix_fallocate(3)).
  static func allocate(_ descriptor: Int32, _ bytes: Int, name: String) throws(StoreFault) {
    var code = EINTR
    while code == EINTR { code = posix_fallocate(descriptor, 0, off_t(bytes)) }
    guard code == 0 else {
      // It tells its error itself.
      errno = code
      throw fault("posix_fallocate", name)
    }
  }

  /// Not retried on any error: after a failure the kernel forgets which pages it didn't write.
  static func syncData(_ descriptor: Int32, name: String) throws(StoreFault) {
    guard fdatasync(descriptor) == 0 else { throw fault("fdatasync", name) }
  }

  static func size(_ descriptor: Int32, name: String) throws(StoreFault) -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw fault("fstat", name) }
    return Int(status.st_size)
  }

  static func size(_ path: String, name: String) throws(StoreFault) -> Int {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT { return 0 }
      throw fault("stat", name)
    }
    return Int(status.st_size)
  }

  /// A file's first bytes; none where there is no file.
  static func contents(of path: String, most: Int) throws -> [UInt8] {
    let descriptor = retrying { Glibc.open(path, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else {
      if errno == ENOENT { return [] }
      throw fault("open", path)
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: most)
    let count = try bytes.withUnsafeMutableBytes {
      try read(descriptor, into: $0, at: 0, name: path)
    }
    return Array(bytes[..<count])
  }

  static func rename(_ path: String, to target: String, name: String) throws(StoreFault) {
    guard Glibc.rename(path, target) == 0 else { throw fault("rename", name) }
  }

  static func remove(_ path: String, name: String) throws(StoreFault) {
    guard unlink(path) == 0 || errno == ENOENT else { throw fault("unlink", name) }
  }

  // MARK: Directories

  static func makeDirectory(_ path: String, name: String) throws(StoreFault) {
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw fault("mkdir", name) }
  }

  /// Makes a directory, for the owner only; false when there is something already.
  static func makeNewDirectory(_ path: String) throws(StoreFault) -> Bool {
    if mkdir(path, 0o700) == 0 { return true }
    guard errno == EEXIST else { throw fault("mkdir", path) }
    return false
  }

  /// Removes a directory unless it is gone; false when it isn't empty, or no directory.
  static func removeEmptyDirectory(_ path: String) throws(StoreFault) -> Bool {
    if rmdir(path) == 0 || errno == ENOENT { return true }
    guard errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR else {
      throw fault("rmdir", path)
    }
    return false
  }

  static func openDirectory(_ path: String, name: String) throws(StoreFault) -> Int32 {
    let descriptor = retrying { Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw fault("open", name) }
    return descriptor
  }

  static func syncDirectory(_ path: String, name: String) throws(StoreFault) {
    let descriptor = try openDirectory(path, name: name)
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw fault("fsync", name) }
  }

  static func list(_ path: String, name: String) throws(StoreFault) -> [String] {
    guard let stream = opendir(path) else { throw fault("opendir", name) }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else { break }
      let found = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if found != "." && found != ".." { names.append(found) }
    }
    guard errno == 0 else { throw fault("readdir", name) }
    return names
  }

  static func freeBytes(_ path: String) throws(StoreFault) -> UInt64 {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { throw fault("statvfs", "") }
    return UInt64(status.f_bavail) * UInt64(status.f_frsize)
  }

  /// False when another open file holds the lock.
  static func lock(_ descriptor: Int32, name: String) throws(StoreFault) -> Bool {
    if retrying({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 { return true }
    guard errno == EWOULDBLOCK else { throw fault("flock", name) }
    return false
  }

  /// The same for a directory; true also on a file system that locks files only, as NFS does.
  static func lockDirectory(_ descriptor: Int32, name: String) throws(StoreFault) -> Bool {
    if retrying({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 { return true }
    switch errno {
    case EWOULDBLOCK: return false
    case EBADF, EINVAL, ENOLCK, EOPNOTSUPP: return true
    default: throw fault("flock", name)
    }
  }

  // MARK: Whose it is

  /// What tells one file or directory from another at the same path, and who may use it.
  struct Identity: Equatable {
    var device: UInt64
    var inode: UInt64
    var mode: UInt32

    var isDirectory: Bool { mode & S_IFMT == S_IFDIR }
    var isFile: Bool { mode & S_IFMT == S_IFREG }
    /// Whether others than its owner may use it.
    var isOpenToOthers: Bool { mode & 0o077 != 0 }

    func isSame(as other: Identity) -> Bool { device == other.device && inode == other.inode }
  }

  /// Nil when nothing is there, or a symbolic link that isn't to be followed.
  static func identity(_ path: String, follow: Bool = true) -> Identity? {
    var status = stat()
    guard (follow ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
    return Identity(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), mode: UInt32(status.st_mode))
  }

  /// Takes from others what they may do; false when this process may not say so.
  static func closeToOthers(_ path: String, _ identity: Identity) -> Bool {
    chmod(path, mode_t(identity.mode & 0o7700)) == 0
  }

  // MARK: Time and chance

  static func wallMicroseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }

  static func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  static func random(_ count: Int) throws(StoreFault) -> [UInt8] {
    let descriptor = retrying { Glibc.open("/dev/urandom", O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw fault("open", "/dev/urandom") }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: count)
    let done = retrying { Glibc.read(descriptor, &bytes, count) }
    guard done == count else { throw fault("read", "/dev/urandom") }
    return bytes
  }
}
