package import Metering

extension Layers {
  package func customer(_ customer: ByteString) throws -> CustomerRecord {
    CustomerRecord(
      transactions: try transactions(of: customer), consent: try consent(of: customer),
      unattributed: try unattributed(of: customer))
  }

  /// Purchases of chains linked to the customer, and of chains without a link that carry it as
  /// `appAccountToken`.
  private func transactions(of customer: ByteString) throws -> [ByteString] {
    var chains = Set(try view.chains(of: customer))
    var tokens: [PurchaseRecord] = []
    for body in try view.records(where: "customer = ?", { $0.bind(1, customer.customerKey) }) {
      if let record = PurchaseRecord(encoded: body) { tokens.append(record) }
    }
    let layers = snapshot()
    for layer in layers {
      for (chain, linked) in layer.links where linked == customer { chains.insert(chain) }
      for body in layer.records.values {
        if let record = PurchaseRecord(encoded: body),
          record.purchase?.accountToken == customer.customerKey
        {
          tokens.append(record)
        }
      }
    }
    for record in tokens {
      if let chain = record.purchase?.chain { chains.insert(chain) }
    }
    var found: [PurchaseRecord] = []
    for chain in chains {
      let linked = try linkedCustomer(ofChain: chain)
      if let linked, linked != customer { continue }
      for record in try self.chain(chain)
      where linked != nil || record.purchase?.accountToken == customer.customerKey {
        found.append(record)
      }
    }
    return found.sorted {
      ($0.purchase?.purchaseDate ?? .distantPast, $0.transactionId)
        < ($1.purchase?.purchaseDate ?? .distantPast, $1.transactionId)
    }.map(\.transactionId)
  }

  private func consent(of customer: ByteString) throws -> [ConsentRecord] {
    var answers: [Int64: Bool] = [:]
    for (at, given) in try view.consent(of: customer) { answers[at] = given }
    for layer in snapshot() {
      for (key, given) in layer.consents where key.customer == customer {
        answers[key.at] = given
      }
    }
    return answers.sorted { $0.key > $1.key }.map {
      ConsentRecord(consented: $0.value, at: Instant(microseconds: $0.key))
    }
  }

  private func unattributed(of customer: ByteString) throws -> [ByteString: Int128] {
    var readings = try view.waiting(
      kind: Int64(SubjectKind.customer.rawValue), subject: customer)
    for layer in snapshot() {
      for (key, reading) in layer.waiting
      where key.kind == SubjectKind.customer.rawValue && key.subject == customer {
        readings[key] = reading.map { ($0.series.meter, $0.quantity) }
      }
    }
    return readings.values.reduce(into: [:]) { $0[$1.meter, default: 0] += $1.quantity }
  }

  /// What the tables hold of small things, copied under the lock.
  private func snapshot() -> [SmallFacts] {
    let copy = {
      tables.map {
        SmallFacts(
          links: $0.links, records: $0.records, consents: $0.consents, waiting: $0.waiting)
      }
    }
    if let lock { return lock.withLock(copy) }
    return copy()
  }

  private struct SmallFacts {
    var links: [ByteString: ByteString]
    var records: [ByteString: [UInt8]]
    var consents: [ConsentKey: Bool]
    var waiting: [WaitingKey: WaitingReading?]
  }
}
