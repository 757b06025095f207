/// A customer's levels over time: at each instant they accrue to the purchase that would take the
/// customer's usage then, after a revocation as its leak, else to nobody.
package struct CustomerLevels {
  private let view: CustomerView
  let series: [LevelSeries]
  let configuration: Configuration

  /// Reads a customer's levels and purchases; nil without levels. Throws when reading fails.
  package init?(
    ofCustomer customer: ByteString, from reading: any StoreQueries, configuration: Configuration
  ) throws {
    series = try reading.levels(of: customer.customerSeries)
    guard !series.isEmpty else { return nil }
    self.configuration = configuration
    let ids = Set(try reading.customer(customer).transactions)
    var chains: [ByteString: ChainView] = [:]
    var candidates: [CustomerView.Candidate] = []
    for id in ids {
      guard let chain = try reading.record(id)?.chain else { continue }
      if chains[chain] == nil {
        chains[chain] = ChainView(try reading.chain(chain), configuration: configuration)
      }
      guard let period = chains[chain]?.period(of: id) else { continue }
      candidates.append(CustomerView.Candidate(period: period, label: 0))
    }
    view = CustomerView(candidates)
  }

  /// What accrues to a transaction within [from, to), or to nobody for nil.
  func amounts(of id: ByteString?, from: Instant, to: Instant) -> [BookedAmount] {
    series.flatMap { one -> [BookedAmount] in
      guard let first = one.points.first?.time else { return [] }
      return stretches(of: one.meter, from: max(first, from), to: to)
        .filter { $0.holder == id }
        .flatMap {
          LevelAccrual.amounts(
            of: [one], from: $0.from, to: $0.to, configuration: configuration)
        }
    }
  }

  /// Everything that accrues within [from, to), cut at `bounds`: when the stretch begins, the
  /// purchase that takes it (nil: nobody), and the amount.
  package func accruals(
    from: Instant, to: Instant, cutAt bounds: [Instant]
  ) -> [(start: Instant, holder: Purchase?, amount: BookedAmount)] {
    series.flatMap { one -> [(start: Instant, holder: Purchase?, amount: BookedAmount)] in
      guard let first = one.points.first?.time else { return [] }
      return stretches(of: one.meter, from: max(first, from), to: to, cutAt: bounds).flatMap {
        stretch in
        let holder = view.candidates.first { $0.id == stretch.holder }?.period.purchase
        return LevelAccrual.amounts(
          of: [one], from: stretch.from, to: stretch.to, configuration: configuration
        ).map { (stretch.from, holder, $0) }
      }
    }
  }

  /// The latest point within the time that a transaction held; nil without one.
  func lastPoint(of id: ByteString, before end: Instant) -> Instant? {
    series.flatMap { one -> [Instant] in
      guard let first = one.points.first?.time else { return [] }
      let held = stretches(of: one.meter, from: first, to: end).filter { $0.holder == id }
      return one.points.map(\.time).filter { time in
        held.contains { $0.from <= time && time < $0.to }
      }
    }.max()
  }

  private struct Stretch {
    var from: Instant
    var to: Instant
    var holder: ByteString?
  }

  /// Stretches between two changes of who would take the meter, or two bounds.
  private func stretches(
    of meter: ByteString, from: Instant, to: Instant, cutAt bounds: [Instant] = []
  ) -> [Stretch] {
    guard from < to else { return [] }
    let changes = view.candidates.flatMap { candidate in
      [candidate.period.start, candidate.period.end, candidate.period.accrualEnd].compactMap { $0 }
    }
    let cuts = Set(changes + bounds).filter { from < $0 && $0 < to }.sorted()
    return zip([from] + cuts, cuts + [to]).map { start, end in
      Stretch(from: start, to: end, holder: holder(of: meter, at: start))
    }
  }

  private func holder(of meter: ByteString, at time: Instant) -> ByteString? {
    view.holder(of: meter, at: time.microseconds)?.id
  }
}
