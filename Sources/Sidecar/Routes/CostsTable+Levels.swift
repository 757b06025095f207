import Metering

/// Levels in a cost table: every stretch of time between two changes of a chain is held by one
/// purchase, and falls into one window.
extension CostsTable {
  /// Adds the integral of every level over the windows, up to now.
  mutating func addLevels(_ reading: any StoreQueries) throws {
    guard configuration.meters.values.contains(where: { $0.kind == .level }) else { return }
    var subjects: [ByteString: [ByteString]] = [:]
    for id in try reading.levelSubjects() {
      if let customer = id.seriesCustomer {
        let levels = try CustomerLevels(
          ofCustomer: customer, from: reading, configuration: configuration)
        if let levels { add(levels) }
        continue
      }
      subjects[try reading.record(id)?.chain ?? id, default: []].append(id)
    }
    for (chain, ids) in subjects {
      let view = ChainView(try reading.chain(chain), configuration: configuration)
      add(LevelAccrual.joined(try ids.flatMap { try reading.levels(of: $0) }), of: view)
    }
  }

  private mutating func add(_ levels: CustomerLevels) {
    let accruals = levels.accruals(
      from: windows.start, to: min(windows.end, now), cutAt: windows.bounds)
    for accrual in accruals {
      guard let window = windows.index(of: accrual.start) else { continue }
      add(accrual.amount, in: window, of: accrual.holder)
    }
  }

  private mutating func add(_ booked: BookedAmount, in window: Int, of purchase: Purchase?) {
    let line = Line(
      window: window, meter: booked.meter,
      attributes: booked.attributes.flatMap { [$0.key, $0.value] }, epoch: booked.epoch,
      own: nil, product: purchase?.productId ?? "",
      environment: purchase?.environment ?? "unknown")
    add(line, quantity: booked.quantity)
  }

  private mutating func add(_ series: [LevelSeries], of view: ChainView) {
    guard let first = series.compactMap(\.points.first?.time).min() else { return }
    let span = max(first, windows.start)..<max(first, windows.start, min(windows.end, now))
    let changes = view.periods.flatMap { period in
      [period.start, period.end, period.accrualEnd].compactMap { $0 }
    }
    let inner = Set(windows.bounds + changes).filter { $0 > span.lowerBound && span.contains($0) }
    var start = span.lowerBound
    for end in inner.sorted() + [span.upperBound] {
      let purchase = view.purchaseInForce(at: start).flatMap { view.period(of: $0)?.purchase }
      guard let window = windows.index(of: start) else { continue }
      let amounts = LevelAccrual.amounts(
        of: series, from: start, to: end, configuration: configuration)
      for booked in amounts { add(booked, in: window, of: purchase) }
      start = end
    }
  }
}
