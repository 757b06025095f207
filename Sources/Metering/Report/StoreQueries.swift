/// What the store can be asked, at one boundary between two commits.
///
/// Each call may read the disk; it throws when the disk or the ledger fails.
package protocol StoreQueries {
  /// Everything known about one transaction; nil when nothing is.
  func record(_ id: ByteString) throws -> PurchaseRecord?
  /// The purchases with this `originalTransactionId`, by `purchaseDate`.
  func chain(_ original: ByteString) throws -> [PurchaseRecord]
  /// The customer that the backend linked the chain to; nil without a link.
  func linkedCustomer(ofChain original: ByteString) throws -> ByteString?
  /// The sums booked to one transaction, one line for each meter, attributes, epoch and currency.
  func usage(of id: ByteString) throws -> [UsageLine]
  /// Every single reading ever booked to one transaction or taken away from it, in order of
  /// commit; costs a look into the journal for each event.
  func readings(bookedTo id: ByteString) throws -> [TrailReading]
  /// The level points reported under one transaction id, by series.
  func levels(of id: ByteString) throws -> [LevelSeries]
  /// What is known about a customer: consent records and waiting readings.
  func customer(_ customer: ByteString) throws -> CustomerRecord
  /// A page of known purchases in order of id, after `cursor`, at most `limit`.
  func records(
    customer: ByteString?, after cursor: ByteString?, limit: Int
  ) throws -> [PurchaseRecord]
  /// Booked sums by UTC quarter-hour within [from, to).
  func quarterHours(from: Instant, to: Instant) throws -> [QuarterHourLine]
  /// Every transaction id that has level points.
  func levelSubjects() throws -> [ByteString]
  /// What a customer said of sharing consumption data, newest first.
  func consent(of customer: ByteString) throws -> [ConsentRecord]
  /// How far the sources that say so have sent everything; retired ones are left out.
  func marks() throws -> [FeedMark]
  /// A page of refund cases by ``CasePlace``, at most `limit`.
  func cases(_ range: CaseRange, limit: Int) throws -> [ListedCase]
  /// A page of purchases at risk as last rolled up, the dearest first, behind a place, at most
  /// `limit`.
  func atRisk(after place: RiskPlace?, limit: Int) throws -> [RiskPlace]
}

/// Sums of one quarter-hour, for costs over time.
package struct QuarterHourLine: Sendable, Equatable {
  /// Start of the UTC quarter-hour; events belong to it by their own time.
  package var slot: Instant
  /// The product, empty while the purchase isn't known.
  package var product: ByteString
  /// The environment, `unknown` while the purchase isn't known.
  package var environment: ByteString
  /// The booked sums; `epoch` names the stretch of constant prices.
  package var line: UsageLine

  package init(slot: Instant, product: ByteString, environment: ByteString, line: UsageLine) {
    self.slot = slot
    self.product = product
    self.environment = environment
    self.line = line
  }
}

/// A single reading, or the part of one, as it was booked to a purchase.
package struct TrailReading: Sendable {
  /// The event's time.
  package var time: Instant
  /// The event, and where it stands in the order of commits: a balance comes before all of them.
  package var event: Hash128
  package var place: UInt64
  /// The place of the reading in its event.
  package var number: Int
  /// The sums that the reading is; negative where it was taken away.
  package var line: UsageLine

  package init(time: Instant, event: Hash128, place: UInt64, number: Int, line: UsageLine) {
    self.time = time
    self.event = event
    self.place = place
    self.number = number
    self.line = line
  }
}

/// One answer of a customer about sharing consumption data.
package struct ConsentRecord: Sendable, Equatable {
  package var consented: Bool
  package var at: Instant

  package init(consented: Bool, at: Instant) {
    self.consented = consented
    self.at = at
  }
}

/// What the store knows under a customer's own key.
package struct CustomerRecord: Sendable, Equatable {
  /// Ids of the customer's purchases, by `purchaseDate`.
  package var transactions: [ByteString]
  /// Consent records, newest first.
  package var consent: [ConsentRecord]
  /// Quantities (raw 10^-9 base units) of readings that wait for a purchase, by meter.
  package var unattributed: [ByteString: Int128]

  package init(
    transactions: [ByteString], consent: [ConsentRecord], unattributed: [ByteString: Int128]
  ) {
    self.transactions = transactions
    self.consent = consent
    self.unattributed = unattributed
  }
}
