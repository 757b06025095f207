import Metering
import Store
import Testing

/// The real disk does what the simulated one is trusted to do.
@Suite struct LinuxDiskTests {
  let directory = TemporaryDirectory()
  var disk: LinuxDisk { LinuxDisk(root: directory.path) }

  @Test func filesKeepBytesAndNames() throws {
    try disk.makeDirectory("a")
    try disk.makeDirectory("a")
    let file = try disk.open("a/one", create: true)
    try [UInt8](1...9).withUnsafeBytes { try file.write($0, at: 3) }
    try file.sync()
    #expect(try file.size() == 12)
    #expect(try file.read(count: 100, at: 2) == [0] + Array(1...9))
    try disk.rename("a/one", to: "a/two")
    try disk.syncDirectory("a")
    #expect(try disk.list("a") == ["two"])
    try disk.remove("a/two")
    try disk.remove("a/two")
    #expect(try disk.list("a").isEmpty)
    #expect(try disk.freeBytes() > 0)
  }

  @Test func whatIsMissingIsNamed() {
    #expect(throws: StoreFault.system("open", file: "nothing", errno: 2)) {
      try disk.open("nothing", create: false)
    }
    #expect(throws: StoreFault.system("opendir", file: "nowhere", errno: 2)) {
      try disk.list("nowhere")
    }
  }

  @Test func oneHoldsTheLock() throws {
    let first = try disk.lock("lock")
    let fault = #expect(throws: StoreFault.self) { try disk.lock("lock") }
    guard case .locked? = fault else {
      Issue.record("\(String(describing: fault))")
      return
    }
    first.release()
    _ = try disk.lock("lock")
  }

  @Test func journalWorksOnIt() throws {
    let journal = try Journal.open(
      disk: disk, newIdentity: { JournalBench.identity }, segmentBytes: JournalBench.segmentBytes)
    let commits = (0..<40).map(JournalBench.bodies)
    for bodies in commits { try JournalBench.append(bodies, to: journal) }
    let again = try Journal.open(
      disk: disk, newIdentity: { JournalBench.identity }, segmentBytes: JournalBench.segmentBytes)
    #expect(try JournalBench.commits(of: again) == commits)
    #expect(again.head == journal.head)
  }

  @Test func clocksGoOn() {
    let clock = SystemClock()
    let before = clock.monotonic()
    #expect(clock.monotonic() >= before)
    #expect(clock.now() > Instant(microseconds: 1_700_000_000_000_000))
  }
}
