import Glibc
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

  @Test func theLockOutlivesItsFile() throws {
    let first = try disk.lock("lock")
    try disk.remove("lock")
    #expect(throws: StoreFault.self) { try disk.lock("lock") }
    first.release()
    _ = try disk.lock("lock")
  }

  @Test func aFormerReleasesLockCounts() throws {
    // What it did: a lock on the file alone.
    let file = open(directory.path + "/lock", O_RDWR | O_CREAT, 0o600)
    #expect(flock(file, LOCK_EX | LOCK_NB) == 0)
    #expect(throws: StoreFault.self) { try disk.lock("lock") }
    close(file)
    _ = try disk.lock("lock")
  }

  @Test func aDirectoryThatWasMovedTakesNothing() throws {
    let held = disk
    let lock = try held.lock("lock")
    defer { lock.release() }
    #expect(try held.freeBytes() > 0)
    let moved = directory.path + ".moved"
    #expect(rename(directory.path, moved) == 0)
    #expect(throws: StoreFault.self) { try held.freeBytes() }
    #expect(mkdir(directory.path, 0o700) == 0)
    #expect(throws: StoreFault.self) { try held.freeBytes() }
    #expect(rmdir(directory.path) == 0 && rename(moved, directory.path) == 0)
    #expect(try held.freeBytes() > 0)
  }

  @Test func othersLoseWhatTheyCouldDo() throws {
    let root = directory.path
    try disk.makeDirectory("journal")
    for name in ["lock", "ledger.db", "ledger.db-wal", "journal/1.seg", "mine"] {
      _ = try disk.open(name, create: true)
      #expect(chmod("\(root)/\(name)", 0o644) == 0)
    }
    #expect(chmod(root, 0o755) == 0 && chmod("\(root)/journal", 0o750) == 0)
    let mended = try StorePrivacy.restore(in: root)
    #expect(
      Set(mended)
        == [
          root, "\(root)/lock", "\(root)/ledger.db", "\(root)/ledger.db-wal", "\(root)/journal",
          "\(root)/journal/1.seg",
        ])
    for (name, mode) in [
      ("", 0o700), ("/journal", 0o700), ("/ledger.db", 0o600), ("/journal/1.seg", 0o600),
      ("/mine", 0o644),
    ] as [(String, UInt32)] {
      var status = stat()
      #expect(stat(root + name, &status) == 0 && status.st_mode & 0o777 == mode, "\(name)")
    }
    #expect(try StorePrivacy.restore(in: root).isEmpty)
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
