package import Metering

extension Ledger {
  /// Writes how far sources have sent everything.
  func flushMarks(_ table: Memtable) throws {
    let mark = try connection.cached("INSERT OR REPLACE INTO mark VALUES (?, ?)")
    let retire = try connection.cached("DELETE FROM mark WHERE source = ?")
    for (source, through) in table.marks {
      let statement = through == .min ? retire : mark
      statement.bind(1, source)
      if through != .min { statement.bind(2, through) }
      try statement.run()
    }
  }
}

extension BooksSnapshot {
  package func marks() throws -> [FeedMark] {
    var through: [ByteString: Int64] = [:]
    for mark in try view.marks() { through[mark.source] = mark.through }
    for marks in looks.look(.marks, { $0.map(\.marks) }) {
      // The smallest number retires a source.
      for (source, mark) in marks { through[source] = mark == .min ? nil : mark }
    }
    return through.map { FeedMark(source: $0.key, through: Instant(microseconds: $0.value)) }
      .sorted { $0.source < $1.source }
  }
}
