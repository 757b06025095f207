/// The ledger's files before SQLite opens them: SQLite would take damage in its log for the log's
/// end, and another page size for granted.
package struct LedgerFile {
  private let path: String

  /// The files of the ledger at `path`.
  package init(_ path: String) { self.path = path }

  private static let log = "-wal"
  /// What the ledger's files are called behind its name.
  static let suffixes = ["", log, "-shm", CheckpointMark.suffix]

  static func foreign(application: Int64, format: Int64) -> StoreFault {
    application == Schema.application
      ? Schema.foreign(format)
      : .foreign("ledger.db isn't a ledger of outlay, or one of an older release")
  }

  /// Throws ``StoreFault/foreign(_:)`` for another program's file or format, and
  /// ``StoreFault/ledger(_:)`` for damage that SQLite wouldn't see. Nobody else may write.
  func check() throws {
    try checkFormat()
    try checkLog()
  }

  /// Gives the files another name, durably, for people to look at: `ledger.db.damaged-1` and so on.
  /// Returns it.
  static func setAside(on disk: any Disk) throws -> String {
    let names = Set(try disk.list(""))
    var number = 1
    while names.contains("\(name).damaged-\(number)") { number += 1 }
    let aside = "\(name).damaged-\(number)"
    // The database goes first: a log alone is no ledger, but a database without its log seems one.
    for suffix in suffixes where names.contains(name + suffix) {
      try disk.rename(name + suffix, to: aside + suffix)
    }
    try disk.syncDirectory("")
    return aside
  }

  /// Removes the files of a ledger that isn't in use.
  static func remove(_ name: String, on disk: any Disk) throws {
    for suffix in suffixes { try disk.remove(name + suffix) }
  }

  static let name = "ledger.db"
  /// One that is being made anew.
  static let rebuilt = "ledger.db.rebuilt"

  // MARK: First page

  /// Looks at the first page.
  func checkFormat() throws {
    var page = try System.contents(of: path, most: PageSum.pageBytes)
    // Without a page everything is in the log still, or there is nothing.
    guard page.count == PageSum.pageBytes else { return }
    let format = Self.word(page, at: 60)
    let application = Self.word(page, at: 68)
    if Self.isRight(page) {
      // A new one whose tables are in the log still.
      if application == 0, format == 0, Int(page[20]) == PageSum.reservedBytes { return }
      guard application == Schema.application, format == Schema.format else {
        throw Self.foreign(application: application, format: format)
      }
      return
    }
    let isOurs = application == Schema.application || Int(page[20]) == PageSum.reservedBytes
    guard isOurs else { throw Self.foreign(application: application, format: format) }
    // A bit of the format alone may be what is damaged.
    for (place, byte) in withUnsafeBytes(of: UInt32(Schema.format).bigEndian, Array.init)
      .enumerated()
    {
      page[60 + place] = byte
    }
    // No release wrote 0: that is a new ledger's first page, which a checkpoint wrote in part.
    guard format == Schema.format || format == 0 || Self.isRight(page) else {
      throw Self.foreign(application: Schema.application, format: format)
    }
    // Where a checkpoint was cut short, the log has the page, and SQLite finds out.
    guard try System.size(path + Self.log, name: "ledger.db-wal") == 0 else { return }
    throw StoreFault.ledger("ledger.db: offset 0: page 1 is damaged")
  }

  private static func word(_ page: [UInt8], at offset: Int) -> Int64 {
    page[offset..<offset + 4].reduce(0) { $0 << 8 | Int64($1) }
  }

  private static func isRight(_ page: [UInt8]) -> Bool {
    page.withUnsafeBytes { bytes in
      bytes.baseAddress.map { PageSum.isRight($0, number: 1) } ?? false
    }
  }

  // MARK: Log

  /// Compares how far the log can be read with how far it may have been copied.
  private func checkLog() throws {
    let name = path + Self.log
    let size = try System.size(name, name: name)
    let saved = try CheckpointMark.saved(for: path)
    guard size > 0, saved != .none else { return }
    let log = try SavedLog(name)
    switch saved {
    case .none: return
    case .mark(let mark):
      // Of another log nothing is in the database, unless it is the log's header that is damaged.
      guard log.salts == nil || log.salts == mark.salts else { return }
      guard log.committed < mark.frames else { return }
    case .damaged: guard !log.isWhole else { return }
    }
    throw StoreFault.ledger(
      "ledger.db-wal: offset \(log.end): damaged, and what follows may be in ledger.db in part")
  }
}

/// How far a log that nobody writes to can be read.
private struct SavedLog {
  /// nil where the header is damaged.
  private(set) var salts: UInt64?
  /// Frames up to the last commit.
  private(set) var committed: UInt64 = 0
  /// Offset behind the last frame that is right.
  private(set) var end = 0
  /// Whether the log ends there, or with frames of an older one.
  private(set) var isWhole = false

  init(_ name: String) throws(StoreFault) {
    let descriptor = try System.open(name, name: name, create: false)
    defer { System.close(descriptor) }
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: LogFrame.bytes, alignment: 16)
    defer { memory.deallocate() }
    guard let start = memory.baseAddress else { return }
    let head = UnsafeMutableRawBufferPointer(rebasing: memory[..<LogFrame.logHeaderBytes])
    guard try System.read(descriptor, into: head, at: 0, name: name) == head.count else { return }
    var sum = LogFrame.Sum()
    sum.add(start, count: 24)
    guard sum == LogFrame.Sum(start + 24) else { return }
    let salts = start.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
    self.salts = salts
    end = LogFrame.logHeaderBytes
    var frame = 0
    while true {
      let count = try System.read(descriptor, into: memory, at: end, name: name)
      guard count == memory.count else {
        isWhole = count == 0
        return
      }
      let page = start + LogFrame.headerBytes
      guard start.loadUnaligned(fromByteOffset: 8, as: UInt64.self) == salts else {
        isWhole = committed == frame
        return
      }
      guard LogFrame.isRight(header: start, page: page, after: sum) else { return }
      sum = LogFrame.Sum(start + 16)
      frame += 1
      end += memory.count
      if start.loadUnaligned(fromByteOffset: 4, as: UInt32.self) != 0 { committed = UInt64(frame) }
    }
  }
}
