import Metering
import Testing

@testable import Store

/// Pages of the ledger as they are read back, in the file and in its log.
@Suite("Checked files") struct CheckedFileTests {
  let directory = TemporaryDirectory()
  var path: String { directory.path + "/ledger.db" }
  private static let pageBytes = 4_096

  private func fill(_ connection: Connection) throws {
    try connection.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b BLOB)")
    let insert = try connection.prepare("INSERT INTO t(b) VALUES (?)")
    try connection.write {
      for number in 0..<200 {
        insert.bind(1, [UInt8](repeating: UInt8(number), count: 900))
        try insert.run()
      }
    }
  }

  private func sum(_ connection: Connection) throws -> Int64 {
    var sum: Int64 = 0
    try connection.prepare("SELECT a, b FROM t").forEach { row in
      sum += row.integer(0) + row.blob(1).reduce(0) { $0 + Int64($1) }
    }
    return sum
  }

  private func flip(_ name: String, bit: Int) throws {
    let file = try LinuxDisk(root: directory.path).open(name, create: false)
    var byte = try file.read(count: 1, at: bit / 8)
    byte[0] ^= 1 << (bit % 8)
    try byte.withUnsafeBytes { try file.write($0, at: bit / 8) }
  }

  @Test("a bit of any page is found, whatever page it is and whoever reads it")
  func flippedPages() throws {
    do {
      let connection = try Connection(path: path)
      try fill(connection)
      try connection.checkpoint()
    }
    let pages = try LinuxDisk(root: directory.path).size(of: "ledger.db") / Self.pageBytes
    #expect(pages > 40)
    let expected = try sum(try Connection(path: path, readOnly: true))
    var chance = Seed(Chance.seed)
    for page in 0..<pages {
      let bit = page * Self.pageBytes * 8 + chance.below(Self.pageBytes * 8)
      try flip("ledger.db", bit: bit)
      #expect(throws: (any Error).self, "bit \(bit)") {
        try sum(try Connection(path: path, readOnly: true))
      }
      try flip("ledger.db", bit: bit)
    }
    #expect(try sum(try Connection(path: path, readOnly: true)) == expected)
  }

  @Test("a bit of the log is found when it is read beside its writer")
  func flippedLog() throws {
    let connection = try Connection(path: path)
    try fill(connection)
    let expected = try sum(try Connection(path: path, readOnly: true))
    let size = try LinuxDisk(root: directory.path).size(of: "ledger.db-wal")
    var chance = Seed(Chance.seed)
    var found = 0
    for _ in 0..<60 {
      let bit = 32 * 8 + chance.below((size - 32) * 8)
      try flip("ledger.db-wal", bit: bit)
      do {
        #expect(try sum(try Connection(path: path, readOnly: true)) == expected)
      } catch StoreFault.ledger(let detail) {
        #expect(detail.hasPrefix("ledger.db-wal: offset"))
        found += 1
      }
      try flip("ledger.db-wal", bit: bit)
    }
    #expect(found > 30)
  }

  @Test("pages that a transaction writes twice into the log are read as they are")
  func spilledPages() throws {
    let connection = try Connection(path: path)
    try fill(connection)
    try connection.execute("PRAGMA cache_size=10")
    try connection.write {
      for round in 0..<3 {
        try connection.execute("UPDATE t SET b = zeroblob(900 + \(round))")
        #expect(try sum(connection) == 20_100)
      }
    }
    #expect(try sum(try Connection(path: path, readOnly: true)) == 20_100)
    try connection.checkpoint()
    #expect(try sum(try Connection(path: path, readOnly: true)) == 20_100)
  }

  @Test("a copy has sums of its own") func copies() throws {
    let connection = try Connection(path: path)
    try fill(connection)
    let expected = try sum(connection)
    let copy = directory.path + "/copy.db"
    try connection.read {
      _ = try sum(connection)
      try connection.copy(to: copy) { _ in }
    }
    #expect(try sum(try Connection(path: copy, readOnly: true)) == expected)
  }
}

/// Damage that SQLite takes for the end of its log, where the database may hold what is behind.
@Suite("Marks of checkpoints") struct CheckpointMarkTests {
  private static let files = ["ledger.db", "ledger.db-wal", "ledger.db-checkpoint"]

  /// A ledger with two commits in its log, of which a checkpoint copied the first while somebody
  /// read; or without a checkpoint.
  private static func killed(isCopied: Bool) throws -> TemporaryDirectory {
    let (directory, image) = (TemporaryDirectory(), TemporaryDirectory())
    let path = directory.path + "/ledger.db"
    let ledger = try Ledger(path: path, storeID: Array(repeating: 7, count: 16))
    try ledger.checkpoint()
    let meta = Meta(ledger.connection)
    // Pages that the second commit doesn't write: only such can be copied.
    try ledger.connection.execute("INSERT INTO consent VALUES (x'01', 1, 1)")
    let view = try LedgerView(path: path)
    try view.connection.read {
      #expect(try view.applied() == 0)
      try ledger.connection.write { try meta.set("applied", integer: 2) }
      if isCopied { try ledger.checkpoint() }
      for name in files {
        let disk = LinuxDisk(root: directory.path)
        let size = try disk.size(of: name)
        guard size > 0 else { continue }
        let bytes = try disk.open(name, create: false).read(count: size, at: 0)
        let copy = try LinuxDisk(root: image.path).open(name, create: true)
        try bytes.withUnsafeBytes { try copy.write($0, at: 0) }
      }
    }
    return image
  }

  @Test("the log must be whole as far as it may have been copied", arguments: [true, false])
  func damagedLog(isCopied: Bool) throws {
    let image = try Self.killed(isCopied: isCopied)
    let file = LedgerFile(image.path + "/ledger.db")
    try file.check()
    let log = try LinuxDisk(root: image.path).open("ledger.db-wal", create: false)
    var found = 0
    let places = stride(from: 3, to: try log.size(), by: 101)
    for offset in places {
      let byte = try log.read(count: 1, at: offset)
      try [byte[0] ^ 4].withUnsafeBytes { try log.write($0, at: offset) }
      do {
        try file.check()
      } catch StoreFault.ledger(let detail) {
        #expect(detail.hasPrefix("ledger.db-wal: offset"))
        found += 1
      }
      try byte.withUnsafeBytes { try log.write($0, at: offset) }
    }
    let all = Array(places).count
    // Behind the last commit are no frames, so that every bit counts, or none but the header's.
    #expect(isCopied ? found == all : found <= 1)
  }

  @Test("a mark that is damaged counts as one of everything") func damagedMark() throws {
    let image = try Self.killed(isCopied: true)
    let disk = LinuxDisk(root: image.path)
    let mark = try disk.open("ledger.db-checkpoint", create: false)
    try [UInt8(1)].withUnsafeBytes { try mark.write($0, at: 20) }
    try LedgerFile(image.path + "/ledger.db").check()
    let log = try disk.open("ledger.db-wal", create: false)
    let last = try log.size() - 9
    let byte = try log.read(count: 1, at: last)
    try [byte[0] ^ 4].withUnsafeBytes { try log.write($0, at: last) }
    #expect(throws: StoreFault.self) { try LedgerFile(image.path + "/ledger.db").check() }
    withExtendedLifetime(image) {}
  }
}
