import Metering
import Store
import Testing

/// What was acknowledged survives a crash after any operation, and nothing else does but a whole
/// last commit.
@Suite struct JournalCrashTests {
  static let commits = 26

  /// Writes until the power goes; tells what was acknowledged and the commit then under way.
  static func run(
    on disk: SimulatedDisk, first: Int = 0, acknowledgeBeforeSync: Bool = false
  ) -> (acknowledged: [[[UInt8]]], attempted: [[UInt8]]?) {
    var acknowledged: [[[UInt8]]] = []
    var attempted: [[UInt8]]?
    do {
      let journal = try JournalBench.open(disk)
      for number in first..<(first + commits) {
        let bodies = JournalBench.bodies(number)
        attempted = bodies
        if acknowledgeBeforeSync { acknowledged.append(bodies) }
        try JournalBench.append(bodies, to: journal)
        if !acknowledgeBeforeSync { acknowledged.append(bodies) }
        attempted = nil
        if number % 5 == 0 { try journal.prepareSpare() }
      }
    } catch {}
    return (acknowledged, attempted)
  }

  /// Whether a crash at `operation` keeps the promise.
  static func keepsPromise(
    at operation: Int, seed: UInt64, acknowledgeBeforeSync: Bool = false
  ) throws -> Bool {
    let disk = SimulatedDisk()
    disk.powerLossAt = operation
    let before = run(on: disk, acknowledgeBeforeSync: acknowledgeBeforeSync)
    let image = disk.afterPowerLoss(seed: seed)
    let found = try JournalBench.commits(of: try JournalBench.open(image))
    let mayBe = before.attempted.map { before.acknowledged + [$0] }
    guard found == before.acknowledged || found == mayBe else { return false }
    // The store goes on, and crashes again right after recovery.
    let after = run(on: image, first: 100)
    let last = image.afterPowerLoss(seed: seed &+ 1)
    return try JournalBench.commits(of: try JournalBench.open(last)) == found + after.acknowledged
  }

  static func operations() -> Int {
    let disk = SimulatedDisk()
    _ = run(on: disk)
    return disk.operations
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func crashAfterAnyOperationKeepsWhatWasAcknowledged(seed: UInt64) throws {
    for operation in 1...Self.operations() {
      let kept = try Self.keepsPromise(at: operation, seed: seed &* 1_000 &+ UInt64(operation))
      #expect(kept, "operation \(operation)")
    }
  }

  @Test func acknowledgingBeforeTheSyncIsCaught() throws {
    var broken = 0
    for operation in 1...Self.operations() {
      let kept = try Self.keepsPromise(
        at: operation, seed: UInt64(operation), acknowledgeBeforeSync: true)
      if !kept { broken += 1 }
    }
    #expect(broken > 0)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func crashWhileRecoveringOrPruningChangesNothing(seed: UInt64) throws {
    let torn = SimulatedDisk()
    torn.powerLossAt = Self.operations() - 1
    let before = Self.run(on: torn)
    for operation in 1...40 {
      let image = torn.afterPowerLoss(seed: seed)
      let found = try JournalBench.commits(
        of: try JournalBench.open(torn.afterPowerLoss(seed: seed)))
      #expect(found.starts(with: before.acknowledged))
      image.powerLossAt = operation
      if let journal = try? JournalBench.open(image) {
        try? journal.prune(before: 20)
        try? journal.prepareSpare()
      }
      let again = try JournalBench.open(image.afterPowerLoss(seed: seed &+ 9))
      let kept = try JournalBench.commits(of: again)
      #expect(kept == Array(found.suffix(kept.count)), "operation \(operation)")
      #expect(again.firstSequence <= 20)
    }
  }
}
