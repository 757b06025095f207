/// The store's directory, so that tests can put a simulated disk in its place.
package protocol Disk: AnyObject, Sendable {
  /// Opens a file by its name below the directory; creates it when asked to.
  func open(_ name: String, create: Bool) throws -> any DiskFile
  /// Names in a directory below, unsorted.
  func list(_ directory: String) throws -> [String]
  /// Makes a directory unless it is there.
  func makeDirectory(_ name: String) throws
  /// Makes creations, renames and removals in a directory durable.
  func syncDirectory(_ name: String) throws
  /// Renames within the directory, replacing the target.
  func rename(_ name: String, to target: String) throws
  /// Removes a file; nothing happens when it isn't there.
  func remove(_ name: String) throws
  /// Bytes that can still be written.
  func freeBytes() throws -> UInt64
}

/// One open file of a ``Disk``.
package protocol DiskFile: AnyObject, Sendable {
  /// Reads up to `buffer.count` bytes; fewer at the end of the file.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int
  /// Writes all bytes, or throws.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws
  /// Makes the written bytes durable (fdatasync(2)).
  func sync() throws
  /// Size in bytes.
  func size() throws -> Int
}

extension DiskFile {
  /// Reads `count` bytes; fewer at the end of the file.
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
