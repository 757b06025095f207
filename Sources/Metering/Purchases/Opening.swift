/// What was used of a purchase before its usage came here: the balance at adoption.
///
/// Its readings are booked at ``until`` like those of one event, so that share, cost and costs over
/// time have them; this copy is what a newer balance takes back.
package struct Opening: Equatable, Sendable {
  /// One reading of the balance.
  package struct Line: Equatable, Sendable {
    package var series: Series
    /// Start of the price epoch under which it was booked, microseconds.
    package var epoch: Int64
    /// Raw 10^-9 base units, of a level unit-seconds.
    package var quantity: Int128
    /// Own cost: packed currency (zero without) and raw 10^-15 amount.
    package var own: UInt32
    package var amount: Int128
  }

  /// Usage before this instant is in the balance; it is priced as of then.
  package var until: Instant
  package var lines: [Line]

  /// A balance of readings.
  package init(until: Instant, lines: [Line]) {
    self.until = until
    self.lines = lines
  }
}

extension Opening {
  var encoded: [UInt8] {
    var out = RecordWriter()
    out.signed(until.microseconds)
    for line in lines {
      out.text(ByteString(line.series.canonical))
      out.signed(line.epoch)
      out.wide(line.quantity)
      out.unsigned(UInt64(line.own))
      out.wide(line.amount)
    }
    return out.bytes
  }

  init?(encoded: [UInt8]) {
    var reader = RecordReader(encoded)
    guard let until = reader.instant() else { return nil }
    self.init(until: until, lines: [])
    while !reader.isAtEnd {
      guard let canonical = reader.text(),
        let series = canonical.bytes.withUnsafeBytes({ Series(ifCanonical: $0) }),
        let epoch = reader.signed(), let quantity = reader.wide(),
        let own = reader.unsigned().flatMap({ UInt32(exactly: $0) }), let amount = reader.wide()
      else { return nil }
      lines.append(
        Line(
          series: series, epoch: epoch, quantity: quantity, own: own, amount: amount))
    }
  }
}

extension PurchaseRecord {
  /// Whether usage at an instant, microseconds, is in the opening balance already.
  func isBeforeOpening(_ time: Int64) -> Bool {
    opening.map { time < $0.until.microseconds } ?? false
  }
}
