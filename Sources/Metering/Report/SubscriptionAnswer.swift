/// `GET /v1/subscriptions/{originalTransactionId}`: the chain's periods, each with share, cost
/// and state.
package struct SubscriptionAnswer: Sendable {
  package var originalTransactionId: ByteString
  package var customer: ByteString?
  /// By `purchaseDate`.
  package var periods: [ConsumptionAnswer]

  /// Answers for a chain; nil when no purchase of it is known. Throws when reading fails.
  package init?(
    chain original: ByteString, from reading: any StoreQueries, configuration: Configuration,
    now: Instant
  ) throws {
    let chain = try ChainAccount(chain: original, from: reading, configuration: configuration)
    guard let latest = chain.view.periods.last else { return nil }
    originalTransactionId = original
    customer = chain.customer(of: latest.purchase)
    periods = try chain.view.periods.compactMap { period in
      try ConsumptionAnswer(
        PurchaseAccount(
          period.transactionId, record: period.record, in: chain, from: reading, now: now))
    }
  }

  /// The answer as JSON.
  package var json: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("originalTransactionId", originalTransactionId)
    writer.member("customer", customer)
    writer.key("periods")
    writer.beginArray()
    for period in periods {
      writer.beginObject()
      writer.member("transactionId", period.transactionId)
      writer.member("productId", period.purchase?.productId)
      writer.member("environment", period.purchase?.environment ?? "unknown")
      writer.member("billingPeriod", period: period.billingPeriod)
      writer.member("state", period.state.map { ByteString($0.name) })
      writer.member("share", period.share)
      writer.key("cost")
      writer.beginObject()
      writer.key("complete")
      writer.bool(period.cost.isComplete)
      writer.member("totals", period.cost.totals)
      writer.endObject()
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.bytes
  }
}
