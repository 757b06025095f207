import Foundation
import Metering
import Testing

@testable import Store

@Suite("Backup") struct BackupTests {
  private static let configuration = #"{ meters: { credits: { unit: "{credit}" } } }"#
  private static let options = Books.Options(memtableEvents: 200, segmentBytes: 64 << 10)

  /// A store of several segments and runs, what became of its events, and where a copy may go.
  private struct Scratch {
    let store = try? ScratchBooks()
    let parent = TemporaryDirectory()
    var target: String { parent.path + "/copy" }

    func directory() throws -> String { try #require(store).directory }

    func open() throws -> Books { try #require(store).open(configuration, options: options) }

    func openCopy() throws -> Books {
      try Books(
        directory: target, disk: LinuxDisk(root: target),
        configuration: ScratchBooks.load(configuration), options: options,
        newIdentity: { throw StoreFault.damaged("the copy has no journal") })
    }

    @discardableResult
    func copy(
      progress: (Backup.Stage, Double) throws -> Void = { _, _ in },
      onto: (String) -> any Disk = { LinuxDisk(root: $0) }
    ) throws -> Backup {
      let directory = try directory()
      return try Backup.run(
        directory: directory, disk: LinuxDisk(root: directory), target: target,
        progress: progress, onto: onto)
    }

    /// What stands beside the store once a copy failed.
    func left() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: parent.path).sorted()
    }
  }

  private static func send(_ range: Range<Int>, to books: Books) throws -> [Verdict] {
    var verdicts: [Verdict] = []
    for start in stride(from: range.lowerBound, to: range.upperBound, by: 40) {
      let lines = (start..<min(start + 40, range.upperBound)).map {
        """
        {"id":"\($0)","transactionId":"t\($0 % 7)","meter":"credits","quantity":\($0),\
        "attributes":{"note":"\(String(repeating: "x", count: 90))\($0)"}}
        """
      }
      verdicts += Array(try ScratchBooks.commit(lines, to: books).verdicts)
    }
    return verdicts
  }

  private static func isDuplicate(_ verdict: Verdict) -> Bool {
    if case .duplicate = verdict { true } else { false }
  }

  private static func frames(_ directory: String) throws -> [Journal.Frame] {
    var frames: [Journal.Frame] = []
    try Journal.openForReading(disk: LinuxDisk(root: directory)).scan { frames.append($0) }
    return frames
  }

  /// A closed store with 1,200 events.
  private static func filled() throws -> Scratch {
    let scratch = Scratch()
    let books = try scratch.open()
    _ = try send(0..<1_200, to: books)
    try books.close()
    return scratch
  }

  @Test("has all that a store at rest has") func atRest() throws {
    let scratch = try Self.filled()
    let made = try scratch.copy()
    let frames = try Self.frames(scratch.directory())
    #expect(try Self.frames(scratch.target) == frames)
    #expect(made.sequence == UInt64(frames.count) && made.segments > 2)
    let found = try Verification.run(
      directory: scratch.target, disk: LinuxDisk(root: scratch.target))
    #expect(found.differences == [] && found.events == 1_200)
    let mode = try FileManager.default.attributesOfItem(atPath: scratch.target)[.posixPermissions]
    #expect(mode as? Int == 0o700)
    #expect(try scratch.left() == ["copy"])
  }

  @Test("has all that was acknowledged before, while more comes in") func busy() throws {
    let scratch = Scratch()
    let books = try scratch.open()
    _ = try Self.send(0..<1_200, to: books)
    var sent = 1_200
    try scratch.copy { stage, _ in
      guard stage == .copying else { return }
      _ = try Self.send(sent..<(sent + 120), to: books)
      sent += 120
      _ = try books.flush()
      while try books.merge() {}
    }
    #expect(sent > 2_000)
    let found = try Verification.run(
      directory: scratch.target, disk: LinuxDisk(root: scratch.target))
    #expect(found.differences == [] && found.events >= 1_000)
    let copy = try scratch.openCopy()
    #expect(try Self.send(0..<1_200, to: copy).allSatisfy(Self.isDuplicate))
    // The rest is all there or not at all, batch by batch, and can be sent again.
    _ = try Self.send(1_200..<sent, to: copy)
    #expect(copy.totals.accepted == UInt64(sent))
    #expect(try Self.send(0..<sent, to: books).allSatisfy(Self.isDuplicate))
  }

  @Test("leaves behind what an unfinished write left") func tornTail() throws {
    let scratch = try Self.filled()
    let directory = try scratch.directory()
    let frames = try Self.frames(directory)
    let disk = LinuxDisk(root: directory)
    let journal = try Journal.openForReading(disk: disk)
    let last = try #require(try disk.list("journal").filter { $0.hasSuffix(".seg") }.max())
    let file = try disk.open("journal/" + last, create: false)
    try [UInt8](repeating: 7, count: 300).withUnsafeBytes {
      try file.write($0, at: Int(journal.head.address & (1 << 26 - 1)))
    }
    try scratch.copy()
    #expect(try Self.frames(scratch.target) == frames)
    let copy = try scratch.openCopy()
    #expect(try Self.send(0..<1_200, to: copy).allSatisfy(Self.isDuplicate))
  }

  @Test("has no gap when segments go meanwhile", arguments: 0..<6)
  func pruned(at call: Int) throws {
    let scratch = try Self.filled()
    let frames = try Self.frames(scratch.directory())
    let books = try scratch.open()
    var (calls, sent) = (0, 1_200)
    try scratch.copy { _, _ in
      defer { calls += 1 }
      guard calls == call else { return }
      // The file of one that went becomes the next one that is written.
      for _ in 0..<2 {
        try books.journal.prune(before: books.journal.snapshot.segments[1].header.firstSequence)
        try books.prepareSpare()
        let last = books.journal.snapshot.last.header.ordinal
        while books.journal.snapshot.last.header.ordinal == last {
          _ = try Self.send(sent..<(sent + 40), to: books)
          sent += 40
        }
      }
    }
    #expect(calls > call)
    let copied = try Self.frames(scratch.target)
    let known = copied.filter { $0.sequence <= UInt64(frames.count) }
    #expect(known == frames.suffix(known.count) && known.count > 0)
    _ = try scratch.openCopy()
  }

  @Test("leaves nothing when a write or sync fails") func faults() throws {
    let scratch = try Self.filled()
    var count = 0
    while true {
      do {
        try scratch.copy(onto: { path in
          let disk = FragileDisk(LinuxDisk(root: path))
          disk.breaks(after: count)
          return disk
        })
        break
      } catch StoreFault.system {
        #expect(try scratch.left() == [])
      }
      count += 1
    }
    #expect(count > 10)
    #expect(try Self.frames(scratch.target) == Self.frames(scratch.directory()))
  }

  private struct Stopped: Error {}

  @Test("leaves nothing when it is stopped") func stopped() throws {
    let scratch = try Self.filled()
    var (stops, isWhole) = (0, false)
    while !isWhole {
      var calls = 0
      do {
        try scratch.copy { _, _ in
          if calls == stops { throw Stopped() }
          calls += 1
        }
        isWhole = true
      } catch is Stopped {
        #expect(try scratch.left() == [])
        stops += 1
      }
    }
    #expect(stops > 5)
  }

  @Test(
    "needs room and leaves some",
    arguments: [([5_000_000], 0), ([.max, StoreLimits.freeFloorBytes - 1], 1)]
      as [([UInt64], Int)])
  func room(free: [UInt64], kind: Int) throws {
    let scratch = try Self.filled()
    let fault = #expect(throws: (any Error).self) {
      try scratch.copy(onto: { path in
        let disk = FragileDisk(LinuxDisk(root: path))
        disk.free = free
        return disk
      })
    }
    switch fault {
    case BackupFault.noRoom(let needed, 5_000_000)?:
      #expect(kind == 0 && needed > StoreLimits.freeFloorBytes)
    case StoreFault.full?: #expect(kind == 1)
    default: Issue.record("\(String(describing: fault))")
    }
    #expect(try scratch.left() == [])
  }

  @Test(
    "refuses, and leaves what is there",
    arguments: [
      ("mkdir copy; touch copy/a", "copy exists and isn't an empty folder"),
      ("touch copy", "copy exists and isn't an empty folder"),
      ("mkdir copy.unfinished", "copy.unfinished exists: another backup"),
      ("rm $STORE/ledger.db*", "unable to open database file"),
      ("mv $STORE/journal $STORE/gone", "opendir journal"),
      ("rm $STORE/journal/0*1.seg; rm $STORE/journal/*.seg", "there is no journal"),
      ("rm $(ls $STORE/journal/*.seg | sed -n 2p)", " is missing"),
      (
        "printf X | dd bs=1 conv=notrunc seek=4200 of=$(ls $STORE/journal/*.seg | sed -n 2p)",
        "is damaged"
      ),
      ("truncate -s 100 $(ls $STORE/journal/*.seg | sed -n 2p)", "not a segment's header"),
      ("truncate -s 9000 $STORE/ledger.db", "malformed"),
    ])
  func refuses(script: String, reason: String) throws {
    let scratch = try Self.filled()
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", script]
    shell.currentDirectoryURL = URL(fileURLWithPath: scratch.parent.path)
    shell.environment = ["PATH": "/usr/bin:/bin", "STORE": try scratch.directory()]
    shell.standardError = FileHandle.nullDevice
    try shell.run()
    shell.waitUntilExit()
    let before = try scratch.left()
    let fault = #expect(throws: (any Error).self) { try scratch.copy() }
    #expect(fault.map { "\($0)".contains(reason) } == true, "\(String(describing: fault))")
    #expect(try scratch.left() == before)
  }

  @Test("refuses a ledger that is of another story") func otherStory() throws {
    let scratch = try Self.filled()
    try Connection(path: scratch.directory() + "/ledger.db").execute(
      "UPDATE meta SET v = zeroblob(16) WHERE k = 'appliedChain'")
    #expect(throws: StoreFault.self) { try scratch.copy() }
    #expect(try scratch.left() == [])
  }

  @Test("takes the place of an empty folder") func emptyFolder() throws {
    let scratch = try Self.filled()
    try FileManager.default.createDirectory(
      atPath: scratch.target, withIntermediateDirectories: false)
    try scratch.copy()
    #expect(try Self.frames(scratch.target) == Self.frames(scratch.directory()))
  }
}
