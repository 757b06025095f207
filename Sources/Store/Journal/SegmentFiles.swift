import Metering

/// The journal's directory: makes segments from files filled with zeroes ahead, so that a commit's
/// sync writes data only, never a file's size or its map of blocks.
///
/// - `spare`: filled with zeroes and synced, to become the next segment.
/// - `spare.new`: being filled.
/// - `spare.urgent`: taken by a commit that found no spare; its blocks are set aside, not filled.
/// - `recycled`: a pruned segment whose blocks will be filled again.
final class SegmentFiles: @unchecked Sendable {
  // Unchecked: `lock` guards which of the files are there. Whoever fills holds it only before and
  // after, so that a commit never waits for that.

  static let directory = "journal"
  static let spare = "journal/spare"
  static let unfinished = "journal/spare.new"
  static let urgent = "journal/spare.urgent"
  static let recycled = "journal/recycled"

  let disk: any Disk
  /// Size of new segments.
  let segmentBytes: Int
  private let lock = StoreLock()
  private var hasSpare = false
  private var hasRecycled = false
  private var isFilling = false

  init(disk: any Disk, segmentBytes: Int) throws {
    self.disk = disk
    self.segmentBytes = segmentBytes
    try disk.makeDirectory(Self.directory)
    try disk.syncDirectory("")
    // Renames that were seen before a kill may not have reached the disk.
    try disk.syncDirectory(Self.directory)
    let names = try disk.list(Self.directory)
    hasSpare = names.contains("spare")
    hasRecycled = names.contains("recycled")
    if hasSpare, try disk.open(Self.spare, create: false).size() != segmentBytes {
      hasSpare = false
      try disk.remove(Self.spare)
    }
  }

  /// Only for reading segments: makes and removes nothing.
  init(reading disk: any Disk) {
    self.disk = disk
    segmentBytes = StoreLimits.segmentBytes
  }

  /// The segments in order, their headers checked against each other.
  func load() throws -> [Segment] {
    var segments: [Segment] = []
    for entry in try disk.list(Self.directory) where entry.hasSuffix(".seg") {
      let name = Self.directory + "/" + entry
      let file = try disk.open(name, create: false)
      let header = try SegmentHeader(
        try file.read(count: SegmentHeader.bytes, at: 0), file: name)
      guard header.name == name else {
        throw StoreFault.damaged("\(name) says it is \(header.name)")
      }
      let size = try file.size()
      guard size == Int(header.capacity) else {
        throw StoreFault.rot(
          file: name, offset: size, detail: "the file should have \(header.capacity) bytes")
      }
      segments.append(Segment(header: header, file: file))
    }
    segments.sort { $0.header.firstSequence < $1.header.firstSequence }
    for (older, newer) in zip(segments, segments.dropFirst()) {
      guard newer.header.identity == older.header.identity else {
        throw StoreFault.foreign("\(newer.name) is of another store than \(older.name)")
      }
      guard newer.header.ordinal == older.header.ordinal + 1 else {
        throw StoreFault.damaged("the segment between \(older.name) and \(newer.name) is missing")
      }
    }
    return segments
  }

  /// Makes the spare the segment of `header`, durably, or a file whose blocks are only set aside
  /// where there is none: that takes a moment, and filling one takes many. After a failure nothing
  /// was begun.
  func create(_ header: SegmentHeader) throws -> Segment {
    try lock.withLock {
      let name = hasSpare ? Self.spare : Self.urgent
      // A file whose sync failed is never used again, and after a failed rename nobody knows
      // which name the file has.
      hasSpare = false
      do {
        let file = try name == Self.spare ? disk.open(name, create: false) : allocated(name)
        try header.encode().withUnsafeBytes { try file.write($0, at: 0) }
        try file.sync()
        try disk.rename(name, to: header.name)
        try disk.syncDirectory(Self.directory)
        // Opened again, since a file tells its faults by the name that it was opened with.
        return Segment(header: header, file: try disk.open(header.name, create: false))
      } catch {
        try? disk.remove(name)
        throw error
      }
    }
  }

  private func allocated(_ name: String) throws -> any DiskFile {
    // There may be no room for both.
    if hasRecycled {
      hasRecycled = false
      try disk.remove(Self.recycled)
    }
    try disk.remove(name)
    let file = try disk.open(name, create: true)
    try file.allocate(segmentBytes)
    return file
  }

  /// Fills the file of the next segment, off the commit path; does nothing when there is one.
  func prepareSpare() throws {
    let isNeeded = try lock.withLock { () -> Bool in
      guard !hasSpare && !isFilling else { return false }
      try disk.remove(Self.unfinished)
      if hasRecycled {
        hasRecycled = false
        try disk.rename(Self.recycled, to: Self.unfinished)
      }
      isFilling = true
      return true
    }
    guard isNeeded else { return }
    do {
      try fill(try disk.open(Self.unfinished, create: true))
      try lock.withLock {
        isFilling = false
        try disk.rename(Self.unfinished, to: Self.spare)
        try disk.syncDirectory(Self.directory)
        hasSpare = true
      }
    } catch {
      lock.withLock { isFilling = false }
      try? disk.remove(Self.unfinished)
      throw error
    }
  }

  private func fill(_ file: any DiskFile) throws {
    let zeroes = [UInt8](repeating: 0, count: min(segmentBytes, StoreLimits.fillBytes))
    var offset = 0
    while offset < segmentBytes {
      let count = min(zeroes.count, segmentBytes - offset)
      try zeroes.withUnsafeBytes {
        try file.write(UnsafeRawBufferPointer(rebasing: $0[0..<count]), at: offset)
      }
      try file.sync()
      offset += count
    }
  }

  /// Takes a segment's file away, durably; its blocks become the next spare's when it fits.
  func retire(_ segment: Segment) throws {
    try lock.withLock {
      if !hasSpare && !hasRecycled && segment.capacity == segmentBytes {
        try disk.rename(segment.name, to: Self.recycled)
        hasRecycled = true
      } else {
        try disk.remove(segment.name)
      }
      try disk.syncDirectory(Self.directory)
    }
  }

  /// Bytes of the files that aren't segments.
  var spareBytes: Int {
    lock.withLock { (hasSpare ? 1 : 0) + (hasRecycled ? 1 : 0) } * segmentBytes
  }
}
