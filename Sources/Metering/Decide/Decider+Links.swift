/// Links of chains to the backend's customers.
extension Decider {
  /// Links the chain of a transaction, known or not: of a chain's links the newest wins.
  func link(
    _ id: ByteString, to customer: ByteString, knowing knowledge: any Knowledge
  ) throws {
    var record = try record(id, knowing: knowledge) ?? PurchaseRecord(transactionId: id)
    record.linkOrder = nextLinkOrder()
    write(record)
    try write(link: record.purchase?.chain ?? id, to: customer, knowing: knowledge)
    try offerWaiting(ofCustomer: customer.customerKey, knowing: knowledge)
  }

  /// A link that was made under the transaction's own id belongs to its chain, unless that was
  /// linked since.
  func carryLink(of record: PurchaseRecord, knowing knowledge: any Knowledge) throws {
    guard let original = record.purchase?.chain, original != record.transactionId,
      let customer = try link(record.transactionId, knowing: knowledge)
    else { return }
    if try link(original, knowing: knowledge) != nil {
      let named = try self.record(original, knowing: knowledge)?.linkOrder ?? 0
      let others = try chain(original, knowing: knowledge).periods.map(\.record)
        .filter { $0.transactionId != record.transactionId }
      let newest = others.reduce(named) { max($0, $1.linkOrder) }
      guard record.linkOrder > newest else { return }
    }
    try write(link: original, to: customer, knowing: knowledge)
  }

  /// The customer that a chain is linked to, with this commit's changes.
  func link(_ chain: ByteString, knowing knowledge: any Knowledge) throws -> ByteString? {
    if let customer = pending.links[chain] { return customer }
    return try knowledge.linkedCustomer(ofChain: chain)
  }

  /// Greater than that of every link before: by the journal, since clocks jump.
  private func nextLinkOrder() -> UInt64 {
    pending.linkCount += 1
    return position << Limits.linkOrderBits | pending.linkCount
  }

  private func write(
    link chain: ByteString, to customer: ByteString, knowing knowledge: any Knowledge
  ) throws {
    if hasLevels {
      for former in try customers(ofChain: chain, knowing: knowledge)
      where former != customer.customerKey {
        write(Change(.customer, former))
      }
    }
    let frame = builder.frame(for: chain.count + customer.count + 16)
    frame.writer.byte(FactTag.link.rawValue)
    frame.writer.text(chain)
    frame.writer.text(customer)
    pending.links[chain] = customer
  }

  private func customers(
    ofChain chain: ByteString, knowing knowledge: any Knowledge
  ) throws -> Set<ByteString> {
    if let linked = try link(chain, knowing: knowledge) { return [linked.customerKey] }
    let periods = try self.chain(chain, knowing: knowledge).periods
    return Set(periods.compactMap(\.purchase.accountToken))
  }

  // What a purchase takes of its customer's levels is the customer's other purchases' when it goes,
  // and who that was can't be found out afterwards.

  /// Tells that what shared levels with a purchase has other figures now, if that isn't its chain
  /// or customer any more.
  func noteFormer(of known: PurchaseRecord, now record: PurchaseRecord) {
    guard hasLevels else { return }
    if known.chain != record.chain { write(Change(.link, known.chain)) }
    if let token = known.purchase?.accountToken, token != record.purchase?.accountToken {
      write(Change(.customer, token))
    }
  }

  private var hasLevels: Bool { configuration.meters.values.contains { $0.kind == .level } }

  private func write(_ change: Change) {
    let frame = builder.frame(for: change.id.count + 16)
    frame.writer.byte(FactTag.change.rawValue)
    frame.writer.byte(change.kind.rawValue)
    frame.writer.text(change.id)
  }
}

extension Limits {
  /// Bits for the links of one commit in their order: more than a batch has steps.
  static let linkOrderBits: UInt64 = 20
}
