import CSQLite
import Foundation
import Store

/// What SQLite calls to work with files, put between it and the system for folders that simulations
/// watch: there each change goes to a simulated disk first, which counts it, fails it or loses it.
/// https://www.sqlite.org/vfs.html
///
/// Files of other folders are opened as ever. Reading, locks and shared memory are the system's.
enum LedgerFileSystem {
  private static let lock = NSLock()
  nonisolated(unsafe) private static var watched: [String: SimulatedDisk] = [:]
  /// The system's own.
  nonisolated(unsafe) fileprivate static let base = sqlite3_vfs_find(nil)
  nonisolated(unsafe) fileprivate static let methods = makeMethods()
  /// Kept for good, since SQLite keeps it.
  private static let installed: Bool = install()

  /// From now on files of a folder are those of a disk, which has the same bytes.
  static func watch(_ folder: String, _ disk: SimulatedDisk) {
    precondition(installed)
    lock.withLock { watched[folder] = disk }
  }

  static func forget(_ folder: String) { lock.withLock { watched[folder] = nil } }

  fileprivate static func place(
    of path: UnsafePointer<CChar>?
  ) -> (disk: SimulatedDisk, name: String)? {
    guard let path else { return nil }
    let text = String(cString: path)
    guard let slash = text.lastIndex(of: "/") else { return nil }
    let disk = lock.withLock { watched[String(text[..<slash])] }
    return disk.map { ($0, String(text[text.index(after: slash)...])) }
  }

  private static func install() -> Bool {
    guard let base else { return false }
    let system = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    system.initialize(to: base.pointee)
    system.pointee.zName = UnsafePointer(strdup("simulated"))
    system.pointee.pNext = nil
    system.pointee.szOsFile += Int32(WatchedFile.headBytes)
    system.pointee.xOpen = { _, path, file, flags, result in
      WatchedFile.open(path, file, flags, result)
    }
    system.pointee.xDelete = { _, path, isSynced in
      LedgerFileSystem.remove(path, isSynced)
    }
    return sqlite3_vfs_register(system, 1) == SQLITE_OK
  }

  private static func remove(_ path: UnsafePointer<CChar>?, _ isSynced: Int32) -> Int32 {
    if let (disk, name) = place(of: path) {
      let code = attempt {
        try disk.remove(name)
        if isSynced != 0 { try disk.syncDirectory("") }
      }
      guard code == SQLITE_OK else { return code }
    }
    return base?.pointee.xDelete(base, path, isSynced) ?? SQLITE_ERROR
  }

  /// SQLite's code for what a disk throws.
  fileprivate static func attempt(_ change: () throws -> Void) -> Int32 {
    do {
      try change()
      return SQLITE_OK
    } catch StoreFault.full {
      return SQLITE_FULL
    } catch { return SQLITE_IOERR }
  }
}

/// A file that SQLite has open in a watched folder: what SQLite sees, then the system's own file.
private struct WatchedFile {
  var file: sqlite3_file
  var recorder: Unmanaged<Recorder>

  /// Where the system's own file begins.
  static let headBytes = 32

  /// The simulated file behind one.
  final class Recorder {
    let disk: SimulatedDisk
    let inode: SimulatedDisk.Inode
    let name: String

    init(_ disk: SimulatedDisk, _ inode: SimulatedDisk.Inode, _ name: String) {
      self.disk = disk
      self.inode = inode
      self.name = name
    }

    func sync() throws {
      try disk.sync(inode, name: name)
      // As SQLite does with a new file, which syncs its folder then.
      if !disk.isDurable(name) { try disk.syncDirectory("") }
    }
  }

  static func open(
    _ path: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
    _ result: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    let base = LedgerFileSystem.base
    guard let file, let (disk, name) = LedgerFileSystem.place(of: path) else {
      return base?.pointee.xOpen(base, path, file, flags, result) ?? SQLITE_ERROR
    }
    file.pointee.pMethods = nil
    guard let inode = try? disk.inode(name, create: flags & SQLITE_OPEN_CREATE != 0) else {
      return SQLITE_CANTOPEN
    }
    let code = base?.pointee.xOpen(base, path, below(file), flags, result) ?? SQLITE_ERROR
    guard code == SQLITE_OK else { return code }
    let recorder = Unmanaged.passRetained(Recorder(disk, inode, name))
    UnsafeMutableRawPointer(file).storeBytes(
      of: WatchedFile(
        file: sqlite3_file(pMethods: LedgerFileSystem.methods), recorder: recorder),
      as: WatchedFile.self)
    return SQLITE_OK
  }

  /// The system's own file.
  static func below(
    _ file: UnsafeMutablePointer<sqlite3_file>?
  ) -> UnsafeMutablePointer<sqlite3_file>? {
    file.map {
      (UnsafeMutableRawPointer($0) + headBytes).assumingMemoryBound(to: sqlite3_file.self)
    }
  }

  static func recorder(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Unmanaged<Recorder>? {
    file.map { UnsafeRawPointer($0).load(as: WatchedFile.self).recorder }
  }

  /// Does something to the simulated file; the system's may follow when all went well.
  static func change(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ body: (Recorder) throws -> Void
  ) -> Int32 {
    guard let recorder = recorder(file) else { return SQLITE_IOERR }
    return LedgerFileSystem.attempt { try body(recorder.takeUnretainedValue()) }
  }
}

extension LedgerFileSystem {
  fileprivate static func makeMethods() -> UnsafeMutablePointer<sqlite3_io_methods> {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: sqlite3_io_methods())
    // The second version has shared memory and no mapped pages.
    methods.pointee.iVersion = 2
    setReading(&methods.pointee)
    setWriting(&methods.pointee)
    setLocking(&methods.pointee)
    return methods
  }

  private static func setReading(_ methods: inout sqlite3_io_methods) {
    methods.xRead = { file, bytes, count, offset in
      let below = WatchedFile.below(file)
      return below?.pointee.pMethods.pointee.xRead(below, bytes, count, offset) ?? SQLITE_IOERR
    }
    methods.xFileSize = { file, size in
      let below = WatchedFile.below(file)
      return below?.pointee.pMethods.pointee.xFileSize(below, size) ?? SQLITE_IOERR
    }
    methods.xFileControl = { file, operation, argument in
      let below = WatchedFile.below(file)
      return below?.pointee.pMethods.pointee.xFileControl(below, operation, argument)
        ?? SQLITE_IOERR
    }
    methods.xSectorSize = { file in
      let below = WatchedFile.below(file)
      return below?.pointee.pMethods.pointee.xSectorSize(below) ?? 0
    }
    methods.xDeviceCharacteristics = { file in
      let below = WatchedFile.below(file)
      return below?.pointee.pMethods.pointee.xDeviceCharacteristics(below) ?? 0
    }
  }

  private static func setWriting(_ methods: inout sqlite3_io_methods) {
    methods.xWrite = { file, bytes, count, offset in
      let code = WatchedFile.change(file) { recorder in
        let written = UnsafeRawBufferPointer(start: bytes, count: Int(count))
        try recorder.disk.write(Array(written), at: Int(offset), to: recorder.inode)
      }
      guard code == SQLITE_OK, let below = WatchedFile.below(file) else { return code }
      return below.pointee.pMethods.pointee.xWrite(below, bytes, count, offset)
    }
    methods.xTruncate = { file, count in
      let code = WatchedFile.change(file) {
        try $0.disk.truncate($0.inode, to: Int(count))
      }
      guard code == SQLITE_OK, let below = WatchedFile.below(file) else { return code }
      return below.pointee.pMethods.pointee.xTruncate(below, count)
    }
    // The system's files only mirror the simulated ones and needn't outlive anything.
    methods.xSync = { file, _ in WatchedFile.change(file) { try $0.sync() } }
    methods.xClose = { file in
      WatchedFile.recorder(file)?.release()
      let below = WatchedFile.below(file)
      return below?.pointee.pMethods.pointee.xClose(below) ?? SQLITE_IOERR
    }
  }

  private static func setLocking(_ methods: inout sqlite3_io_methods) {
    methods.xLock = { file, level in
      let below = WatchedFile.below(file)
      return below?.pointee.pMethods.pointee.xLock(below, level) ?? SQLITE_IOERR
    }
    methods.xUnlock = { file, level in
      let below = WatchedFile.below(file)
      return below?.pointee.pMethods.pointee.xUnlock(below, level) ?? SQLITE_IOERR
    }
    methods.xCheckReservedLock = { file, result in
      let below = WatchedFile.below(file)
      return below?.pointee.pMethods.pointee.xCheckReservedLock(below, result) ?? SQLITE_IOERR
    }
    methods.xShmMap = { file, region, bytes, isExtended, result in
      let below = WatchedFile.below(file)
      return below?.pointee.pMethods.pointee.xShmMap(below, region, bytes, isExtended, result)
        ?? SQLITE_IOERR
    }
    methods.xShmLock = { file, offset, count, flags in
      let below = WatchedFile.below(file)
      return below?.pointee.pMethods.pointee.xShmLock(below, offset, count, flags) ?? SQLITE_IOERR
    }
    methods.xShmBarrier = { file in
      let below = WatchedFile.below(file)
      below?.pointee.pMethods.pointee.xShmBarrier(below)
    }
    methods.xShmUnmap = { file, isDeleted in
      let below = WatchedFile.below(file)
      return below?.pointee.pMethods.pointee.xShmUnmap(below, isDeleted) ?? SQLITE_IOERR
    }
  }
}
