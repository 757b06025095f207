import Metering
import Testing

@testable import Store

/// What was acknowledged is told from what was cut short.
@Suite struct JournalSealTests {
  @Test(arguments: [8, 9]) func rotInASealedLastCommitIsNamed(frame: Int) throws {
    let bench = try JournalFaultTests.small()
    try bench.journal.seal()
    let place = try JournalFaultTests.places(bench.journal)[frame]
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
    #expect(try JournalBench.open(bench.disk).sequence == 10)
  }

  @Test func whatIsDroppedIsTold() throws {
    let bench = try JournalFaultTests.small()
    let places = try JournalFaultTests.places(bench.journal)
    bench.disk.flip(ofByte: places[9].offset + 85, in: places[9].name)
    let again = try JournalBench.open(bench.disk)
    #expect(again.recovery.tornAt == TornPlace(file: places[8].name, offset: places[8].offset))
    #expect(again.recovery.droppedFrames == 1)
    // It was never sealed, and what follows is.
    try JournalBench.append([[1]], to: again)
    try again.seal()
    #expect(try JournalBench.open(bench.disk).sequence == 9)
  }

  /// Two places take turns: whichever write the power cuts, the other still counts.
  @Test func aSealThatIsDamagedLeavesTheOneBefore() throws {
    let bench = try JournalFaultTests.small()
    try bench.journal.seal()
    try JournalBench.append([[7]], to: bench.journal)
    try bench.journal.seal()
    for (place, sequence) in [(0, UInt64(11)), (4_096, 10)] {
      bench.disk.flip(ofByte: place + 9, in: JournalSeal.file)
      let found = try JournalSeal.load(bench.disk, of: JournalBench.identity)
      #expect(found?.sequence == sequence)
      bench.disk.flip(ofByte: place + 9, in: JournalSeal.file)
    }
  }

  @Test func aJournalWithoutItsLastSegmentRefuses() throws {
    var bench = try JournalBench()
    for number in 0..<60 { try bench.commit(number) }
    try bench.journal.seal()
    let last = try bench.disk.list("journal").filter { $0.hasSuffix(".seg") }.sorted().last
    try bench.disk.remove("journal/" + (last ?? ""))
    #expect(throws: StoreFault.self) { try JournalBench.open(bench.disk) }
  }

  /// Power that goes at any write of a seal leaves a journal that opens with all its commits.
  @Test func anyPowerLossAtASealLosesNothing() throws {
    for operation in 1..<6 {
      for seed: UInt64 in 0..<4 {
        var bench = try JournalBench()
        for number in 0..<4 { try bench.commit(number) }
        bench.disk.powerLossAt = bench.disk.operations + operation
        try? bench.journal.seal()
        let image = bench.disk.afterPowerLoss(seed: seed)
        #expect(try JournalBench.commits(of: JournalBench.open(image)) == bench.acknowledged)
      }
    }
  }

  /// A commit that finds no spare takes a file that is only set aside: it never fills one.
  @Test func aCommitNeverFillsASegment() throws {
    var bench = try JournalBench()
    let before = bench.disk.syncs
    let segments = try bench.disk.list("journal").count
    for number in 0..<60 { try bench.commit(number) }
    let rolled = try bench.disk.list("journal").count - segments
    #expect(rolled > 3)
    // One for each commit and one for each header.
    #expect(bench.disk.syncs - before == 60 + rolled)
  }
}
