import Metering
import Store
import Testing

@Suite struct JournalTests {
  @Test func emptyStoreHasNothing() throws {
    let disk = SimulatedDisk()
    let bench = try JournalBench(disk)
    #expect(bench.journal.recovery.isNew)
    #expect(bench.journal.sequence == 0)
    let again = try JournalBench.open(disk)
    #expect(again.identity == JournalBench.identity)
    #expect(try JournalBench.commits(of: again).isEmpty)
  }

  @Test func framesComeBackAsWritten() throws {
    var bench = try JournalBench()
    for number in 0..<60 { try bench.commit(number) }
    let again = try JournalBench.open(bench.disk)
    #expect(try JournalBench.commits(of: again) == bench.acknowledged)
    #expect(again.head == bench.journal.head)
    #expect(again.recovery == JournalRecovery())
  }

  @Test func headersAreKept() throws {
    var bench = try JournalBench()
    try bench.commit(3)
    var found: [Journal.Frame] = []
    try bench.journal.scan { found.append($0) }
    let frame = try #require(found.first)
    #expect(frame.kind == 7)
    #expect(frame.receivedAt == Instant(microseconds: 1_000))
    #expect(frame.floor == Instant(microseconds: -5))
    #expect(frame.counts == FrameCounts(accepted: UInt32(frame.body.count), rejected: 1))
    #expect(frame.sequence == 1)
  }

  @Test func everyFrameCanBeReadByItsAddress() throws {
    var bench = try JournalBench()
    for number in 0..<60 { try bench.commit(number) }
    var scanned: [Journal.Frame] = []
    try bench.journal.scan { scanned.append($0) }
    let read = try scanned.map { try bench.journal.read($0.address) }
    #expect(read == scanned)
  }

  @Test func placesAreWhereFramesLie() throws {
    let bench = try JournalBench()
    var places: [PlacedFrame] = []
    let body: [UInt8] = [1, 2, 3]
    try body.withUnsafeBytes { bytes in
      let frame = PendingFrame(receivedAt: .distantPast, floor: .distantPast, body: bytes)
      try bench.journal.append([frame, frame]) { places.append($0) }
    }
    let read = try places.map { try bench.journal.read($0.address) }
    #expect(read.map(\.sequence) == [1, 2])
    #expect(read.map(\.chain) == places.map(\.chain))
    #expect(read.map(\.body) == [body, body])
  }

  @Test func onlyOneWriteAndOneSyncACommit() throws {
    var bench = try JournalBench()
    let before = (bench.disk.operations, bench.disk.syncs)
    try bench.commit(2)
    #expect(bench.disk.operations == before.0 + 2)
    #expect(bench.disk.syncs == before.1 + 1)
  }

  @Test func nowhereIsNoFrame() throws {
    var bench = try JournalBench()
    try bench.commit(1)
    for address in [0, bench.journal.head.address, 1 << 26 + 4_096, .max] {
      #expect(throws: StoreFault.self) { try bench.journal.read(address) }
    }
  }

  @Test(arguments: [0, 1, 5, 17, 40]) func scanBeginsAnywhere(after skipped: Int) throws {
    var bench = try JournalBench()
    for number in 0..<40 { try bench.commit(number) }
    let sequence = bench.acknowledged.prefix(skipped).reduce(0) { $0 + $1.count }
    let rest = try JournalBench.commits(of: bench.journal, after: UInt64(sequence))
    #expect(rest == Array(bench.acknowledged.dropFirst(skipped)))
  }

  @Test func chainIsKnownAtEveryFrame() throws {
    var bench = try JournalBench()
    for number in 0..<30 { try bench.commit(number) }
    var chains: [(UInt64, Hash128)] = []
    try bench.journal.scan { chains.append(($0.sequence, $0.chain)) }
    for (sequence, chain) in chains {
      #expect(try bench.journal.chain(at: sequence) == chain)
    }
    #expect(try bench.journal.chain(at: bench.journal.sequence + 1) == nil)
  }

  @Test func pruningKeepsWhatIsAsked() throws {
    var bench = try JournalBench()
    for number in 0..<60 { try bench.commit(number) }
    let used = bench.journal.usedBytes
    try bench.journal.prune(before: 40)
    #expect(bench.journal.usedBytes < used)
    #expect(bench.journal.firstSequence <= 40)
    #expect(bench.journal.firstSequence > 1)
    let again = try JournalBench.open(bench.disk)
    var sequences: [UInt64] = []
    try again.scan { sequences.append($0.sequence) }
    #expect(sequences == Array(again.firstSequence...again.sequence))
  }

  @Test func recycledFilesAreCleanSegments() throws {
    var bench = try JournalBench()
    for number in 0..<200 {
      try bench.commit(number)
      if number % 20 == 19 {
        try bench.journal.prune(before: bench.journal.sequence)
        try bench.journal.prepareSpare()
      }
    }
    #expect(bench.journal.allocatedBytes < 20 * JournalBench.segmentBytes)
    let again = try JournalBench.open(bench.disk)
    #expect(again.head == bench.journal.head)
    #expect(
      try JournalBench.commits(of: again)
        == bench.acknowledged.suffix(
          try JournalBench.commits(of: bench.journal).count))
  }

  @Test func otherStoresFilesAreForeign() throws {
    var bench = try JournalBench()
    for number in 0..<40 { try bench.commit(number) }
    let other = SimulatedDisk()
    let stranger = StoreIdentity(id: Array(2...17), key: Array(17...32))
    _ = try Journal.open(
      disk: other, newIdentity: { stranger }, segmentBytes: JournalBench.segmentBytes)
    let names = try other.list("journal").filter { $0.hasSuffix(".seg") }
    let name = try #require(names.first)
    let bytes = try other.open("journal/" + name, create: false).read(
      count: JournalBench.segmentBytes, at: 0)
    let file = try bench.disk.open("journal/" + name, create: false)
    try bytes.withUnsafeBytes { try file.write($0, at: 0) }
    #expect(throws: StoreFault.self) { try JournalBench.open(bench.disk) }
  }
}
