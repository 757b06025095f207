import Store

/// A disk that fails once, at a write or sync that tests choose: of a write a part may be there.
final class FragileDisk: Disk, @unchecked Sendable {
  // Unchecked: tests use it from one thread.

  private let disk: any Disk
  /// Writes and syncs that still succeed; nil for all.
  private var left: Int?
  /// Free bytes that it claims, call by call, the last one for ever; empty for the truth.
  var free: [UInt64] = []

  init(_ disk: any Disk) { self.disk = disk }

  func breaks(after count: Int) { left = count }
  func holds() { left = nil }

  /// Whether this operation is the one that fails.
  fileprivate func isBroken() -> Bool {
    guard let count = left else { return false }
    left = count == 0 ? nil : count - 1
    return count == 0
  }

  func open(_ name: String, create: Bool) throws -> any DiskFile {
    FragileFile(try disk.open(name, create: create), name, on: self)
  }
  func size(of name: String) throws -> Int { try disk.size(of: name) }
  func list(_ directory: String) throws -> [String] { try disk.list(directory) }
  func makeDirectory(_ name: String) throws { try disk.makeDirectory(name) }
  func syncDirectory(_ name: String) throws { try disk.syncDirectory(name) }
  func rename(_ name: String, to target: String) throws { try disk.rename(name, to: target) }
  func remove(_ name: String) throws { try disk.remove(name) }
  func freeBytes() throws -> UInt64 {
    guard let first = free.first else { return try disk.freeBytes() }
    if free.count > 1 { free.removeFirst() }
    return first
  }
  func lock(_ name: String) throws -> DiskLock { try disk.lock(name) }
}

private final class FragileFile: DiskFile {
  private let file: any DiskFile
  private let name: String
  private let disk: FragileDisk

  init(_ file: any DiskFile, _ name: String, on disk: FragileDisk) {
    self.file = file
    self.name = name
    self.disk = disk
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
    try file.read(into: buffer, at: offset)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
    guard disk.isBroken() else { return try file.write(bytes, at: offset) }
    try file.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(bytes.count / 2)), at: offset)
    throw StoreFault.system("write", file: name, errno: 5)
  }

  func sync() throws {
    if disk.isBroken() { throw StoreFault.system("sync", file: name, errno: 5) }
    try file.sync()
  }

  func size() throws -> Int { try file.size() }
}
