/// What was used of a purchase at or after its revocation, in amounts that can be priced.
enum Leak {
  /// The amounts of a revoked purchase. Sums tell where no line lies on both sides of the
  /// revocation; else single readings do. Throws when reading those fails.
  static func amounts(of account: PurchaseAccount) throws -> [BookedAmount] {
    guard let period = account.period, let revoked = period.purchase.revocationDate else {
      return []
    }
    let share = period.purchase.refundedShare
    if share > .zero && share < .one && !period.purchase.isAutoRenewable {
      return KeptAllowance(
        account, revoked: revoked, kept: .one - share, standing(try account.trail())
      ).leaked
    }
    return try amounts(of: account, since: revoked)
  }

  /// What was used of a purchase within [start, end). Throws when single readings have to be read
  /// and can't.
  static func amounts(
    of account: PurchaseAccount, since start: Instant, until end: Instant = .distantFuture
  ) throws -> [BookedAmount] {
    try sums(of: account, since: start, until: end)
      + account.levelAmounts(from: start, to: end)
  }

  private static func sums(
    of account: PurchaseAccount, since start: Instant, until end: Instant
  ) throws -> [BookedAmount] {
    let touched = account.lines.filter { $0.lastTime >= start && $0.firstTime < end }
    let isTold = touched.allSatisfy {
      $0.firstTime >= start && $0.lastTime < end && account.configuration.stretch(of: $0) != nil
    }
    if isTold {
      return touched.map { line in
        var amount = BookedAmount(line)
        amount.epoch = account.configuration.stretch(of: line) ?? line.epoch
        return amount
      }
    }
    let readings = try account.trail().filter { start <= $0.time && $0.time < end }
    return BookedAmount.joined(
      readings.map { BookedAmount($0, configuration: account.configuration) })
  }

  /// The readings that stand, by time, order of commit and place in their event.
  private static func standing(_ trail: [TrailReading]) -> [TrailReading] {
    var taken: [Key: Int] = [:]
    for reading in trail where reading.line.count < 0 {
      taken[Key(reading, sign: -1), default: 0] += 1
    }
    var standing: [TrailReading] = []
    for reading in trail where reading.line.count > 0 {
      let key = Key(reading, sign: 1)
      if let count = taken[key], count > 0 {
        taken[key] = count - 1
      } else {
        standing.append(reading)
      }
    }
    return standing.enumerated().sorted { left, right in
      let (first, second) = (left.element, right.element)
      return (first.time, first.place, first.number, left.offset)
        < (second.time, second.place, second.number, right.offset)
    }.map(\.element)
  }

  private struct Key: Hashable {
    var event: Hash128
    var number: Int
    var time: Instant
    var series: Series
    var epoch: Instant
    var own: ByteString?
    var quantity: Int128
    var amount: Int128
    var parts: Int128

    init(_ reading: TrailReading, sign: Int128) {
      event = reading.event
      number = reading.number
      time = reading.time
      series = reading.line.series
      epoch = reading.line.epoch
      own = reading.line.own
      quantity = reading.line.quantity * sign
      amount = reading.line.amount * sign
      parts = reading.line.parts
    }
  }
}
