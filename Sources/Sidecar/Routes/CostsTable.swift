package import Metering

/// Costs over time: sums priced as they stand, cut into windows.
package struct CostsTable {
  let configuration: Configuration
  let windows: CostWindows
  let question: CostsQuestion
  let now: Instant
  private var sums: [Line: Sums] = [:]

  /// What has one price, or is unpriced, within one window.
  struct Line: Hashable {
    var window: Int
    var meter: ByteString
    var attributes: [ByteString]
    var epoch: Instant
    var own: ByteString?
    var product: ByteString
    var environment: ByteString
  }

  private struct Sums {
    var quantity = Fraction.zero
    var amount = Fraction.zero
  }

  /// An empty table.
  package init(
    configuration: Configuration, windows: CostWindows, question: CostsQuestion, now: Instant
  ) {
    self.configuration = configuration
    self.windows = windows
    self.question = question
    self.now = now
  }

  /// Adds everything that the store knows of the windows. Throws what reading throws.
  package mutating func add(_ reading: any StoreQueries) throws {
    try addBooked(reading)
    try addLevels(reading)
  }

  /// Adds what was booked, without levels: as much work as there are quarter-hours and prices,
  /// however many purchases there are. Throws what reading throws.
  package mutating func addBooked(_ reading: any StoreQueries) throws {
    for line in try reading.quarterHours(from: windows.start, to: windows.end) { add(line) }
  }

  /// Adds the booked sums of a quarter-hour; those of a level are opening balances, since its
  /// readings are points.
  package mutating func add(_ sum: QuarterHourLine) {
    let line = sum.line
    guard let window = windows.index(of: sum.slot) else { return }
    let key = Line(
      window: window, meter: line.meter,
      attributes: line.attributes.flatMap { [$0.key, $0.value] },
      epoch: configuration.stretch(of: line) ?? line.epoch,
      own: line.own, product: sum.product, environment: sum.environment)
    add(
      key, quantity: Fraction(line.quantity, scale: 9),
      amount: line.cost)
  }

  mutating func add(_ line: Line, quantity: Fraction, amount: Fraction = .zero) {
    guard question.environments.contains(line.environment) else { return }
    var sum = sums[line] ?? Sums()
    sum.quantity = sum.quantity + quantity
    sum.amount = sum.amount + amount
    sums[line] = sum
  }
}

extension CostsTable {
  /// What rows are kept apart by, but for their currency.
  private struct Group: Hashable {
    var window: Int
    var meter: ByteString?
    var product: ByteString?
    var environment: ByteString
  }

  /// The rows by window, meter, product, environment and currency; unpriced usage last.
  package var rows: [CostRow] {
    var groups: [Group: [ByteString?: Sums]] = [:]
    for (line, sum) in sums {
      guard let priced = price(line, sum) else { continue }
      let group = Group(
        window: line.window, meter: question.groupBy.contains(.meter) ? line.meter : nil,
        product: question.groupBy.contains(.product) ? line.product : nil,
        environment: line.environment)
      var total = groups[group]?[priced.currency] ?? Sums()
      total.quantity = total.quantity + sum.quantity
      total.amount = total.amount + priced.amount
      groups[group, default: [:]][priced.currency] = total
    }
    return groups.flatMap { rows(of: $0.key, $0.value) }.sorted(by: Self.isBefore)
  }

  /// nil for what has no cost: a meter that only counts, and what was taken back whole.
  private func price(_ line: Line, _ sum: Sums) -> (currency: ByteString?, amount: Fraction)? {
    guard !sum.quantity.isZero || !sum.amount.isZero else { return nil }
    let attributes = stride(from: 0, to: line.attributes.count, by: 2).map {
      (key: line.attributes[$0], value: line.attributes[$0 + 1])
    }
    let booked = BookedAmount(
      meter: line.meter, attributes: attributes, epoch: line.epoch, own: line.own,
      quantity: sum.quantity, amount: sum.amount)
    switch configuration.price(booked) {
    case .uncounted: return nil
    case .unpriced: return (nil, .zero)
    case .own(let cost), .rated(_, let cost): return (cost.currency, cost.amount)
    }
  }

  private func rows(of group: Group, _ sums: [ByteString?: Sums]) -> [CostRow] {
    let unpriced: ByteString? = nil
    let isComplete = sums[unpriced] == nil
    let end = windows.bounds[group.window + 1]
    let dedupe = Int64(configuration.dedupeDays) * 86_400_000_000
    let unit = group.meter.map { configuration.printedUnit(of: $0) }
    return sums.map { currency, sum in
      CostRow(
        start: windows.bounds[group.window], end: end, meter: group.meter,
        product: group.product.flatMap { $0.isEmpty ? nil : $0 }, environment: group.environment,
        currency: currency, quantity: group.meter == nil ? nil : sum.quantity,
        unit: unit.flatMap { $0.isEmpty ? nil : $0 },
        amount: currency == nil ? nil : sum.amount, isComplete: isComplete,
        isFinal: end.adding(microseconds: dedupe) <= now)
    }
  }

  private static func isBefore(_ left: CostRow, _ right: CostRow) -> Bool {
    if left.start != right.start { return left.start < right.start }
    for path in [\CostRow.meter, \.product] where left[keyPath: path] != right[keyPath: path] {
      return (left[keyPath: path] ?? "") < (right[keyPath: path] ?? "")
    }
    if left.environment != right.environment { return left.environment < right.environment }
    guard let first = left.currency, let second = right.currency else {
      return left.currency != nil
    }
    return first < second
  }
}
