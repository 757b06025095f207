import Metering
import Store
import Testing

@Suite struct ConnectionTests {
  let directory = TemporaryDirectory()
  var path: String { directory.path + "/ledger.db" }

  @Test(arguments: [
    ("journal_mode", "wal"), ("synchronous", "2"), ("secure_delete", "0"), ("auto_vacuum", "0"),
    ("cache_size", "-16000"), ("temp_store", "2"), ("mmap_size", "0"), ("wal_autocheckpoint", "0"),
    ("busy_timeout", "0"),
  ]) func pragmasAreSet(name: String, value: String) throws {
    let connection = try Connection(path: path)
    var found = ""
    try connection.prepare("PRAGMA \(name)").forEach { found = $0.text(0) }
    #expect(found == value)
  }

  @Test(arguments: [
    "SELECT \"no such column\"", "PRAGMA writable_schema=1; DELETE FROM sqlite_schema",
  ]) func hazardsAreOff(sql: String) throws {
    let connection = try Connection(path: path)
    try connection.execute("CREATE TABLE t(a)")
    #expect(throws: LedgerError.self) { try connection.execute(sql) }
  }

  @Test func valuesComeBack() throws {
    let connection = try Connection(path: path)
    let hash = Hash128(high: 1 << 63 | 5, low: 9)
    let select = try connection.prepare("SELECT ?1, ?2, ?3, ?4, ?5, ?6, typeof(?3), typeof(?4)")
    select.bind(1, Int64.min)
    select.bind(2, [0, 1, 255])
    select.bind(3, [UInt8]())
    select.bind(4, text: "")
    select.bindNull(5)
    select.bind(6, hash)
    #expect(try select.step())
    #expect(select.integer(0) == .min)
    #expect(select.bytes(1) == ByteString([0, 1, 255]))
    #expect(select.blob(2).isEmpty && select.text(6) == "blob" && select.text(7) == "text")
    #expect(select.isNull(4) && !select.isNull(2))
    #expect(select.hash(5) == hash && select.hash(1) == nil)
    #expect(try !select.step())
  }

  @Test func hashesSortAsTheirBytes() throws {
    let connection = try Connection(path: path)
    try connection.execute("CREATE TABLE t(h BLOB PRIMARY KEY) WITHOUT ROWID, STRICT")
    let hashes = [(0, 1), (0, .max), (1, 0), (256, 0), (.max, 0)].map {
      Hash128(high: $0.0, low: $0.1)
    }
    let insert = try connection.prepare("INSERT INTO t VALUES (?)")
    for hash in hashes.reversed() {
      insert.bind(1, hash)
      try insert.run()
    }
    var found: [Hash128?] = []
    try connection.prepare("SELECT h FROM t ORDER BY h").forEach { found.append($0.hash(0)) }
    #expect(found == hashes)
  }

  @Test func errorsTellOperationAndCodeButNoValues() throws {
    let connection = try Connection(path: path)
    try connection.execute("CREATE TABLE t(a INTEGER PRIMARY KEY) STRICT")
    let insert = try connection.prepare("INSERT INTO t VALUES (?)")
    insert.bind(1, 424_242)
    try insert.run()
    let error = #expect(throws: LedgerError.self) { try insert.run() }
    #expect(error?.operation == "INSERT INTO t VALUES (?)")
    #expect(error?.code == 1555)  // SQLITE_CONSTRAINT_PRIMARYKEY
    #expect(error.map { "\($0)".contains("424242") } == false)
  }

  @Test func aFailedTransactionLeavesNothing() throws {
    struct Stop: Error {}
    let connection = try Connection(path: path)
    try connection.execute("CREATE TABLE t(a)")
    #expect(throws: Stop.self) {
      try connection.transaction {
        try connection.execute("INSERT INTO t VALUES (1)")
        throw Stop()
      }
    }
    try connection.transaction { try connection.execute("INSERT INTO t VALUES (2)") }
    var found: [Int64] = []
    try connection.prepare("SELECT a FROM t").forEach { found.append($0.integer(0)) }
    #expect(found == [2])
  }

  @Test func aSecondWriterIsRefusedAtOnceAndReadersSeeOneSnapshot() throws {
    let writer = try Connection(path: path)
    try writer.execute("CREATE TABLE t(a)")
    let other = try Connection(path: path)
    let reader = try Connection(path: path, readOnly: true)
    let count = try reader.prepare("SELECT count(*) FROM t")
    try reader.read {
      try count.forEach { #expect($0.integer(0) == 0) }
      try writer.write {
        try writer.execute("INSERT INTO t VALUES (1)")
        #expect(throws: LedgerError.self) { try other.write {} }
      }
      try count.forEach { #expect($0.integer(0) == 0) }
      #expect(try !writer.checkpoint(.truncate))
    }
    try count.forEach { #expect($0.integer(0) == 1) }
    #expect(try writer.checkpoint(.truncate))
  }

  @Test func aReaderNeverMakesAFile() {
    #expect(throws: LedgerError.self) { try Connection(path: path, readOnly: true) }
  }
}
