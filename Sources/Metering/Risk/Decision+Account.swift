/// What decides about a pending request beside the purchase's own figures; read only when there
/// is such a request.
struct DecisionFacts {
  var consent: DecisionInput.Consent
  var staleFeed: StaleFeed?

  /// Reads consent and feeds at an instant. Throws when reading fails.
  init(
    of pending: CaseStanding, customer: ByteString?, appTransactionId: ByteString?,
    from reading: any StoreQueries, configuration: Configuration
  ) throws {
    consent = .unknown
    // The newest answer counts, and only what holds now: consent may be withdrawn at any time, by
    // the customer or, for a minor, by a parent.
    let answers = try [customer, appTransactionId?.appConsentKey].compactMap { $0 }
      .flatMap { try reading.consent(of: $0) }
    if let newest = answers.max(by: { $0.at < $1.at }) {
      consent = newest.consented ? .given : .withdrawn
    }
    staleFeed = StaleFeed(
      try reading.marks(), requestedAt: pending.refundCase.receivedAt,
      allowedMinutes: configuration.decisions.staleAfterMinutes)
  }
}

extension DecisionInput {
  /// What an account says, with the figures that its answer gives.
  init(_ account: PurchaseAccount, delivery: DeliveryStatus?, share: Int64?) {
    let pending = account.record?.pendingCase(at: account.now)
    self.init(
      request: pending.map {
        Request(
          state: $0.state, isAnswered: $0.refundCase.response != nil, reason: $0.refundCase.reason,
          respondBy: $0.respondBy)
      },
      subject: account.period.map { Subject($0, at: account.now) },
      consent: account.decisionFacts?.consent ?? .unknown, delivery: delivery, share: share,
      elapsed: account.period.flatMap { $0.elapsed(at: account.now) },
      staleFeed: account.decisionFacts?.staleFeed, decisions: account.configuration.decisions)
  }
}

extension DecisionInput.Subject {
  fileprivate init(_ period: ChainPeriod, at now: Instant) {
    self.init()
    isRevoked = period.isRevoked(at: now)
    isAutoRenewable = period.purchase.isAutoRenewable
    ownership = period.purchase.inAppOwnershipType
    isAdvancedCommerce = period.purchase.advancedCommerceInfo != nil
    sampleContentProvided = period.terms?.sampleContentProvided ?? false
  }
}

extension ChainPeriod {
  /// The part of the billing period that is over, 0…1; nil when its bounds aren't known.
  fileprivate func elapsed(at now: Instant) -> Fraction? {
    guard let start, let periodEnd, start < periodEnd else { return nil }
    let length = Int128(periodEnd.microseconds) - Int128(start.microseconds)
    let over = Int128(now.microseconds) - Int128(start.microseconds)
    return Fraction(BigInteger(min(max(over, 0), length)), over: BigInteger(length))
  }
}
