import Store
import Testing

@Suite("Random histories agree with the reference")
struct HistoryTests {
  static let base = Calendar.instant(2026, 11, 30, 1, 30)

  @Test("over the socket of the built binary", .enabled(if: Door.process.isOpen))
  func process() throws {
    for round in 0..<(Chance.isLong ? 20 : 1) {
      let seed = Chance.seed &+ UInt64(round)
      let subject = try ProcessSubject(ReferenceConfiguration(meters: ["m": .init(unit: "1")]))
      // Whole seconds, so that two runs of one seed differ by a shift alone.
      let world = World(base: subject.now / 1_000_000 * 1_000_000 - Calendar.hour)
      try subject.reload(world.configuration)
      var history = try History(subject: subject, seed: seed, world: world)
      try history.run(steps: Chance.isLong ? 200 : 60)
      #expect(history.faults == [], "OUTLAY_SEED=\(seed)")
    }
  }

  @Test("in the store of this process, at every size of memtable", arguments: [1, 2, 7, 64, 4096])
  func books(memtableEvents: Int) throws {
    for round in 0..<(Chance.isLong ? 10 : 1) {
      let seed = Chance.seed &+ UInt64(round * 10_000 + memtableEvents)
      let world = World(base: Self.base)
      let subject = try BooksSubject(
        world.configuration, now: Self.base + Calendar.hour,
        options: Books.Options(memtableEvents: memtableEvents, segmentBytes: 1 << 20))
      var history = try History(subject: subject, seed: seed, world: world)
      for _ in 0..<4 {
        try history.run(steps: Chance.isLong ? 40 : 10)
        #expect(history.faults == [], "OUTLAY_SEED=\(seed)")
        let wrong = try subject.wrongGauges(history.reference)
        #expect(wrong == [], "OUTLAY_SEED=\(seed)")
      }
    }
  }

  @Test("told to the reference itself")
  func itself() throws {
    let faults = try Self.run(Chance.seed, steps: 60, defect: nil)
    #expect(faults == [], "OUTLAY_SEED=\(Chance.seed)")
  }

  @Test("and find a broken twin", arguments: ReferenceSubject.Defect.allCases)
  func broken(defect: ReferenceSubject.Defect) throws {
    let seeds = (0..<10).map { UInt64($0) }
    #expect(try seeds.contains { try !Self.run($0, steps: 300, defect: defect).isEmpty })
  }

  private static func run(
    _ seed: UInt64, steps: Int, defect: ReferenceSubject.Defect?
  ) throws -> [String] {
    let world = World(base: base)
    let subject = ReferenceSubject(world.configuration, now: base + Calendar.hour, defect: defect)
    var history = try History(subject: subject, seed: seed, world: world)
    try history.run(steps: steps)
    return history.faults
  }
}
