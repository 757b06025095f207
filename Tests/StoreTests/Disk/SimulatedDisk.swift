import Store

/// A disk in memory that remembers what is synced, loses power at any operation, and lies like a
/// page cache does.
///
/// Writes go to the cache; a crash keeps a random part of those that weren't synced, by sectors.
/// Names work the same way: a crash keeps a random number of the oldest changes. After a failed
/// sync the cache still shows bytes that no later sync writes.
final class SimulatedDisk: Disk, @unchecked Sendable {
  // Unchecked: tests use it from one thread.

  /// The power went: nothing works any more.
  struct PowerLoss: Error {}

  /// What the disks of one machine hang on: one count of their operations, and what fails when.
  final class Power {
    /// Operations that change something, counted.
    var operations = 0
    /// The operation that the power goes at, from 1.
    var lossAt = Int.max
    /// The operation that fails, from 1: of a write a part may be there, and what a sync was to
    /// write is forgotten.
    var faultAt = Int.max

    /// Nothing works any more.
    var isOut: Bool { operations >= lossAt }

    /// Nothing fails.
    init() {}
  }

  static let sector = 512

  private(set) var tree = Tree()
  private var durableTree = Tree()
  private var treeChanges: [Tree] = []
  let power: Power
  /// Whether syncs claim success without having written anything.
  var isLying = false
  /// Operations that change something, counted.
  var operations: Int { power.operations }
  /// The operation that the power goes at, from 1.
  var powerLossAt: Int {
    get { power.lossAt }
    set { power.lossAt = newValue }
  }
  /// Which sync of a file fails, from 1; later ones claim success.
  var failingSync = Int.max
  private(set) var syncs = 0
  /// Space for files; growing beyond throws.
  var capacity = Int.max

  init(power: Power = Power()) { self.power = power }

  struct Tree {
    var files: [String: Inode] = [:]
    var directories: Set<String> = [""]
  }

  /// A file's bytes in the cache and on the disk.
  final class Inode {
    var cached: [UInt8] = []
    var durable: [UInt8] = []
    var unsynced: [Change] = []

    /// What isn't on the disk yet.
    enum Change {
      case write(offset: Int, bytes: [UInt8])
      case truncation(count: Int)
    }

    init() {}

    init(bytes: [UInt8]) {
      cached = bytes
      durable = bytes
    }
  }

  /// Counts an operation; the one at which the power goes, or that fails, may still be done in
  /// part.
  private func change(
    _ apply: () throws -> Void, failing fail: () -> Void = {}
  ) throws {
    guard !power.isOut else { throw PowerLoss() }
    power.operations += 1
    if power.operations == power.faultAt {
      fail()
      throw StoreFault.system("simulated", file: "", errno: 5)
    }
    if !power.isOut { return try apply() }
    try? apply()
    throw PowerLoss()
  }

  func open(_ name: String, create: Bool) throws -> any DiskFile {
    SimulatedFile(disk: self, inode: try inode(name, create: create), name: name)
  }

  /// A file by its name.
  func inode(_ name: String, create: Bool) throws -> Inode {
    guard !power.isOut else { throw PowerLoss() }
    if let inode = tree.files[name] { return inode }
    guard create else { throw StoreFault.system("open", file: name, errno: 2) }
    let inode = Inode()
    try change {
      tree.files[name] = inode
      treeChanges.append(tree)
    }
    return inode
  }

  func size(of name: String) throws -> Int {
    guard !power.isOut else { throw PowerLoss() }
    guard let inode = tree.files[name] else { return 0 }
    return try SimulatedFile(disk: self, inode: inode, name: name).size()
  }

  func list(_ directory: String) throws -> [String] {
    guard !power.isOut else { throw PowerLoss() }
    let prefix = directory.isEmpty ? "" : directory + "/"
    return tree.files.keys.filter { $0.hasPrefix(prefix) }.map {
      String($0.dropFirst(prefix.count))
    }
  }

  func makeDirectory(_ name: String) throws {
    guard !tree.directories.contains(name) else { return }
    try change {
      tree.directories.insert(name)
      treeChanges.append(tree)
    }
  }

  func syncDirectory(_ name: String) throws {
    // Done in part: the power goes before anything is durable.
    try change {
      guard !power.isOut, !isLying else { return }
      durableTree = tree
      treeChanges.removeAll()
    }
  }

  func rename(_ name: String, to target: String) throws {
    guard let inode = tree.files[name] else {
      throw StoreFault.system("rename", file: name, errno: 2)
    }
    try change {
      tree.files[name] = nil
      tree.files[target] = inode
      treeChanges.append(tree)
    }
  }

  func remove(_ name: String) throws {
    guard tree.files[name] != nil else { return }
    try change {
      tree.files[name] = nil
      treeChanges.append(tree)
    }
  }

  func freeBytes() throws -> UInt64 { UInt64(max(0, capacity - usedBytes)) }

  var usedBytes: Int { tree.files.values.reduce(0) { $0 + $1.cached.count } }

  func lock(_ name: String) throws -> DiskLock { DiskLock {} }

  // MARK: What files do

  func write(_ bytes: [UInt8], at offset: Int, to inode: Inode) throws {
    let growth = max(0, offset + bytes.count - inode.cached.count)
    guard growth <= capacity - usedBytes || growth == 0 else { throw StoreFault.full }
    try change {
      Self.put(bytes, at: offset, into: &inode.cached)
      inode.unsynced.append(.write(offset: offset, bytes: bytes))
    } failing: {
      let part = Array(bytes.prefix(bytes.count / 2))
      Self.put(part, at: offset, into: &inode.cached)
      inode.unsynced.append(.write(offset: offset, bytes: part))
    }
  }

  func truncate(_ inode: Inode, to count: Int) throws {
    try change {
      Self.cut(&inode.cached, to: count)
      inode.unsynced.append(.truncation(count: count))
    }
  }

  func sync(_ inode: Inode, name: String) throws {
    try change {
      guard !power.isOut, !isLying else { return }
      syncs += 1
      if syncs == failingSync {
        // The kernel forgets that these pages aren't written.
        inode.unsynced.removeAll()
        throw StoreFault.system("fdatasync", file: name, errno: 5)
      }
      for change in inode.unsynced {
        switch change {
        case .write(let offset, let bytes): Self.put(bytes, at: offset, into: &inode.durable)
        case .truncation(let count): Self.cut(&inode.durable, to: count)
        }
      }
      inode.unsynced.removeAll()
    } failing: {
      inode.unsynced.removeAll()
    }
  }

  /// Whether a file's name outlives a power loss.
  func isDurable(_ name: String) -> Bool {
    durableTree.files[name] != nil && durableTree.files[name] === tree.files[name]
  }

  private static func cut(_ bytes: inout [UInt8], to count: Int) {
    if bytes.count > count {
      bytes.removeLast(bytes.count - count)
    } else {
      bytes += [UInt8](repeating: 0, count: count - bytes.count)
    }
  }

  static func put(_ bytes: [UInt8], at offset: Int, into target: inout [UInt8]) {
    let missing = offset + bytes.count - target.count
    if missing > 0 { target += [UInt8](repeating: 0, count: missing) }
    target.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
  }

  // MARK: Afterwards

  /// What a machine finds after losing power: unsynced bytes are there or not, by sectors.
  func afterPowerLoss(seed: UInt64, power: Power = Power()) -> SimulatedDisk {
    var random = SplitMix(state: seed)
    let trees = [durableTree] + treeChanges
    let kept = trees[Int.random(in: 0..<trees.count, using: &random)]
    let disk = SimulatedDisk(power: power)
    disk.isLying = isLying
    disk.tree.directories = kept.directories
    for name in kept.files.keys.sorted() {
      guard let inode = kept.files[name] else { continue }
      var bytes = inode.durable
      for change in inode.unsynced {
        switch change {
        case .write(let offset, let written):
          Self.put(sectorsOf: written, at: offset, into: &bytes, &random)
        case .truncation(let count):
          if Bool.random(using: &random) { Self.cut(&bytes, to: count) }
        }
      }
      disk.tree.files[name] = Inode(bytes: bytes)
    }
    disk.durableTree = disk.tree
    return disk
  }

  /// Puts some sectors of a write, as a disk does that was on the way.
  private static func put(
    sectorsOf written: [UInt8], at offset: Int, into bytes: inout [UInt8],
    _ random: inout SplitMix
  ) {
    var start = 0
    while start < written.count {
      let count = min(sector - (offset + start) % sector, written.count - start)
      if Bool.random(using: &random) {
        put(Array(written[start..<(start + count)]), at: offset + start, into: &bytes)
      }
      start += count
    }
  }

  /// Makes a file of the disk as it would be after a sync.
  func add(_ name: String, _ bytes: [UInt8]) {
    let inode = Inode(bytes: bytes)
    tree.files[name] = inode
    durableTree.files[name] = inode
  }

  /// What a new process finds after the old one was killed: the cache, true or not. Faults are
  /// over.
  func afterKill() {
    powerLossAt = .max
    failingSync = .max
  }

  /// Changes one bit of a file, on the disk and in the cache.
  func flip(bit: Int = 0, ofByte offset: Int, in name: String) {
    guard let inode = tree.files[name] else { return }
    inode.cached[offset] ^= 1 << UInt8(bit)
    if offset < inode.durable.count { inode.durable[offset] ^= 1 << UInt8(bit) }
  }
}

/// A file of the simulated disk.
final class SimulatedFile: DiskFile, @unchecked Sendable {
  // Unchecked: as its disk.
  private let disk: SimulatedDisk
  private let inode: SimulatedDisk.Inode
  private let name: String

  init(disk: SimulatedDisk, inode: SimulatedDisk.Inode, name: String) {
    self.disk = disk
    self.inode = inode
    self.name = name
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
    let count = max(0, min(buffer.count, inode.cached.count - offset))
    if count > 0 { buffer.copyBytes(from: inode.cached[offset..<(offset + count)]) }
    return count
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
    try disk.write(Array(bytes), at: offset, to: inode)
  }

  func sync() throws { try disk.sync(inode, name: name) }

  func size() throws -> Int { inode.cached.count }
}

/// A small generator whose seed says everything.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
