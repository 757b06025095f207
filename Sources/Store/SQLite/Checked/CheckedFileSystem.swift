import CSQLite

/// Registers SQLite's view of the file system in which the ledger's files check themselves,
/// https://www.sqlite.org/vfs.html: everything but opening a database or its log is the system's
/// own.
enum CheckedFileSystem {
  /// Extended codes that SQLite's header defines by expressions.
  static let shortRead: Int32 = SQLITE_IOERR | 2 << 8
  static let writeFault: Int32 = SQLITE_IOERR | 3 << 8
  /// SQLITE_IOERR_DATA: a sum is wrong.
  static let damaged: Int32 = SQLITE_IOERR | 32 << 8

  private static let registeredName = "outlay"
  /// Room for the methods' address and that of our own object, before the system's file.
  fileprivate static let headBytes = 16
  /// Room for the system's file: several times what SQLite's own need. Which file system is the
  /// default is looked up with each call, since it may be another by then.
  fileprivate static let fileBytes: Int32 = 1_024

  /// nil when SQLite won't have it.
  static let name: String? = register() ? registeredName : nil

  private static func register() -> Bool {
    guard let system = sqlite3_vfs_find(nil) else { return false }
    let text = registeredName.utf8CString
    let name = UnsafeMutablePointer<CChar>.allocate(capacity: text.count)
    for (place, character) in text.enumerated() { (name + place).initialize(to: character) }
    let checked = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    var vfs = sqlite3_vfs()
    // Both live as long as the process.
    vfs.iVersion = 2
    vfs.szOsFile = fileBytes + Int32(headBytes)
    vfs.mxPathname = system.pointee.mxPathname
    vfs.zName = UnsafePointer(name)
    vfs.xOpen = { openChecked($0, $1, $2, $3, $4) }
    vfs.xDelete = { original($0).pointee.xDelete(original($0), $1, $2) }
    vfs.xAccess = { original($0).pointee.xAccess(original($0), $1, $2, $3) }
    vfs.xFullPathname = { original($0).pointee.xFullPathname(original($0), $1, $2, $3) }
    vfs.xRandomness = { original($0).pointee.xRandomness(original($0), $1, $2) }
    vfs.xSleep = { original($0).pointee.xSleep(original($0), $1) }
    vfs.xCurrentTime = { original($0).pointee.xCurrentTime(original($0), $1) }
    vfs.xGetLastError = { original($0).pointee.xGetLastError(original($0), $1, $2) }
    vfs.xCurrentTimeInt64 = { original($0).pointee.xCurrentTimeInt64(original($0), $1) }
    checked.initialize(to: vfs)
    return sqlite3_vfs_register(checked, 0) == SQLITE_OK
  }

  fileprivate nonisolated(unsafe) static let methods: UnsafePointer<sqlite3_io_methods> = {
    // Version 2: without memory maps of the file, which nobody could check.
    var methods = sqlite3_io_methods()
    methods.iVersion = 2
    methods.xClose = { closeChecked($0) }
    methods.xRead = { checked($0).read(into: $1.unsafelyUnwrapped, count: Int($2), at: Int($3)) }
    methods.xWrite = { checked($0).write($1.unsafelyUnwrapped, count: Int($2), at: Int($3)) }
    methods.xTruncate = { checked($0).truncate(to: Int($1)) }
    methods.xSync = { checked($0).sync($1) }
    methods.xFileSize = { checked($0).size($1) }
    methods.xLock = { checked($0).lock($1) }
    methods.xUnlock = { checked($0).unlock($1) }
    methods.xCheckReservedLock = { checked($0).checkReservedLock($1) }
    methods.xFileControl = { checked($0).control($1, $2) }
    methods.xSectorSize = { checked($0).sectorBytes }
    methods.xDeviceCharacteristics = { checked($0).characteristics }
    methods.xShmMap = { checked($0).mapIndex($1, $2, $3, $4) }
    methods.xShmLock = { checked($0).lockIndex($1, $2, $3) }
    methods.xShmBarrier = { checked($0).indexBarrier() }
    methods.xShmUnmap = { checked($0).unmapIndex($1) }
    let memory = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    memory.initialize(to: methods)
    return UnsafePointer(memory)
  }()

  /// Our own object behind a connection's database.
  static func file(of connection: OpaquePointer) -> CheckedFile? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    guard code == SQLITE_OK, let file, file.pointee.pMethods == methods else { return nil }
    return checked(file)
  }
}

/// The file system that does the work: the default, which ours never is.
private func original(
  _ vfs: UnsafeMutablePointer<sqlite3_vfs>?
) -> UnsafeMutablePointer<sqlite3_vfs> {
  guard let system = sqlite3_vfs_find(nil), system != vfs else {
    preconditionFailure("SQLite has no file system")
  }
  return system
}

/// Our own object behind a file of SQLite's.
private func checked(_ file: UnsafeMutablePointer<sqlite3_file>?) -> CheckedFile {
  guard let file else { preconditionFailure("SQLite gave no file") }
  let place = UnsafeRawPointer(file).load(
    fromByteOffset: MemoryLayout<sqlite3_file>.size, as: UnsafeRawPointer.self)
  return Unmanaged<CheckedFile>.fromOpaque(place).takeUnretainedValue()
}

private func openChecked(
  _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?,
  _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
  _ opened: UnsafeMutablePointer<Int32>?
) -> Int32 {
  let system = original(vfs)
  let isLog = flags & SQLITE_OPEN_WAL != 0
  guard isLog || flags & SQLITE_OPEN_MAIN_DB != 0, let file, let name else {
    return system.pointee.xOpen(system, name, file, flags, opened)
  }
  let inner = (UnsafeMutableRawPointer(file) + CheckedFileSystem.headBytes)
    .assumingMemoryBound(to: sqlite3_file.self)
  file.pointee.pMethods = nil
  guard system.pointee.szOsFile <= CheckedFileSystem.fileBytes else { return SQLITE_CANTOPEN }
  let code = system.pointee.xOpen(system, name, inner, flags, opened)
  guard code == SQLITE_OK else {
    // SQLite closes what has methods, and only through the outer file.
    if let methods = inner.pointee.pMethods { _ = methods.pointee.xClose(inner) }
    return code
  }
  let database = isLog ? sqlite3_database_file_object(name).map { checked($0) } : nil
  let object = CheckedFile(
    inner, path: String(cString: name), isLog: isLog, database: database)
  UnsafeMutableRawPointer(file).storeBytes(
    of: UnsafeRawPointer(Unmanaged.passRetained(object).toOpaque()),
    toByteOffset: MemoryLayout<sqlite3_file>.size, as: UnsafeRawPointer.self)
  file.pointee.pMethods = CheckedFileSystem.methods
  return SQLITE_OK
}

private func closeChecked(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Int32 {
  let object = checked(file)
  let code = object.close()
  Unmanaged.passUnretained(object).release()
  return code
}
