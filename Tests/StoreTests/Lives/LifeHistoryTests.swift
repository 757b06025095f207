import Foundation
import Testing

@Suite("Random lives agree with the reference")
struct LifeHistoryTests {
  @Test("in the store of this process, at every size of memtable", arguments: [1, 3, 64, 4096])
  func books(memtableEvents: Int) throws {
    for round in 0..<(Chance.isLong ? 25 : 2) {
      let seed = Chance.seed &+ UInt64(round * 10_000 + memtableEvents)
      var history = try LifeHistory(seed: seed, memtableEvents: memtableEvents)
      try history.run(steps: Chance.isLong ? 400 : 120)
      #expect(history.faults == [], "OUTLAY_SEED=\(seed &- UInt64(memtableEvents))")
      let wrong = try history.subject.wrongGauges(history.reference)
      #expect(wrong == [], "OUTLAY_SEED=\(seed)")
      if let file = Chance.variable("OUTLAY_STORY"), !history.faults.isEmpty {
        try history.story.joined(separator: "\n").write(
          toFile: "\(file)-\(memtableEvents)-\(round)", atomically: true, encoding: .utf8)
      }
    }
  }

  @Test("and find what the product wasn't told", arguments: LifeHistory.Defect.allCases)
  func broken(defect: LifeHistory.Defect) throws {
    let isFound = try (0..<20).contains { seed in
      var history = try LifeHistory(seed: UInt64(seed), memtableEvents: 64, defect: defect)
      try history.run(steps: 150)
      return !history.faults.isEmpty
    }
    #expect(isFound)
  }
}
