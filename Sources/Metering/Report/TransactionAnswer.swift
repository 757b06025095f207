/// `GET /v1/transactions/{id}`: Apple's fields as known, with what the sidecar adds.
package struct TransactionAnswer: Sendable {
  package var transactionId: ByteString
  /// Nil while only facts or usage are known.
  package var purchase: Purchase?
  package var state: PurchaseState?
  package var customer: ByteString?
  package var deliveryStatus: DeliveryStatus?
  /// 0…100000; nil without an allowance.
  package var share: Int64?

  /// Answers for a transaction; nil when nothing is known of it. Throws when reading fails.
  package init?(
    transaction id: ByteString, from reading: any StoreQueries, configuration: Configuration,
    now: Instant
  ) throws {
    let account = try PurchaseAccount(
      id, from: reading, configuration: configuration, now: now)
    guard account.isKnown || account.record != nil else { return nil }
    let usage = account.usage
    transactionId = id
    purchase = account.period?.purchase
    state = account.period?.state(at: now)
    customer = account.chain.customer(of: purchase)
    deliveryStatus = account.deliveryStatus(usage)
    share = PurchaseAccount.share(of: usage)
  }

  /// The answer as JSON; dates are Apple's milliseconds.
  package var json: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }

  /// Writes the answer as one object.
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    if var purchase {
      purchase.transactionId = transactionId
      purchase.originalTransactionId = purchase.chain
      purchase.write(fields: &writer)
    } else {
      writer.member("transactionId", transactionId)
    }
    writer.member("state", state.map { ByteString($0.name) })
    writer.member("customer", customer)
    writer.member("deliveryStatus", deliveryStatus.map { ByteString($0.name) })
    writer.member("share", share)
    writer.endObject()
  }
}
