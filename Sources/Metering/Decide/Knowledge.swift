/// What the writer may look up before it appends. Each call may read the disk; an error refuses
/// the whole batch with nothing written.
package protocol Knowledge: AnyObject {
  /// An event key among everything applied.
  func entry(of key: Hash128) throws -> KeyEntry?
  /// Brings nearer what ``entry(of:)`` will be asked for soon.
  func lookAhead(_ events: UnsafeBufferPointer<DecodedEvent>, _ ahead: inout LookAhead)
  /// What is known about a transaction.
  func record(_ id: ByteString) throws -> PurchaseRecord?
  /// The purchases of a chain, by `purchaseDate`.
  func chain(_ original: ByteString) throws -> [PurchaseRecord]
  /// The chain's customer as the backend linked it.
  func linkedCustomer(ofChain original: ByteString) throws -> ByteString?
  /// Transactions whose chain may be the customer's: linked to it, or with its token. The key is
  /// that of ``ByteString/customerKey``.
  func transactions(ofCustomer key: ByteString) throws -> [ByteString]
  /// Whether a notification was taken in before.
  func hasSeen(notification id: ByteString) throws -> Bool
  /// The sums booked to a transaction.
  func usage(of id: ByteString) throws -> [UsageLine]
  /// Locations of the facts that booked readings to a transaction, in order of commit.
  func trail(of id: ByteString) throws -> [Location]
  /// Whether any fact ever booked readings to a transaction; cheaper than its trail.
  func hasTrail(_ id: ByteString) throws -> Bool
  /// A durable fact that books readings.
  func fact(at location: Location) throws -> FrameWalk.Fact
  /// Whether any readings wait for purchases.
  func hasWaiting() throws -> Bool
  /// Whether readings wait for purchases of a chain or customer.
  func hasWaiting(_ subject: WaitingSubject) throws -> Bool
  /// Locations of the events that wait for purchases of a chain or customer, by time and commit.
  func waiting(_ subject: WaitingSubject) throws -> [Location]
  /// Kept events, oldest first, those behind a raw location or all; at most `limit`.
  func quarantined(after location: UInt64?, limit: Int) throws -> [KeptEvent]
  /// Work that a former process left, the first to be done first.
  func followUps() throws -> [(work: FollowUp, state: FollowUpState)]
  /// Answers a question from everything applied, at one boundary.
  func ask<Answer>(_ question: (any StoreQueries) throws -> Answer) throws -> Answer
}

/// The place that a key or a trail leads to holds no such event: the store's files were damaged.
package struct MisplacedFact: Error, CustomStringConvertible {
  var location: Location

  package var description: String {
    "the journal has another event than expected at address \(location.address)"
  }
}
