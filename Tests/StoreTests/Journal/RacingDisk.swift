import Store

/// A disk for reading beside a writer: the first long read sees nothing yet of what is behind an
/// offset, all later ones see it.
final class RacingDisk: Disk, @unchecked Sendable {
  // Unchecked: tests use it from one thread.

  private let disk: any Disk
  fileprivate let tornAt: Int
  fileprivate(set) var hasTorn = false

  init(_ disk: any Disk, tornAt: Int) {
    self.disk = disk
    self.tornAt = tornAt
  }

  func open(_ name: String, create: Bool) throws -> any DiskFile {
    RacingFile(try disk.open(name, create: create), on: self)
  }
  func size(of name: String) throws -> Int { try disk.size(of: name) }
  func list(_ directory: String) throws -> [String] { try disk.list(directory) }
  func makeDirectory(_ name: String) throws { try disk.makeDirectory(name) }
  func syncDirectory(_ name: String) throws { try disk.syncDirectory(name) }
  func rename(_ name: String, to target: String) throws { try disk.rename(name, to: target) }
  func remove(_ name: String) throws { try disk.remove(name) }
  func freeBytes() throws -> UInt64 { try disk.freeBytes() }
  func lock(_ name: String) throws -> DiskLock { try disk.lock(name) }
}

private final class RacingFile: DiskFile {
  private let file: any DiskFile
  private let disk: RacingDisk

  init(_ file: any DiskFile, on disk: RacingDisk) {
    self.file = file
    self.disk = disk
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
    let count = try file.read(into: buffer, at: offset)
    if !disk.hasTorn, offset + count > disk.tornAt {
      disk.hasTorn = true
      for index in max(0, disk.tornAt - offset)..<count { buffer[index] = 0 }
    }
    return count
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
    try file.write(bytes, at: offset)
  }
  func sync() throws { try file.sync() }
  func size() throws -> Int { try file.size() }
}
