/// The store's directory, so that tests can put a simulated disk in its place.
///
/// Names are relative to that directory, `""` is the directory itself. Everything throws
/// ``StoreFault/system(_:file:errno:)``, a full disk ``StoreFault/full``.
package protocol Disk: AnyObject, Sendable {
  /// Opens a file for reading and writing; creates it, empty, when asked to.
  func open(_ name: String, create: Bool) throws -> any DiskFile
  /// A file's bytes, 0 where there is none; it isn't opened, since closing any handle of a database
  /// drops the locks that SQLite holds on it in this process.
  func size(of name: String) throws -> Int
  /// Names in a directory, unsorted.
  func list(_ directory: String) throws -> [String]
  /// Makes a directory unless it is there.
  func makeDirectory(_ name: String) throws
  /// Makes creations, renames and removals in a directory durable.
  func syncDirectory(_ name: String) throws
  /// Renames within the disk, replacing the target.
  func rename(_ name: String, to target: String) throws
  /// Removes a file; nothing happens when it isn't there.
  func remove(_ name: String) throws
  /// Bytes that can still be written.
  func freeBytes() throws -> UInt64
  /// Holds a lock file for this process until the lock is released (flock(2)). Throws
  /// ``StoreFault/locked(_:)`` when another holds it.
  func lock(_ name: String) throws -> DiskLock
}

/// One open file of a ``Disk``; any thread may use it.
package protocol DiskFile: AnyObject, Sendable {
  /// Reads up to `buffer.count` bytes and returns how many; fewer only at the end of the file.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int
  /// Writes all bytes, or throws; then any part of them may be there.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws
  /// Makes the written bytes durable (fdatasync(2)). After a failure the file's unsynced bytes are
  /// unknown for good: syncing again may claim success without having written them.
  func sync() throws
  /// Size in bytes.
  func size() throws -> Int
  /// Gives a new file this size, all zeroes, and its blocks as far as the disk can, without writing
  /// them.
  func allocate(_ bytes: Int) throws
}

extension DiskFile {
  /// Writes the last byte: what is before reads as zeroes.
  package func allocate(_ bytes: Int) throws {
    try [UInt8(0)].withUnsafeBytes { try write($0, at: bytes - 1) }
  }

  /// Reads `count` bytes; fewer only at the end of the file.
  package func read(count: Int, at offset: Int) throws -> [UInt8] {
    var failure: (any Error)?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
      do {
        done = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
      } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }
}

/// A held lock; let go by ``release()``, or when nobody keeps it any more.
package final class DiskLock: Sendable {
  private let lock = StoreLock()
  private nonisolated(unsafe) var letGo: (@Sendable () -> Void)?

  /// Calls `letGo` once.
  package init(letGo: @escaping @Sendable () -> Void) { self.letGo = letGo }

  deinit { release() }

  /// Lets go; doing it again does nothing.
  package func release() {
    let action = lock.withLock {
      defer { letGo = nil }
      return letGo
    }
    action?()
  }
}
