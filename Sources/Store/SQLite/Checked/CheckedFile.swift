import CSQLite

/// A file of the ledger that believes nothing unchecked: each page of the database carries its own
/// sum, and a page that is read from the log is compared with the sum of its frame.
///
/// SQLite calls it through ``CheckedFileSystem`` in place of the system's own file, which does the
/// work. Used by the one thread that uses its connection.
final class CheckedFile {
  private let file: UnsafeMutablePointer<sqlite3_file>
  private let methods: sqlite3_io_methods
  private let path: String
  private let isLog: Bool
  private let scratch: UnsafeMutableRawPointer
  /// The database that a log belongs to; nil for the database itself.
  private let database: CheckedFile?
  /// What was found last; the database's also has its log's.
  var damage: StoreFault?
  /// Frames from here on have no right sum yet: SQLite wrote a page again where it was, and sums
  /// them anew when it commits. Only for logs.
  private var unsummedFrom = Int.max
  private var headedFrame = 0
  /// The first block of the log's index, which processes share; nil until it is mapped.
  private var index: UnsafeRawPointer?
  private var mark: CheckpointMark?

  init(
    _ file: UnsafeMutablePointer<sqlite3_file>, path: String, isLog: Bool, database: CheckedFile?
  ) {
    self.file = file
    self.path = path
    self.isLog = isLog
    self.database = database
    methods = file.pointee.pMethods.pointee
    scratch = .allocate(byteCount: PageSum.pageBytes, alignment: 16)
  }

  deinit { scratch.deallocate() }

  private var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  private func report(_ offset: Int, _ detail: String) -> Int32 {
    let fault = StoreFault.ledger("\(name): offset \(offset): \(detail)")
    (database ?? self).damage = fault
    return CheckedFileSystem.damaged
  }

  // MARK: Reading

  /// Reads bytes, all of whose pages are right. Returns SQLite's code.
  func read(into target: UnsafeMutableRawPointer, count: Int, at offset: Int) -> Int32 {
    isLog
      ? readLog(into: target, count: count, at: offset)
      : readPages(into: target, count: count, at: offset)
  }

  /// Parts of the first page are let through: SQLite asks for its size before it knows of the log,
  /// which may have a better page where a checkpoint was cut short. It reads the whole page before
  /// it believes any of it.
  private func readPages(
    into target: UnsafeMutableRawPointer, count: Int, at offset: Int
  ) -> Int32 {
    let code = methods.xRead(file, target, Int32(count), sqlite3_int64(offset))
    guard code == SQLITE_OK || code == CheckedFileSystem.shortRead else { return code }
    guard count % PageSum.pageBytes == 0, offset % PageSum.pageBytes == 0 else {
      return offset + count <= PageSum.pageBytes ? code : SQLITE_MISUSE
    }
    for start in stride(from: 0, to: count, by: PageSum.pageBytes) {
      let number = (offset + start) / PageSum.pageBytes + 1
      guard PageSum.isRight(target + start, number: number) else {
        return report(offset + start, "page \(number) is damaged")
      }
    }
    return code
  }

  private func readLog(into target: UnsafeMutableRawPointer, count: Int, at offset: Int) -> Int32 {
    let code = methods.xRead(file, target, Int32(count), sqlite3_int64(offset))
    let frame = LogFrame.number(at: offset)
    // What SQLite reads in other shapes, it sums itself.
    guard code == SQLITE_OK, count == PageSum.pageBytes, frame > 0, frame < unsummedFrom,
      offset == LogFrame.offset(of: frame) + LogFrame.headerBytes
    else { return code }
    let header = scratch
    let before = scratch + LogFrame.headerBytes
    // The log's own header ends with its sum, a frame's has it at 16.
    let place = frame == 1 ? 24 : LogFrame.offset(of: frame - 1) + 16
    for (target, count, offset) in [
      (header, LogFrame.headerBytes, LogFrame.offset(of: frame)), (before, 8, place),
    ] {
      let code = methods.xRead(file, target, Int32(count), sqlite3_int64(offset))
      guard code == SQLITE_OK else { return code }
    }
    guard LogFrame.isRight(header: header, page: target, after: LogFrame.Sum(before)) else {
      return report(LogFrame.offset(of: frame), "frame \(frame) is damaged")
    }
    return SQLITE_OK
  }

  // MARK: Writing

  /// Writes bytes, pages with their sums. Returns SQLite's code.
  func write(_ source: UnsafeRawPointer, count: Int, at offset: Int) -> Int32 {
    if isLog {
      noteLogWrite(count: count, at: offset)
      return methods.xWrite(file, source, Int32(count), sqlite3_int64(offset))
    }
    guard count % PageSum.pageBytes == 0, offset % PageSum.pageBytes == 0 else {
      return SQLITE_MISUSE
    }
    guard markCheckpoint() else { return CheckedFileSystem.writeFault }
    for start in stride(from: 0, to: count, by: PageSum.pageBytes) {
      scratch.copyMemory(from: source + start, byteCount: PageSum.pageBytes)
      PageSum.store(in: scratch, number: (offset + start) / PageSum.pageBytes + 1)
      let code = methods.xWrite(
        file, scratch, Int32(PageSum.pageBytes), sqlite3_int64(offset + start))
      guard code == SQLITE_OK else { return code }
    }
    return SQLITE_OK
  }

  private func noteLogWrite(count: Int, at offset: Int) {
    let frame = LogFrame.number(at: offset)
    guard frame > 0 else {
      unsummedFrom = .max
      return
    }
    if count == LogFrame.headerBytes && offset == LogFrame.offset(of: frame) {
      headedFrame = frame
      if frame == unsummedFrom { unsummedFrom += 1 }
    } else if frame != headedFrame || count != PageSum.pageBytes {
      unsummedFrom = min(unsummedFrom, frame)
    } else {
      headedFrame = 0
    }
  }

  /// Before the database is written from its log, notes durably how much of the log is in it from
  /// then on; false when that fails.
  private func markCheckpoint() -> Bool {
    guard let index else { return true }
    let current = CheckpointMark(index: index)
    guard current != mark else { return true }
    do {
      try current.save(for: path)
      mark = current
      return true
    } catch { return false }
  }

  /// Forgets what was known of the frames of a log that is cut.
  func truncate(to size: Int) -> Int32 {
    if isLog { unsummedFrom = .max }
    return methods.xTruncate(file, sqlite3_int64(size))
  }

  // MARK: What the system's file does alone

  func close() -> Int32 { methods.xClose(file) }

  func sync(_ flags: Int32) -> Int32 { methods.xSync(file, flags) }

  func size(_ size: UnsafeMutablePointer<sqlite3_int64>?) -> Int32 {
    methods.xFileSize(file, size)
  }

  func lock(_ level: Int32) -> Int32 { methods.xLock(file, level) }

  func unlock(_ level: Int32) -> Int32 { methods.xUnlock(file, level) }

  func checkReservedLock(_ isHeld: UnsafeMutablePointer<Int32>?) -> Int32 {
    methods.xCheckReservedLock(file, isHeld)
  }

  func control(_ operation: Int32, _ argument: UnsafeMutableRawPointer?) -> Int32 {
    methods.xFileControl(file, operation, argument)
  }

  var sectorBytes: Int32 { methods.xSectorSize(file) }

  var characteristics: Int32 { methods.xDeviceCharacteristics(file) }

  func mapIndex(
    _ region: Int32, _ bytes: Int32, _ extend: Int32,
    _ place: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) -> Int32 {
    let code = methods.xShmMap(file, region, bytes, extend, place)
    if region == 0 { index = code == SQLITE_OK ? place?.pointee.map { UnsafeRawPointer($0) } : nil }
    return code
  }

  func lockIndex(_ offset: Int32, _ count: Int32, _ flags: Int32) -> Int32 {
    methods.xShmLock(file, offset, count, flags)
  }

  func indexBarrier() { methods.xShmBarrier(file) }

  func unmapIndex(_ delete: Int32) -> Int32 {
    index = nil
    return methods.xShmUnmap(file, delete)
  }
}
