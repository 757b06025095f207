import Metering
import Store

/// What is told of lives beside events and facts.
enum LifeChange {
  case unsigned(ReferencePurchase)
  case signed(ReferencePurchase)
  case notification(ReferenceNotification)
  case consent(customer: String, consented: Bool, at: Int64)
  case opening(id: String, until: Int64, readings: [ReferenceReading])
  case request(id: String, reason: String?)
  case response(id: String, number: Int, preference: String?, isSuccess: Bool)
}

extension BooksSubject {
  func tell(_ change: LifeChange) throws -> CommandOutcome? {
    try commit(IngestBatch(), [.command(try Self.command(for: change, now: now))]).outcomes.first
  }

  static func command(for change: LifeChange, now: Int64) throws -> Command {
    switch change {
    case .unsigned(let purchase):
      return .putTransaction(id: ByteString(purchase.id), payload: try payload(purchase))
    case .signed(let purchase):
      return .putSigned(id: ByteString(purchase.id), payload: try payload(purchase))
    case .notification(let told): return .notify(try notification(told))
    case .consent(let customer, let consented, let time):
      return .putConsent(
        customer: ByteString(customer), consented: consented, at: Instant(microseconds: time))
    case .opening(let id, let until, let readings):
      let usage = readings.map { $0.json }.joined(separator: ",")
      return .putOpening(
        id: ByteString(id), until: Instant(microseconds: until), usage: ByteString("[\(usage)]"))
    case .request(let id, let reason):
      let request = CaseRequest(
        reason: reason.map { ByteString($0) }, receivedAt: Instant(microseconds: now))
      return .openCase(id: ByteString(id), request)
    case .response(let id, let number, let preference, let isSuccess):
      let sent = preference.map { "{\"refundPreference\":\"\($0)\"}" } ?? "{}"
      return .answerCase(
        CaseID(transaction: ByteString(id), number: Int64(number)),
        CaseReport(
          sent: ByteString(sent), preference: preference.map { ByteString($0) },
          httpStatus: isSuccess ? 202 : 500))
    }
  }

  private static func payload(_ purchase: ReferencePurchase) throws -> Purchase {
    try Purchase(payload: JSONNode.parse(Array(purchase.payload.utf8), dialect: .strict))
  }

  private static func notification(_ told: ReferenceNotification) throws -> StoreNotification {
    var notification = StoreNotification(
      id: ByteString(told.id), type: ByteString(told.type),
      subtype: told.subtype.map { ByteString($0) },
      signedDate: Instant(microseconds: told.signed * 1000))
    notification.transaction = try told.transaction.map {
      StoreNotification.Transaction(id: ByteString($0.id), payload: try payload($0))
    }
    notification.renewal = told.renewal.map { renewal in
      var info = RenewalInfo(
        originalTransactionId: ByteString(told.transaction?.original ?? ""),
        signedDate: Instant(microseconds: renewal.signed * 1000))
      info.gracePeriodExpiresDate = renewal.grace.map { Instant(microseconds: $0 * 1000) }
      info.isInBillingRetryPeriod = renewal.isRetried
      return info
    }
    notification.reason = told.reason.map { ByteString($0) }
    notification.appTransactionId = told.appTransaction.map { ByteString($0) }
    return notification
  }

  /// `case state` of every refund case, in the order they are listed.
  func cases(state: RefundCaseState? = nil) throws -> [String] {
    try withBooks { books, configuration in
      try books.ask(books.makeView()) { reading in
        let page = try CasesAnswer(
          state: state, after: nil, limit: 1000, from: reading, configuration: configuration,
          now: Instant(microseconds: now))
        return page.items.map { "\($0.standing.id.text) \($0.standing.state.rawValue)" }
      }
    }
  }
}
