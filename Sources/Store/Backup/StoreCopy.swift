import Metering

/// One copy in the making: the journal's closed segments, the ledger, then what the journal got
/// meanwhile.
///
/// In this order nothing can be missing. What the ledger's snapshot covers was durable in the
/// journal before, so the journal read behind it reaches as far. And a segment is pruned only when
/// the ledger needs it no more, so one that goes before the snapshot isn't needed by it.
struct StoreCopy {
  private let view: LedgerView
  private let source: any Disk
  private let copy: any Disk
  private let folder: String
  /// Number of the next segment to be copied; nil at first.
  private var next: UInt64?
  private var done = 0
  /// Where the copied ledger is in the journal.
  private var applied: (sequence: UInt64, chain: Hash128?) = (0, nil)

  init(view: LedgerView, source: any Disk, copy: any Disk, folder: String) {
    self.view = view
    self.source = source
    self.copy = copy
    self.folder = folder
  }

  private static let ledger = "ledger.db"

  private static func segments(on disk: any Disk) throws -> [String] {
    try disk.list(SegmentFiles.directory).filter { $0.hasSuffix(".seg") }
      .map { SegmentFiles.directory + "/" + $0 }
  }

  private static func bytes(on disk: any Disk, _ more: [String]) throws -> Int {
    try (segments(on: disk) + more).reduce(0) { try $0 + disk.size(of: $1) }
  }

  /// Refuses to begin what won't fit; returns about how many bytes the copy takes. Should it lie on
  /// the store's own disk, it leaves what the server needs to go on.
  func checkRoom() throws -> Int {
    let bytes = try Self.bytes(on: source, [Self.ledger, Self.ledger + "-wal"])
    let needed = UInt64(bytes) + StoreLimits.freeFloorBytes
    let free = try copy.freeBytes()
    guard free >= needed else { throw BackupFault.noRoom(needed: needed, free: free) }
    return bytes
  }

  /// Copies and syncs everything; `progress` gets the bytes done.
  mutating func run(_ progress: (Int) throws -> Void) throws {
    try copy.makeDirectory(SegmentFiles.directory)
    try copySegments(withLast: false, progress)
    try copyLedger(progress)
    try copySegments(withLast: true, progress)
  }

  private func proceed(_ bytes: Int, _ progress: (Int) throws -> Void) throws {
    guard try copy.freeBytes() >= StoreLimits.freeFloorBytes else { throw StoreFault.full }
    try progress(bytes)
  }

  // MARK: Ledger

  private mutating func copyLedger(_ progress: (Int) throws -> Void) throws {
    let before = done
    try view.connection.read {
      applied = (try view.applied(), try Meta(view.connection).hash("appliedChain"))
      try view.connection.copy(to: folder + "/" + Self.ledger) { bytes in
        done = before + bytes
        try proceed(done, progress)
      }
    }
    try copy.open(Self.ledger, create: false).sync()
  }

  // MARK: Journal

  private mutating func copySegments(
    withLast: Bool, _ progress: (Int) throws -> Void
  ) throws {
    let state = try Journal.openForReading(disk: source).snapshot
    guard let first = state.segments.first?.header.ordinal, first <= next ?? first else {
      throw StoreFault.damaged("the journal lost segments that weren't copied yet; try again")
    }
    let wanted = next ?? first
    next = wanted
    let segments = withLast ? state.segments[...] : state.segments.dropLast()
    for (index, segment) in segments.enumerated() where segment.header.ordinal >= wanted {
      try copy(segment, end: state.end(of: index), progress)
      next = segment.header.ordinal + 1
      // Its file may have been filled with zeroes while it was read.
      guard try !Self.segments(on: source).contains(segment.name) else { continue }
      guard !withLast else {
        throw StoreFault.damaged("\(segment.name) went while it was copied; try again")
      }
      for name in try Self.segments(on: copy) { try copy.remove(name) }
    }
  }

  /// Copies what is valid, and zeroes behind it: a server of the copy goes on there.
  private mutating func copy(
    _ segment: Segment, end: Int, _ progress: (Int) throws -> Void
  ) throws {
    let file = try copy.open(segment.name, create: true)
    var offset = 0
    while offset < segment.capacity {
      let limit = offset < end ? end : segment.capacity
      let count = min(StoreLimits.scanBytes, limit - offset)
      let bytes =
        offset < end
        ? try segment.file.read(count: count, at: offset) : [UInt8](repeating: 0, count: count)
      guard bytes.count == count else {
        throw StoreFault.damaged("\(segment.name) became shorter while it was copied")
      }
      try bytes.withUnsafeBytes { try file.write($0, at: offset) }
      offset += count
      done += count
      try proceed(done, progress)
    }
    try file.sync()
  }

  // MARK: Checking

  /// Reads the copy's journal, whose chain must pass where the ledger is; `progress` gets shares.
  func check(_ progress: (Double) throws -> Void) throws -> Backup {
    let journal = try Journal.openForReading(disk: copy)
    let (first, last) = (journal.firstSequence, journal.sequence)
    try journal.scan { frame in
      guard frame.sequence % 64 == 0 else { return }
      try progress(Double(frame.sequence - first + 1) / Double(last - first + 1))
    }
    guard try applied.sequence == 0 || journal.chain(at: applied.sequence) == applied.chain else {
      throw StoreFault.damaged(
        "ledger.db and the journal tell different stories of entry \(applied.sequence)")
    }
    return Backup(
      sequence: last, segments: try Self.segments(on: copy).count,
      bytes: try Self.bytes(on: copy, [Self.ledger]))
  }
}
