import Foundation
package import Metering
package import Wire

/// Answers questions from what the store holds between two commits.
package struct Answers {
  private let reading: any StoreQueries
  private let configuration: Configuration
  private let now: Instant

  /// Answers from a reading, priced and printed by a configuration, as of an instant.
  package init(reading: any StoreQueries, configuration: Configuration, now: Instant) {
    self.reading = reading
    self.configuration = configuration
    self.now = now
  }

  /// The answer, whatever it is: a store that can't be read is 503, with what it says.
  package func answer(_ question: Question) -> HTTPResponse {
    do {
      return try response(to: question)
    } catch let problem as Problem {
      return problem.response
    } catch {
      return Problem.unreadable(error).response
    }
  }

  private func response(to question: Question) throws -> HTTPResponse {
    switch question {
    case .transaction(let id):
      let answer = try TransactionAnswer(
        transaction: id, from: reading, configuration: configuration, now: now)
      return try found(answer?.json)
    case .transactions(let question):
      return try page(question)
    case .consumption(let id):
      let answer = try ConsumptionAnswer(
        transaction: id, from: reading, configuration: configuration, now: now)
      return try found(answer?.json)
    case .customer(let customer):
      return .json(
        try CustomerAnswer(
          customer: customer, from: reading, configuration: configuration, now: now
        ).json)
    case .subscription(let chain):
      let answer = try SubscriptionAnswer(
        chain: chain, from: reading, configuration: configuration, now: now)
      return try found(answer?.json)
    case .costs(let question):
      return try costs(question)
    case .cases(let question):
      return try cases(question).response
    case .atRisk(let question):
      return try atRisk(question)
    }
  }

  private func found(_ json: [UInt8]?) throws(Problem) -> HTTPResponse {
    guard let json else {
      throw Problem(
        status: 404, code: "unknown_transaction",
        detail: "Neither a purchase nor usage is known under this id.")
    }
    return .json(json)
  }

  /// A page may be shorter than its limit, even empty, and still have a next one: a filter looks
  /// at a bounded number of purchases at a time.
  private func page(_ question: TransactionsQuestion) throws -> HTTPResponse {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("items")
    writer.beginArray()
    var cursor = question.after
    var written = 0
    var isMore = false
    let records = try reading.records(
      customer: question.customer, after: cursor,
      limit: (question.state == nil ? question.limit : RouteLimits.pageScan) + 1)
    for (index, record) in records.enumerated() {
      if written == question.limit || index == RouteLimits.pageScan {
        isMore = true
        break
      }
      cursor = record.transactionId
      if let state = question.state, try self.state(of: record) != state { continue }
      guard
        let answer = try TransactionAnswer(
          transaction: record.transactionId, from: reading, configuration: configuration,
          now: now)
      else { continue }
      answer.write(to: &writer)
      written += 1
    }
    writer.endArray()
    writer.key("next")
    if isMore, let cursor { writer.string(PageCursor.encode(cursor)) } else { writer.null() }
    writer.endObject()
    return .json(writer.bytes)
  }

  /// The state alone, which needs neither usage nor levels.
  private func state(of record: PurchaseRecord) throws -> PurchaseState? {
    let chain = ChainView(try reading.chain(record.chain), configuration: configuration)
    return chain.period(of: record.transactionId)?.state(at: now)
  }

  /// A page of refund cases, with what tells whether it is worth answering a waiting client.
  /// Throws when the store can't be read.
  package func cases(_ question: CasesQuestion) throws -> CasesPage {
    CasesPage(
      try CasesAnswer(
        state: question.state, after: question.place, limit: question.limit, from: reading,
        configuration: configuration, now: now))
  }

  private func atRisk(_ question: AtRiskQuestion) throws -> HTTPResponse {
    let answer = try AtRiskAnswer(
      after: question.place, limit: question.limit, from: reading, configuration: configuration,
      now: now)
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("items")
    answer.write(items: &writer)
    writer.key("next")
    if let next = answer.next { writer.string(PageCursor.encode(next)) } else { writer.null() }
    writer.endObject()
    return .json(writer.bytes)
  }

  private func costs(_ question: CostsQuestion) throws -> HTTPResponse {
    var table = try emptyTable(question)
    try table.add(reading)
    return CostsAnswer.response(table.rows, format: question.format)
  }

  private func emptyTable(_ question: CostsQuestion) throws -> CostsTable {
    guard let timeZone = TimeZone(identifier: configuration.timeZone) else {
      throw Problem(
        status: 500, code: "unknown_time_zone",
        detail: "This machine doesn't know the zone \(configuration.timeZone).")
    }
    let windows = try CostWindows(
      from: question.from, to: question.to, window: question.window, timeZone: timeZone)
    return CostsTable(
      configuration: configuration, windows: windows, question: question, now: now)
  }

  /// The page for people, with the figures of a scrape; 503 when the store can't be read.
  package func page(_ metrics: MetricsSnapshot) -> HTTPResponse {
    do {
      return PageAnswer.response(try pageSnapshot(metrics))
    } catch let problem as Problem {
      return problem.response
    } catch {
      return Problem.unreadable(error).response
    }
  }

  private func pageSnapshot(_ metrics: MetricsSnapshot) throws -> PageSnapshot {
    let day: Int64 = 86_400_000_000
    let first = now.adding(microseconds: -day * Int64(PageText.days - 1))
    var table = try emptyTable(
      CostsQuestion(
        from: .instant(first), to: .instant(now.adding(microseconds: 1)), groupBy: [.meter]))
    // Levels would need a look at everything that has one.
    try table.addBooked(reading)
    let cases = try CasesAnswer(
      state: .open, after: nil, limit: PageSnapshot.items, from: reading,
      configuration: configuration, now: now)
    let purchases =
      configuration.showsIdentifiers
      ? try AtRiskAnswer(
        after: nil, limit: PageSnapshot.items, from: reading, configuration: configuration,
        now: now
      ).items : []
    return PageSnapshot(
      metrics, cases: cases, purchases: purchases, costs: table.rows,
      configuration: configuration, now: now)
  }
}
