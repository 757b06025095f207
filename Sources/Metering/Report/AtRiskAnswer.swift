/// `GET /v1/at-risk`: a page of purchases whose money can still go back, those that have cost most
/// first. Order and choice are as last rolled up; the figures are of now.
package struct AtRiskAnswer: Sendable {
  package private(set) var items: [ConsumptionAnswer] = []
  /// Where the next page begins; nil at the end.
  package private(set) var next: RiskPlace?

  /// Answers for the purchases behind a place. Those that aren't at risk any more are left out, so
  /// that a page may be short and still have a next one. Throws when reading fails.
  package init(
    after place: RiskPlace?, limit: Int, from reading: any StoreQueries,
    configuration: Configuration,
    now: Instant
  ) throws {
    let places = try reading.atRisk(after: place, limit: limit + 1)
    for one in places.prefix(limit) {
      let answer = try ConsumptionAnswer(
        transaction: one.transactionId, from: reading, configuration: configuration, now: now)
      if let answer, answer.atRisk != nil { items.append(answer) }
    }
    if places.count > limit { next = places[limit - 1] }
  }

  /// Writes the items as one array: of each answer what a list needs.
  package func write(items writer: inout JSONWriter) {
    writer.beginArray()
    for item in items { item.write(listed: &writer) }
    writer.endArray()
  }
}

extension ConsumptionAnswer {
  /// Writes what a list of purchases at risk tells, in the names of the whole answer.
  fileprivate func write(listed writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("transactionId", transactionId)
    writer.member("productId", purchase?.productId)
    writer.member("environment", purchase?.environment)
    writer.member("customer", customer)
    writer.member("state", state.map { ByteString($0.name) })
    writer.member("share", share)
    write(atRisk: &writer)
    writer.key("refundCase")
    if let refundCase { refundCase.write(to: &writer) } else { writer.null() }
    writer.endObject()
  }
}
