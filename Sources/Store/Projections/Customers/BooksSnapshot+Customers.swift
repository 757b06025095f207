package import Metering

extension BooksSnapshot {
  package func customer(_ customer: ByteString) throws -> CustomerRecord {
    let key = customer.customerKey
    return CustomerRecord(
      transactions: try purchases(of: key), consent: try consent(of: key),
      unattributed: try unattributed(of: key))
  }

  /// Transactions that may be the customer's: of chains once linked to it, or with its token.
  func transactions(ofCustomer key: ByteString) throws -> Set<ByteString> {
    var chains = Set(try view.chains(of: key))
    var found = Set(try view.transactions(withToken: key))
    let fresh = looks.look(.customer(key)) { tables in
      tables.map { (chains: $0.linksByCustomer[key] ?? [], ids: $0.recordsByToken[key] ?? []) }
    }
    for (linked, ids) in fresh {
      chains.formUnion(linked)
      found.formUnion(ids)
    }
    for chain in chains {
      for record in try self.chain(chain) { found.insert(record.transactionId) }
    }
    return found
  }

  /// Purchases of chains linked to the customer, and of chains without a link that carry it as
  /// `appAccountToken`.
  private func purchases(of key: ByteString) throws -> [ByteString] {
    var chains: [ByteString: ByteString?] = [:]
    var found: [PurchaseRecord] = []
    for id in try transactions(ofCustomer: key) {
      guard let record = try record(id), let purchase = record.purchase else { continue }
      if chains[record.chain] == nil {
        chains[record.chain] = .some(try linkedCustomer(ofChain: record.chain))
      }
      let linked = chains[record.chain] ?? nil
      if (linked?.customerKey ?? purchase.accountToken) == key { found.append(record) }
    }
    return found.sorted {
      ($0.purchase?.purchaseDate ?? .distantPast, $0.transactionId)
        < ($1.purchase?.purchaseDate ?? .distantPast, $1.transactionId)
    }.map(\.transactionId)
  }

  package func consent(of customer: ByteString) throws -> [ConsentRecord] {
    let key = customer.customerKey
    var answers: [Int64: Bool] = [:]
    for (at, given) in try view.consent(of: key) { answers[at] = given }
    let fresh = looks.look(.consent(key)) { tables in tables.map { $0.consents[key] ?? [:] } }
    for table in fresh { answers.merge(table) { $1 } }
    return answers.sorted { $0.key > $1.key }.map {
      ConsentRecord(consented: $0.value, at: Instant(microseconds: $0.key))
    }
  }

  private func unattributed(of key: ByteString) throws -> [ByteString: Int128] {
    let subject = WaitingSubject(kind: SubjectKind.customer.rawValue, subject: key)
    return try waiting(subject).values.reduce(into: [:]) {
      $0[$1.series.meter, default: 0] += $1.quantity
    }
  }
}
