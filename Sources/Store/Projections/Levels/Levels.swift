package import Metering

extension Ledger {
  func flushPoints(_ table: Memtable, series numbers: [Int64]) throws {
    let put = try connection.cached(
      "INSERT OR REPLACE INTO point(subject, series, time, tie, value) VALUES (?, ?, ?, ?, ?)")
    let delete = try connection.cached(
      "DELETE FROM point WHERE subject = ? AND series = ? AND time = ? AND tie = ?")
    for point in table.points {
      let statement = point.isRemoved ? delete : put
      statement.bind(1, table.id(of: Int(point.subject)))
      statement.bind(2, numbers[Int(point.series)])
      statement.bind(3, point.time)
      statement.bind(4, Int64(bitPattern: point.tie))
      if !point.isRemoved { statement.bind(5, wide: point.value) }
      try statement.run()
    }
  }
}

extension LedgerView {
  func points(of id: ByteString) throws -> [(Series, Int64, UInt64, Int128)] {
    let statement = try connection.cached(
      """
      SELECT canonical, time, tie, value FROM point
      JOIN series ON series.id = point.series WHERE subject = ?
      """)
    statement.bind(1, id)
    var points: [(Series, Int64, UInt64, Int128)] = []
    try statement.forEach { row in
      points.append(
        (
          try Series(stored: row.blob(0)), row.integer(1), UInt64(bitPattern: row.integer(2)),
          WideBlob.value(row.blob(3))
        ))
    }
    return points
  }

  func levelSubjects() throws -> [ByteString] {
    var subjects: [ByteString] = []
    try connection.cached("SELECT DISTINCT subject FROM point").forEach {
      subjects.append($0.bytes(0))
    }
    return subjects
  }
}

extension BooksSnapshot {
  package func levels(of id: ByteString) throws -> [LevelSeries] {
    var points: [Series: [PointKey: Int128]] = [:]
    for (series, time, tie, value) in try view.points(of: id) {
      points[series, default: [:]][PointKey(time: time, tie: tie)] = value
    }
    for (series, point) in freshPoints(of: hashKey.hash128(id)) {
      let key = PointKey(time: point.time, tie: point.tie)
      points[series, default: [:]][key] = point.isRemoved ? nil : point.value
    }
    return points.filter { !$0.value.isEmpty }.map { series, values in
      levelSeries(series, values)
    }
  }

  /// One point for each instant: the later commit's.
  func levelSeries(_ series: Series, _ values: [PointKey: Int128]) -> LevelSeries {
    var points: [LevelPoint] = []
    for (key, value) in values.sorted(by: { ($0.key.time, $0.key.tie) < ($1.key.time, $1.key.tie) })
    {
      let point = LevelPoint(
        time: Instant(microseconds: key.time), value: value, commit: key.tie)
      if points.last?.time == point.time { points.removeLast() }
      points.append(point)
    }
    return LevelSeries(
      meter: series.meter, attributes: series.attributes.map { (key: $0.key, value: $0.value) },
      points: points)
  }

  package func levelSubjects() throws -> [ByteString] {
    Set(try view.levelSubjects()).union(freshLevelSubjects()).sorted()
  }

  /// Points of an id in the tables, in order.
  func freshPoints(of hash: Hash128) -> [(series: Series, point: PointEntry)] {
    let counts = looks.look(.points(hash)) { tables in
      tables.map { $0.subject(hash: hash) < 0 ? 0 : $0.points.count }
    }
    var found: [(series: Series, point: PointEntry)] = []
    forEachPiece(counts) { table, piece in
      let subject = table.subject(hash: hash)
      for point in table.points[piece] where Int(point.subject) == subject {
        found.append((table.series[Int(point.series)], point))
      }
    }
    return found
  }

  /// Ids that have points in the tables.
  func freshLevelSubjects() -> Set<ByteString> {
    var found: Set<ByteString> = []
    forEachPiece(looks.look(.levelSubjects) { $0.map(\.points.count) }) { table, piece in
      for subject in Set(table.points[piece].map(\.subject)) {
        found.insert(table.id(of: Int(subject)))
      }
    }
    return found
  }
}

extension Comparison {
  mutating func comparePoints(_ recomputed: Recomputed) throws {
    var expected = recomputed.points
    var different = 0
    try view.connection.prepare(
      "SELECT subject, canonical, time, tie, value FROM point JOIN series ON series.id = series"
    ).forEach { row in
      let subject = row.bytes(0)
      guard recomputed.holds(recomputed.hashKey.hash128(subject)) else { return }
      let place = Recomputed.PointPlace(
        subject: subject, series: try Series(stored: row.blob(1)),
        key: PointKey(time: row.integer(2), tie: UInt64(bitPattern: row.integer(3))))
      if expected.removeValue(forKey: place) != WideBlob.value(row.blob(4)) { different += 1 }
    }
    different += expected.count
    if different > 0 { found.note("\(different) level readings differ from the journal") }
  }
}

struct PointKey: Hashable {
  var time: Int64
  var tie: UInt64
}
