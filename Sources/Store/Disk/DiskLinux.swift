/// The real disk below one directory.
package final class LinuxDisk: Disk {
  private let root: String
  private let isReadOnly: Bool
  private let lock = StoreLock()
  /// The directory that was locked; guarded by `lock`.
  private nonisolated(unsafe) var locked: System.Identity?

  /// Uses the directory `root`, which must exist. A read-only disk opens what it is asked for
  /// without a wish to write, so that it works where nothing can be written.
  package init(root: String, isReadOnly: Bool = false) {
    self.root = root
    self.isReadOnly = isReadOnly
  }

  /// Makes a directory and its parents, for the owner only. Throws a ``StoreFault``.
  package static func makeRoot(_ path: String) throws {
    var made = ""
    for part in path.split(separator: "/", omittingEmptySubsequences: true) {
      made += (made.isEmpty && !path.hasPrefix("/") ? "" : "/") + part
      try System.makeDirectory(made, name: made)
    }
  }

  /// Random bytes of the system, for store ids and hash keys. Throws a ``StoreFault``.
  package static func random(_ count: Int) throws -> [UInt8] { try System.random(count) }

  private func path(_ name: String) -> String { name.isEmpty ? root : root + "/" + name }

  package func open(_ name: String, create: Bool) throws -> any DiskFile {
    let descriptor = try System.open(
      path(name), name: name, create: create, isReadOnly: isReadOnly)
    return LinuxFile(descriptor: descriptor, name: name)
  }

  package func size(of name: String) throws -> Int {
    try System.size(path(name), name: name)
  }

  package func list(_ directory: String) throws -> [String] {
    try System.list(path(directory), name: directory)
  }

  package func makeDirectory(_ name: String) throws {
    try System.makeDirectory(path(name), name: name)
  }

  package func syncDirectory(_ name: String) throws {
    try System.syncDirectory(path(name), name: name)
  }

  package func rename(_ name: String, to target: String) throws {
    try System.rename(path(name), to: path(target), name: name)
  }

  package func remove(_ name: String) throws {
    try System.remove(path(name), name: name)
  }

  /// Bytes that can still be written. Throws ``StoreFault/damaged(_:)`` when the directory that was
  /// locked has gone from its place: what is written then is in nobody's store.
  package func freeBytes() throws -> UInt64 {
    if let locked = lock.withLock({ locked }),
      !(System.identity(root)?.isSame(as: locked) ?? false)
    {
      throw StoreFault.damaged("\(root) was moved or removed while it was in use")
    }
    return try System.freeBytes(root)
  }

  /// Locks the directory itself, which nobody can take away unnoticed, and the lock file, which is
  /// what a former release looks at.
  package func lock(_ name: String) throws -> DiskLock {
    let directory = try System.openDirectory(root, name: "")
    let holder = DiskLock { System.close(directory) }
    let descriptor = try System.open(path(name), name: name, create: true)
    let lock = DiskLock {
      System.close(descriptor)
      holder.release()
    }
    guard try System.lockDirectory(directory, name: ""), try System.lock(descriptor, name: name)
    else { throw StoreFault.locked("\(root) is held by another process") }
    self.lock.withLock { locked = System.identity(root) }
    return lock
  }
}

/// A file of the real disk; its descriptor lives as long as it.
private final class LinuxFile: DiskFile {
  private let descriptor: Int32
  private let name: String

  init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  deinit { System.close(descriptor) }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
    try System.read(descriptor, into: buffer, at: offset, name: name)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
    try System.write(descriptor, bytes, at: offset, name: name)
  }

  func sync() throws { try System.syncData(descriptor, name: name) }

  func size() throws -> Int { try System.size(descriptor, name: name) }

  func allocate(_ bytes: Int) throws {
    try System.allocate(descriptor, bytes, name: name)
  }
}
