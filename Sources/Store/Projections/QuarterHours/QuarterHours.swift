package import Metering

extension Ledger {
  /// Adds the table's quarter-hours to the ledger's.
  func flushQuarterHours(_ table: Memtable, series numbers: [Int64]) throws {
    let upsert = try QuarterHourUpsert(connection)
    let labels = table.labels
    let sumKeys = table.sumKeys
    let sorted = table.quarterHours.sorted { ($0.key.slot, $0.key.sum) < ($1.key.slot, $1.key.sum) }
    for (key, sums) in sorted {
      let sum = sumKeys[Int(key.sum)]
      try upsert.add(
        QuarterHourUpsert.Key(
          slot: key.slot, label: labels[Int(key.label)],
          series: numbers[Int(sum.series)], epoch: sum.epoch, own: sum.own, parts: sum.parts), sums)
    }
  }
}

extension LedgerView {
  func quarterHours(from: Int64, to: Int64, _ row: (QuarterHourRow) throws -> Void) throws {
    let statement = try connection.cached(
      """
      SELECT q, amount, n, first, last, slot, product, env, canonical, epoch, own, parts
      FROM quarter_hour JOIN series ON series.id = quarter_hour.series WHERE slot >= ? AND slot < ?
      """)
    statement.bind(1, from)
    statement.bind(2, to)
    try statement.forEach { found in
      try row(
        QuarterHourRow(
          slot: found.integer(5),
          label: Label(product: found.bytes(6), environment: found.bytes(7)),
          series: try Series(stored: found.blob(8)),
          epoch: found.integer(9), own: UInt32(truncatingIfNeeded: found.integer(10)),
          parts: WideBlob.parts(found.blob(11)), sums: Sums(row: found, from: 0)))
    }
  }
}

extension BooksSnapshot {
  package func quarterHours(from: Instant, to: Instant) throws -> [QuarterHourLine] {
    var lines: [QuarterHourLine] = []
    try forEachQuarterHour(from: from, to: to) { lines.append($0) }
    return lines
  }

  /// Calls `body` with each line of the quarter-hour sums, one after another: all of time has more
  /// of them than memory should hold.
  func forEachQuarterHour(
    from: Instant, to: Instant, _ body: (QuarterHourLine) throws -> Void
  ) throws {
    try view.quarterHours(from: from.microseconds, to: to.microseconds) { try body($0.line) }
    let rows = looks.look(.quarterHours(from: from.microseconds, to: to.microseconds)) { tables in
      var rows: [QuarterHourRow] = []
      for table in tables {
        for (key, sums) in table.quarterHours
        where key.slot >= from.microseconds && key.slot < to.microseconds {
          rows.append(table.row(key, sums))
        }
      }
      return rows
    }
    for row in rows { try body(row.line) }
  }
}

extension Comparison {
  /// Quarter-hours add up to what was booked and waits, whatever products they stand under.
  mutating func compareQuarterHours() throws {
    var stored: [UsageKey: Sums] = [:]
    try view.quarterHours(from: .min, to: .max) { row in
      let key = UsageKey(series: row.series, epoch: row.epoch, own: row.own, parts: row.parts)
      stored[key, default: Sums()].add(row.sums)
    }
    for key in Set(stored.keys).union(totals.keys) {
      let (mine, theirs) = (stored[key] ?? Sums(), totals[key] ?? Sums())
      guard !Self.isSame(mine, theirs) else { continue }
      found.note(
        "quarter-hours of \(key.series.meter) add up to \(Self.text(mine)), by the journal "
          + "\(Self.text(theirs))")
    }
  }
}

/// A row of the quarter-hour sums.
struct QuarterHourRow {
  var slot: Int64
  var label: Label
  var series: Series
  var epoch: Int64
  var own: UInt32
  var parts: Int128
  var sums: Sums
}

extension QuarterHourRow {
  var line: QuarterHourLine {
    QuarterHourLine(
      slot: Instant(microseconds: slot), product: label.product, environment: label.environment,
      line: UsageLine(series: series, epoch: epoch, own: own, parts: parts, sums: sums))
  }
}

extension Memtable {
  func row(_ key: QuarterHourKey, _ sums: Sums) -> QuarterHourRow {
    let sum = sumKeys[Int(key.sum)]
    return QuarterHourRow(
      slot: key.slot, label: labels[Int(key.label)], series: series[Int(sum.series)],
      epoch: sum.epoch, own: sum.own, parts: sum.parts, sums: sums)
  }
}
