import Foundation
import Metering

@testable import Store

/// Where the bytes of a store are that belong to each kind of page, block and frame.
struct StorePlaces {
  struct Place {
    var file: String
    var range: Range<Int>
  }

  private(set) var places: [String: [Place]] = [:]
  private let path: String
  private let disk: LinuxDisk

  /// Finds them in a store that nobody uses.
  init(_ path: String) throws {
    self.path = path
    disk = LinuxDisk(root: path)
    try findJournal()
    try findLog()
    try findPages()
    for name in ["lock", "reserve", "journal/synced", "ledger.db-shm", "ledger.db-checkpoint"] {
      add(name, name, 0..<(try disk.size(of: name)))
    }
  }

  private mutating func add(_ kind: String, _ file: String, _ range: Range<Int>) {
    if !range.isEmpty { places[kind, default: []].append(Place(file: file, range: range)) }
  }

  private mutating func findJournal() throws {
    let journal = try Journal.openForReading(disk: disk)
    let state = journal.snapshot
    var frames: [Journal.Frame] = []
    try journal.scan { frames.append($0) }
    for (index, segment) in state.segments.enumerated() {
      let isLast = index == state.segments.count - 1
      add("segment header", segment.name, 0..<112)
      add("segment header padding", segment.name, 112..<SegmentHeader.bytes)
      let end = state.end(of: index)
      add(isLast ? "space ahead" : "space left", segment.name, end..<segment.capacity)
      for frame in frames where JournalAddress.ordinal(frame.address) == segment.header.ordinal {
        let start = JournalAddress.offset(frame.address)
        let body = start + FrameHeader.bytes
        let isEnd = isLast && start + FrameHeader.frameBytes(body: frame.body.count) == end
        add(isEnd ? "last frame header" : "frame header", segment.name, start..<body)
        add(isEnd ? "last frame" : "frame", segment.name, body..<(body + frame.body.count))
      }
    }
    add("spare", "journal/spare", 0..<(try disk.size(of: "journal/spare")))
  }

  private mutating func findLog() throws {
    let size = try disk.size(of: "ledger.db-wal")
    add("log header", "ledger.db-wal", 0..<min(size, LogFrame.logHeaderBytes))
    for frame in 1..<max(2, LogFrame.number(at: size)) where LogFrame.offset(of: frame) < size {
      let start = LogFrame.offset(of: frame)
      add("log frame header", "ledger.db-wal", start..<(start + LogFrame.headerBytes))
      add("log page", "ledger.db-wal", (start + LogFrame.headerBytes)..<(start + LogFrame.bytes))
    }
  }

  /// Asks a copy, since the log goes into the file when it is read.
  private mutating func findPages() throws {
    let copy = TemporaryDirectory()
    try FileManager.default.copyItem(
      atPath: path + "/ledger.db", toPath: copy.path + "/ledger.db")
    let pages = try disk.size(of: "ledger.db") / PageSum.pageBytes
    var kinds: [Int: String] = [:]
    let connection = try Connection(path: copy.path + "/ledger.db")
    try connection.prepare("SELECT pageno, name, pagetype FROM dbstat").forEach { row in
      kinds[Int(row.integer(0))] = "\(row.text(1)) \(row.text(2))"
    }
    for page in 1...pages {
      let start = (page - 1) * PageSum.pageBytes
      add(
        "page: \(kinds[page] ?? "free")", "ledger.db", start..<(start + PageSum.pageBytes))
    }
  }
}
