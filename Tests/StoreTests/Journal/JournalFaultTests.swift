import Metering
import Store
import Testing

/// Bits that flip, syncs that fail, disks that fill up.
@Suite struct JournalFaultTests {
  /// Name and offset of every frame of a journal.
  static func places(_ journal: Journal) throws -> [(name: String, offset: Int, count: Int)] {
    var frames: [Journal.Frame] = []
    try journal.scan { frames.append($0) }
    var name = ""
    var ordinal = UInt64.max
    return frames.map { frame in
      if frame.address >> 26 != ordinal {
        ordinal = frame.address >> 26
        let digits = String(frame.sequence)
        name = "journal/" + String(repeating: "0", count: 20 - digits.count) + digits + ".seg"
      }
      return (name, Int(frame.address & (1 << 26 - 1)), 80 + frame.body.count)
    }
  }

  /// A journal of one segment with five commits of two frames each.
  static func small() throws -> JournalBench {
    let bench = try JournalBench()
    for number: UInt8 in 0..<5 {
      try JournalBench.append(
        [[UInt8](repeating: number, count: 40), [UInt8](repeating: number, count: 21)],
        to: bench.journal)
    }
    return bench
  }

  @Test(arguments: 0..<8) func rotInTheMiddleIsNamed(frame: Int) throws {
    let bench = try Self.small()
    let place = try Self.places(bench.journal)[frame]
    for byte in 0..<place.count {
      bench.disk.flip(bit: byte % 8, ofByte: place.offset + byte, in: place.name)
      let fault = #expect(throws: StoreFault.self) { try JournalBench.open(bench.disk) }
      guard case .rot(let file, let offset, _)? = fault else {
        Issue.record("byte \(byte): \(String(describing: fault))")
        return
      }
      #expect(file == place.name && offset == place.offset)
      bench.disk.flip(bit: byte % 8, ofByte: place.offset + byte, in: place.name)
    }
  }

  @Test(arguments: [0, 1]) func aFailureNamesTheSegment(operation: Int) throws {
    let disk = FragileDisk(SimulatedDisk())
    let journal = try Journal.open(
      disk: disk, newIdentity: { JournalBench.identity }, segmentBytes: JournalBench.segmentBytes)
    disk.breaks(after: operation)
    let fault = #expect(throws: StoreFault.self) {
      try JournalBench.append([[1, 2, 3]], to: journal)
    }
    guard case .indeterminate(let cause)? = fault else {
      Issue.record("\(String(describing: fault))")
      return
    }
    #expect(cause.contains("journal/00000000000000000001.seg"))
  }

  @Test func aCommitSeenHalfWrittenIsNoRot() throws {
    let disk = SimulatedDisk()
    let journal = try Journal.open(
      disk: disk, newIdentity: { JournalBench.identity }, segmentBytes: 4 << 20)
    let body = [UInt8](repeating: 1, count: 200 << 10)
    // More than is read at once, so that what follows is read later.
    for _ in 0..<8 { try JournalBench.append([body], to: journal) }
    let racing = RacingDisk(disk, tornAt: 500 << 10)
    #expect(try Journal.openForReading(disk: racing).head == journal.head)
    #expect(racing.hasTorn)
  }

  @Test(arguments: 8..<10) func damageInTheLastCommitIsATornTail(frame: Int) throws {
    for byte in [0, 5, 17, 60, 79, 85, 100] {
      let bench = try Self.small()
      let place = try Self.places(bench.journal)[frame]
      bench.disk.flip(ofByte: place.offset + byte, in: place.name)
      let again = try JournalBench.open(bench.disk)
      #expect(again.sequence == 8)
      #expect(again.recovery.startedSegment)
      try JournalBench.append([[1]], to: again)
      let third = try JournalBench.open(bench.disk)
      #expect(third.sequence == 9)
      #expect(try JournalBench.commits(of: third).count == 5)
    }
  }

  @Test func aCommitWithoutItsLastFrameIsDropped() throws {
    let bench = try Self.small()
    let place = try Self.places(bench.journal)[9]
    let file = try bench.disk.open(place.name, create: false)
    try [UInt8](repeating: 0, count: 104).withUnsafeBytes { try file.write($0, at: place.offset) }
    let again = try JournalBench.open(bench.disk)
    #expect(again.sequence == 8)
    #expect(again.recovery.droppedFrames == 1)
  }

  /// Magic, check, a field, the chain, and the body, which is guarded twice: by the chain for who
  /// goes through all frames, by a sum of its own for who reads one.
  @Test(arguments: [0, 5, 44, 64, 79, 80, 90])
  func rotInAnOlderSegmentIsFoundWhenReadOrScanned(byte: Int) throws {
    var bench = try JournalBench()
    for number in 0..<60 { try bench.commit(number) }
    let places = try Self.places(bench.journal)
    let frame = try #require(places.firstIndex { $0.count > 90 && $0.name == places[0].name })
    let place = places[frame]
    var addresses: [UInt64] = []
    try bench.journal.scan { addresses.append($0.address) }
    bench.disk.flip(ofByte: place.offset + byte, in: place.name)
    let again = try JournalBench.open(bench.disk)
    let scanFault = #expect(throws: StoreFault.self) { try again.scan { _ in } }
    let readFault = #expect(throws: StoreFault.self) { try again.read(addresses[frame]) }
    for fault in [scanFault, readFault] {
      guard case .rot(let file, let offset, _)? = fault else {
        Issue.record("\(String(describing: fault))")
        continue
      }
      #expect(file == place.name && offset == place.offset)
    }
    try again.scan(after: again.sequence - 1) { _ in }
  }

  /// A commit is synced before the next one begins: the very next commit behind a bad frame tells
  /// that it was whole once.
  @Test(arguments: [0, 3, 4]) func theNextCommitTellsRotFromATornTail(frame: Int) throws {
    let bench = try JournalBench()
    for number: UInt8 in 0..<5 { try JournalBench.append([[number, number]], to: bench.journal) }
    let place = try Self.places(bench.journal)[frame]
    bench.disk.flip(ofByte: place.offset + 80, in: place.name)
    guard frame < 4 else {
      #expect(try JournalBench.open(bench.disk).sequence == 4)
      return
    }
    // Without what follows the next commit, that alone has to tell.
    let file = try bench.disk.open(place.name, create: false)
    let rest = place.offset + 2 * 88
    let zeros = [UInt8](repeating: 0, count: JournalBench.segmentBytes - rest)
    try zeros.withUnsafeBytes { try file.write($0, at: rest) }
    let fault = #expect(throws: StoreFault.self) { try JournalBench.open(bench.disk) }
    guard case .rot(let name, let offset, _)? = fault else {
      Issue.record("\(String(describing: fault))")
      return
    }
    #expect(name == place.name && offset == place.offset)
  }

  /// The power goes right behind the first commit of each segment: its name is there.
  @Test func aNewSegmentIsThereWithItsFirstCommit() throws {
    var bench = try JournalBench()
    var segments = 1
    for number in 0..<60 {
      try bench.commit(number)
      let found = try bench.disk.list("journal").filter { $0.hasSuffix(".seg") }.count
      guard found > segments else { continue }
      segments = found
      for seed: UInt64 in 0..<8 {
        let image = bench.disk.afterPowerLoss(seed: seed)
        #expect(try JournalBench.commits(of: JournalBench.open(image)) == bench.acknowledged)
      }
    }
    #expect(segments > 3)
  }

  @Test func aDamagedHeaderOrAMissingSegmentRefuses() throws {
    var bench = try JournalBench()
    for number in 0..<60 { try bench.commit(number) }
    let names = try bench.disk.list("journal").filter { $0.hasSuffix(".seg") }.sorted()
    bench.disk.flip(ofByte: 70, in: "journal/" + names[1])
    #expect(
      throws: StoreFault.rot(
        file: "journal/" + names[1], offset: 0, detail: "the segment's header is damaged")
    ) { try JournalBench.open(bench.disk) }
    try bench.disk.remove("journal/" + names[1])
    #expect(throws: StoreFault.self) { try JournalBench.open(bench.disk) }
  }

  @Test func afterAFailedSyncNothingIsAppendedUntilReopened() throws {
    var bench = try JournalBench()
    for number in 0..<7 { try bench.commit(number) }
    bench.disk.failingSync = bench.disk.syncs + 1
    for _ in 0..<2 {
      let fault = #expect(throws: StoreFault.self) {
        try JournalBench.append([[9, 9]], to: bench.journal)
      }
      guard case .indeterminate? = fault else {
        Issue.record("\(String(describing: fault))")
        return
      }
    }
    try bench.journal.reopen()
    for number in 7..<30 { try bench.commit(number) }
    #expect(try JournalBench.commits(of: bench.journal) == bench.acknowledged)
    for seed: UInt64 in 0..<20 {
      let image = bench.disk.afterPowerLoss(seed: seed)
      #expect(try JournalBench.commits(of: try JournalBench.open(image)) == bench.acknowledged)
    }
  }

  @Test(arguments: 1..<40) func anyFailingSyncLosesNothing(sync: Int) throws {
    let disk = SimulatedDisk()
    disk.failingSync = sync
    guard var bench = try? JournalBench(disk) else {
      #expect(try JournalBench(disk).journal.sequence == 0)
      return
    }
    for number in 0..<30 {
      do { try bench.commit(number) } catch { try bench.journal.reopen() }
    }
    #expect(bench.acknowledged.count >= 29)
    for seed: UInt64 in 0..<4 {
      let image = disk.afterPowerLoss(seed: seed)
      #expect(try JournalBench.commits(of: try JournalBench.open(image)) == bench.acknowledged)
    }
  }

  /// The page cache shows a commit whose sync failed; the process is killed, the next one counts
  /// it, and then the power goes.
  @Test func whatANewProcessCountsIsMadeDurable() throws {
    var bench = try JournalBench()
    for number in 0..<3 { try bench.commit(number) }
    bench.disk.failingSync = bench.disk.syncs + 1
    #expect(throws: StoreFault.self) { try JournalBench.append([[4, 2]], to: bench.journal) }
    bench.disk.afterKill()
    let counted = try JournalBench.commits(of: try JournalBench.open(bench.disk))
    #expect(counted == bench.acknowledged + [[[4, 2]]])
    for seed: UInt64 in 0..<10 {
      let image = bench.disk.afterPowerLoss(seed: seed)
      #expect(try JournalBench.commits(of: try JournalBench.open(image)) == counted)
    }
  }

  @Test func aFullDiskRefusesBeforeWritingAndGoesOnLater() throws {
    var bench = try JournalBench()
    bench.disk.capacity = 3 * JournalBench.segmentBytes + 100
    var refused: StoreFault?
    var number = 0
    while refused == nil {
      do { try bench.commit(number) } catch { refused = error as? StoreFault }
      number += 1
    }
    #expect(refused == .full)
    #expect(!bench.journal.isIndeterminate)
    #expect(try JournalBench.commits(of: bench.journal) == bench.acknowledged)
    try bench.journal.prune(before: bench.journal.sequence)
    for next in number..<(number + 10) { try bench.commit(next) }
    let kept = try JournalBench.commits(of: try JournalBench.open(bench.disk))
    #expect(kept == Array(bench.acknowledged.suffix(kept.count)) && kept.count >= 10)
  }
}
