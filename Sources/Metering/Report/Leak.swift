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
      return try beyondKept(
        account, period, revoked: revoked, kept: .one - share)
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
    return try account.trail().filter { start <= $0.time && $0.time < end }.map {
      BookedAmount($0, configuration: account.configuration)
    }
  }

  // MARK: A part was refunded

  /// Usage after the revocation as far as it goes beyond the allowance that was kept. A meter
  /// without allowance leaks once the kept allowance of another is used up, or from the revocation
  /// on when the purchase has none.
  private static func beyondKept(
    _ account: PurchaseAccount, _ period: ChainPeriod, revoked: Instant, kept share: Fraction
  ) throws -> [BookedAmount] {
    var kept: [ByteString: Fraction] = [:]
    for usage in account.usage {
      if let allowed = usage.allowed { kept[usage.meter] = allowed * share }
    }
    var used: [ByteString: Fraction] = [:]
    var leaked: [BookedAmount] = []
    for reading in standing(try account.trail()) {
      let meter = reading.line.meter
      var booked = BookedAmount(reading, configuration: account.configuration)
      let before = used[meter] ?? .zero
      let isUsedUp = kept.isEmpty || kept.contains { (used[$0.key] ?? .zero) >= $0.value }
      used[meter] = before + booked.quantity
      guard reading.time >= revoked else { continue }
      if let bound = kept[meter] {
        let beyond = min(booked.quantity, max(.zero, before + booked.quantity - bound))
        booked.amount = part(beyond, of: booked, isUsedUp: isUsedUp)
        booked.quantity = beyond
      } else if !isUsedUp {
        continue
      }
      leaked.append(booked)
    }
    return leaked + levelsBeyondKept(account, revoked: revoked, kept: kept)
  }

  private static func part(
    _ quantity: Fraction, of booked: BookedAmount, isUsedUp: Bool
  ) -> Fraction {
    if booked.quantity.isZero { return isUsedUp ? booked.amount : .zero }
    return booked.amount * quantity / booked.quantity
  }

  private static func levelsBeyondKept(
    _ account: PurchaseAccount, revoked: Instant, kept: [ByteString: Fraction]
  ) -> [BookedAmount] {
    var used: [ByteString: Fraction] = [:]
    for booked in account.levelAmounts(from: .distantPast, to: revoked) {
      used[booked.meter] = (used[booked.meter] ?? .zero) + booked.quantity
    }
    return account.levelAmounts(from: revoked, to: .distantFuture).compactMap { booked in
      guard let bound = kept[booked.meter] else { return kept.isEmpty ? booked : nil }
      let after = (used[booked.meter] ?? .zero) + booked.quantity
      used[booked.meter] = after
      var beyond = booked
      beyond.quantity = min(booked.quantity, max(.zero, after - bound))
      return beyond
    }
  }

  /// The readings that stand, by time and order of commit: what was taken back leaves with one of
  /// its equals, which are interchangeable.
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
    return standing.enumerated().sorted {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }.map(\.element)
  }

  private struct Key: Hashable {
    var time: Instant
    var series: Series
    var epoch: Instant
    var own: ByteString?
    var quantity: Int128
    var amount: Int128

    init(_ reading: TrailReading, sign: Int128) {
      time = reading.time
      series = reading.line.series
      epoch = reading.line.epoch
      own = reading.line.own
      quantity = reading.line.quantity * sign
      amount = reading.line.amount * sign
    }
  }
}
