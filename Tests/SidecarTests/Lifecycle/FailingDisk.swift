import Store
import Synchronization

/// A disk that takes nothing while a fault lasts.
final class FailingDisk: Disk {
  enum Fault: CaseIterable {
    /// Less is left than the store leaves to others.
    case floor
    /// A write finds no room, with half of it written.
    case write
    /// What was written can't be synced.
    case sync
  }

  private let disk: any Disk
  private let fault = Mutex<Fault?>(nil)

  init(_ disk: any Disk) { self.disk = disk }

  func fails(by fault: Fault?) { self.fault.withLock { $0 = fault } }
  fileprivate func has(_ wanted: Fault) -> Bool { fault.withLock { $0 == wanted } }

  func open(_ name: String, create: Bool) throws -> any DiskFile {
    FailingFile(try disk.open(name, create: create), name, on: self)
  }
  func size(of name: String) throws -> Int { try disk.size(of: name) }
  func list(_ directory: String) throws -> [String] { try disk.list(directory) }
  func makeDirectory(_ name: String) throws { try disk.makeDirectory(name) }
  func syncDirectory(_ name: String) throws { try disk.syncDirectory(name) }
  func rename(_ name: String, to target: String) throws { try disk.rename(name, to: target) }
  func remove(_ name: String) throws { try disk.remove(name) }
  func freeBytes() throws -> UInt64 { has(.floor) ? 0 : try disk.freeBytes() }
  func lock(_ name: String) throws -> DiskLock { try disk.lock(name) }
}

private final class FailingFile: DiskFile {
  private let file: any DiskFile
  private let name: String
  private let disk: FailingDisk

  init(_ file: any DiskFile, _ name: String, on disk: FailingDisk) {
    self.file = file
    self.name = name
    self.disk = disk
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
    try file.read(into: buffer, at: offset)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
    guard disk.has(.write) else { return try file.write(bytes, at: offset) }
    try file.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(bytes.count / 2)), at: offset)
    throw StoreFault.full
  }

  func sync() throws {
    if disk.has(.sync) { throw StoreFault.system("sync", file: name, errno: 5) }
    try file.sync()
  }

  func size() throws -> Int { try file.size() }
}
