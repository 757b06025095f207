import Glibc

/// The real disk below one directory. The only file of the store that names system calls.
package final class LinuxDisk: Disk {
  private let root: String

  /// Uses `root`, which must exist.
  package init(root: String) { self.root = root }

  /// Makes a directory and its parents, mode 0700.
  package static func makeRoot(_ path: String) throws {
    var made = ""
    for part in path.split(separator: "/", omittingEmptySubsequences: true) {
      made += (made.isEmpty && !path.hasPrefix("/") ? "" : "/") + part
      if mkdir(made, 0o700) != 0 && errno != EEXIST {
        throw StoreFault.system("mkdir", file: made, errno: errno)
      }
    }
  }

  private func path(_ name: String) -> String { name.isEmpty ? root : root + "/" + name }

  package func open(_ name: String, create: Bool) throws -> any DiskFile {
    let flags = O_RDWR | O_CLOEXEC | (create ? O_CREAT : 0)
    let descriptor = Glibc.open(path(name), flags, 0o600)
    guard descriptor >= 0 else { throw StoreFault.system("open", file: name, errno: errno) }
    return LinuxFile(descriptor: descriptor, name: name)
  }

  package func list(_ directory: String) throws -> [String] {
    guard let stream = opendir(path(directory)) else {
      throw StoreFault.system("opendir", file: directory, errno: errno)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  package func makeDirectory(_ name: String) throws {
    if mkdir(path(name), 0o700) != 0 && errno != EEXIST {
      throw StoreFault.system("mkdir", file: name, errno: errno)
    }
  }

  package func syncDirectory(_ name: String) throws {
    let descriptor = Glibc.open(path(name), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreFault.system("open", file: name, errno: errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else {
      throw StoreFault.system("fsync", file: name, errno: errno)
    }
  }

  package func rename(_ name: String, to target: String) throws {
    guard Glibc.rename(path(name), path(target)) == 0 else {
      throw StoreFault.system("rename", file: name, errno: errno)
    }
  }

  package func remove(_ name: String) throws {
    if unlink(path(name)) != 0 && errno != ENOENT {
      throw StoreFault.system("unlink", file: name, errno: errno)
    }
  }

  package func freeBytes() throws -> UInt64 {
    var status = statvfs()
    guard statvfs(root, &status) == 0 else {
      throw StoreFault.system("statvfs", file: root, errno: errno)
    }
    return UInt64(status.f_bavail) * UInt64(status.f_frsize)
  }

  /// Holds the store for this process until the descriptor is closed at exit (flock(2)).
  package func lock() throws -> Int32 {
    let descriptor = Glibc.open(path("lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreFault.system("open", file: "lock", errno: errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw StoreFault.locked("another process holds the store \(root)")
    }
    return descriptor
  }

  /// Lets the store go.
  package static func unlock(_ descriptor: Int32) { close(descriptor) }

  /// Random bytes of the system, for store ids and hash keys.
  package static func random(_ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let descriptor = Glibc.open("/dev/urandom", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreFault.system("open", file: "urandom", errno: errno) }
    defer { close(descriptor) }
    guard Glibc.read(descriptor, &bytes, count) == count else {
      throw StoreFault.system("read", file: "urandom", errno: errno)
    }
    return bytes
  }
}

/// A file of the real disk.
final class LinuxFile: DiskFile {
  private let descriptor: Int32
  private let name: String

  init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  deinit { close(descriptor) }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
    var done = 0
    while done < buffer.count {
      guard let start = buffer.baseAddress else { break }
      let count = pread(descriptor, start + done, buffer.count - done, off_t(offset + done))
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw StoreFault.system("pread", file: name, errno: errno) }
      if count == 0 { break }
      done += count
    }
    return done
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
    var done = 0
    while done < bytes.count {
      guard let start = bytes.baseAddress else { break }
      let count = pwrite(descriptor, start + done, bytes.count - done, off_t(offset + done))
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw StoreFault.system("pwrite", file: name, errno: errno) }
      done += count
    }
  }

  func sync() throws {
    guard fdatasync(descriptor) == 0 else {
      throw StoreFault.system("fdatasync", file: name, errno: errno)
    }
  }

  func size() throws -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw StoreFault.system("fstat", file: name, errno: errno)
    }
    return Int(status.st_size)
  }
}
