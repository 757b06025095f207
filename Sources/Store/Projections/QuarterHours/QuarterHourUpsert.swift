import Metering

/// Adds deltas to rows of exact sums: SQLite adds 64 bits only, so a row is read and replaced.
struct QuarterHourUpsert {
  /// What a row is kept for.
  struct Key {
    var slot: Int64
    var label: Label
    var series: Int64
    var epoch: Int64
    var own: UInt32
    var parts: Int128

    fileprivate func bind(to statement: Statement) {
      statement.bind(1, slot)
      statement.bind(2, label.product)
      statement.bind(3, label.environment)
      statement.bind(4, series)
      statement.bind(5, epoch)
      statement.bind(6, Int64(own))
      statement.bind(7, parts: parts)
    }
  }

  private let select: Statement
  private let put: Statement

  init(_ connection: Connection) throws {
    select = try connection.cached(
      """
      SELECT q, amount, n, first, last FROM quarter_hour WHERE slot = ? AND product = ? AND env = ?
        AND series = ? AND epoch = ? AND own = ? AND parts = ?
      """)
    put = try connection.cached(
      """
      INSERT OR REPLACE INTO quarter_hour(
        slot, product, env, series, epoch, own, parts, q, amount, n, first, last
      ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
  }

  func add(_ key: Key, _ delta: Sums) throws {
    var sums = delta
    key.bind(to: select)
    if try select.step() { sums.add(Sums(row: select, from: 0)) }
    select.reset()
    key.bind(to: put)
    put.bind(8, wide: sums.quantity)
    put.bind(9, wide: sums.amount)
    put.bind(10, sums.count)
    put.bind(11, sums.first)
    put.bind(12, sums.last)
    try put.run()
  }
}
