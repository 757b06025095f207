/// What is known about one chain, read once: its purchases, customer and levels.
package struct ChainAccount {
  package let view: ChainView
  /// The linked customer, else that of the purchase's `appAccountToken`, by transaction.
  private let linkedCustomer: ByteString?
  let levels: [LevelSeries]
  let configuration: Configuration

  /// Reads the chain of an id that is known or not. Throws when reading fails.
  package init(
    chain original: ByteString, including id: ByteString? = nil, from reading: any StoreQueries,
    configuration: Configuration
  ) throws {
    let records = try reading.chain(original)
    view = ChainView(records, configuration: configuration)
    linkedCustomer = try reading.linkedCustomer(ofChain: original)
    self.configuration = configuration
    var ids = Set(records.map(\.transactionId))
    ids.insert(original)
    if let id { ids.insert(id) }
    var series: [LevelSeries] = []
    for id in ids.sorted() { series += try reading.levels(of: id) }
    levels = LevelAccrual.joined(series)
  }

  /// The customer of one of the chain's purchases.
  package func customer(of purchase: Purchase?) -> ByteString? {
    linkedCustomer ?? purchase?.accountToken
  }

  /// What the chain's levels accrue to a purchase within [from, to).
  package func levelAmounts(
    of period: ChainPeriod, from: Instant, to: Instant
  ) -> [BookedAmount] {
    guard !levels.isEmpty else { return [] }
    return view.spans(of: period).flatMap { span -> [BookedAmount] in
      let (start, end) = (max(span.lowerBound, from), min(span.upperBound, to))
      guard start < end else { return [] }
      return LevelAccrual.amounts(of: levels, from: start, to: end, configuration: configuration)
    }
  }
}
