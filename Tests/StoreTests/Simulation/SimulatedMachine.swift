import Foundation
import Store

/// The disks and clocks that a simulated server lives on.
///
/// Journal and ledger lie on simulated disks with one count of operations, so that the power can go
/// at any of them. SQLite needs real files for its locks; they mirror the ledger's disk.
final class SimulatedMachine {
  /// How a process ends without a word.
  enum End: CaseIterable {
    /// The kernel lives on: what was written is there.
    case kill
    /// What wasn't synced is there or not, by sectors.
    case powerLoss
  }

  let power: SimulatedDisk.Power
  private(set) var journal: SimulatedDisk
  private(set) var ledger: SimulatedDisk
  private(set) var directory: String
  private(set) var disk: SimulatedStoreDisk

  /// An empty one.
  convenience init() throws {
    let power = SimulatedDisk.Power()
    try self.init(
      power: power, journal: SimulatedDisk(power: power), ledger: SimulatedDisk(power: power))
  }

  /// Another one, that a backup was copied to: its journal on a disk, the rest in a folder.
  convenience init(restored journal: SimulatedDisk, from folder: String) throws {
    let ledger = SimulatedDisk(power: journal.power)
    let path = folder + "/ledger.db"
    ledger.add("ledger.db", Array(try Data(contentsOf: URL(fileURLWithPath: path))))
    try self.init(power: journal.power, journal: journal, ledger: ledger)
    try? FileManager.default.removeItem(atPath: folder)
  }

  private init(
    power: SimulatedDisk.Power, journal: SimulatedDisk, ledger: SimulatedDisk
  ) throws {
    (self.power, self.journal, self.ledger) = (power, journal, ledger)
    directory = Self.unusedPath()
    disk = SimulatedStoreDisk(journal, directory)
    try mount()
  }

  deinit { unmount() }

  static func unusedPath() -> String {
    NSTemporaryDirectory() + "outlay-simulation-\(UUID().uuidString)"
  }

  /// Makes the real files anew from the simulated ones.
  private func mount() throws {
    directory = Self.unusedPath()
    try LinuxDisk.makeRoot(directory)
    for (name, inode) in ledger.tree.files {
      try Data(inode.cached).write(to: URL(fileURLWithPath: directory + "/" + name))
    }
    LedgerFileSystem.watch(directory, ledger)
    disk = SimulatedStoreDisk(journal, directory)
  }

  private func unmount() {
    LedgerFileSystem.forget(directory)
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// From here on nothing of the process reaches the disks.
  func stop() { power.lossAt = min(power.lossAt, power.operations) }

  /// What the next process finds. The former one must be gone.
  func restart(after end: End, seed: inout Seed) throws {
    stop()
    unmount()
    heal()
    if end == .powerLoss {
      journal = journal.afterPowerLoss(seed: seed.next(), power: power)
      ledger = ledger.afterPowerLoss(seed: seed.next(), power: power)
    }
    try mount()
  }

  /// Nothing fails any more.
  func heal() {
    power.lossAt = .max
    power.faultAt = .max
    disk.isFull = false
    ledger.capacity = .max
  }

  /// Leaves so much space for the ledger to grow; without a figure none that the store would use.
  func fill(leaving bytes: Int?) {
    guard let bytes else { return disk.isFull = true }
    ledger.capacity = ledger.usedBytes + bytes
  }
}

/// A store's folder: its journal on a simulated disk, its ledger where SQLite has it.
final class SimulatedStoreDisk: Disk, @unchecked Sendable {
  // Unchecked: simulations use it from one thread.
  let journal: SimulatedDisk
  let directory: String
  private let real: LinuxDisk
  /// Whether no space is left.
  var isFull = false

  init(_ journal: SimulatedDisk, _ directory: String) {
    self.journal = journal
    self.directory = directory
    real = LinuxDisk(root: directory)
  }

  private static func isReal(_ name: String) -> Bool { name.hasPrefix("ledger.db") }

  func open(_ name: String, create: Bool) throws -> any DiskFile {
    try Self.isReal(name)
      ? real.open(name, create: create) : journal.open(name, create: create)
  }
  func size(of name: String) throws -> Int {
    try Self.isReal(name) ? real.size(of: name) : journal.size(of: name)
  }
  func list(_ directory: String) throws -> [String] { try journal.list(directory) }
  func makeDirectory(_ name: String) throws {
    try real.makeDirectory(name)
    try journal.makeDirectory(name)
  }
  func syncDirectory(_ name: String) throws { try journal.syncDirectory(name) }
  func rename(_ name: String, to target: String) throws {
    try journal.rename(name, to: target)
  }
  func remove(_ name: String) throws { try journal.remove(name) }
  func freeBytes() throws -> UInt64 { isFull ? 0 : try journal.freeBytes() }
  func lock(_ name: String) throws -> DiskLock { try journal.lock(name) }
}

/// The clocks of a simulated machine, in microseconds.
struct SimulatedClock {
  /// The time that it really is, which Apple's clock shows.
  var truth: Int64
  /// How far the machine's wall clock is ahead of it.
  var skew: Int64 = 0

  /// The machine's wall clock.
  var now: Int64 { truth + skew }
}
