import Metering

/// A decider with one record, for commands about cases.
final class CaseDesk {
  private let decider: Decider
  private let knowledge = DeskKnowledge()

  init(_ record: PurchaseRecord?, configuration text: String = "{ meters: {} }") throws {
    decider = Decider(
      configuration: try Sample.load(text).get(), hashKey: HashKey(high: 1, low: 2),
      totals: Totals())
    if let record { knowledge.known[record.transactionId] = record }
  }

  /// What is known of the transaction `t`.
  var record: PurchaseRecord? { try? knowledge.record("t") }

  /// Decides, and applies what was decided as the store would.
  func decide(_ command: Command, at now: Instant) throws -> CommandOutcome? {
    var cursor = BatchCursor()
    let result = try decider.decide(
      IngestBatch(), steps: [.command(command)], from: &cursor,
      at: CommitTime(now: now, elapsed: 0), knowing: knowledge)
    var applier = Applier(table: knowledge.table, hashKey: HashKey(high: 1, low: 2))
    var totals = Totals()
    for frame in decider.frames {
      applier.apply(
        DurableFrame(
          body: frame.bytes, address: 0, sequence: knowledge.table.lastSequence + 1,
          chain: Hash128(high: 0, low: 0), receivedAt: now.microseconds, floor: .min, accepted: 0,
          duplicates: 0, conflicts: 0, rejected: 0), totals: &totals)
    }
    decider.confirm()
    return result.outcomes.first
  }
}

/// Records in a memtable, and nothing else.
private final class DeskKnowledge: Knowledge, StoreQueries {
  let table = Memtable(after: 0, capacity: 16)
  /// What was known before.
  var known: [ByteString: PurchaseRecord] = [:]

  func record(_ id: ByteString) throws -> PurchaseRecord? {
    table.records[id].flatMap { PurchaseRecord(encoded: $0) } ?? known[id]
  }

  func chain(_ original: ByteString) throws -> [PurchaseRecord] {
    try record(original).map { [$0] } ?? []
  }

  func ask<Answer>(_ question: (any StoreQueries) throws -> Answer) throws -> Answer {
    try question(self)
  }

  func lookAhead(_ events: UnsafeBufferPointer<DecodedEvent>, _ ahead: inout LookAhead) {}

  func entry(of key: Hash128) throws -> KeyEntry? { nil }
  func linkedCustomer(ofChain original: ByteString) throws -> ByteString? { nil }
  func transactions(ofCustomer key: ByteString) throws -> [ByteString] { [] }
  func hasSeen(notification id: ByteString) throws -> Bool {
    table.notifications[id] != nil
  }
  func trail(of id: ByteString) throws -> [Location] { [] }
  func hasTrail(_ id: ByteString) throws -> Bool { false }
  func fact(at location: Location) throws -> FrameWalk.Fact { preconditionFailure("no events") }
  func readings(bookedTo id: ByteString) throws -> [TrailReading] { [] }
  func hasWaiting() throws -> Bool { false }
  func hasWaiting(_ subject: WaitingSubject) throws -> Bool { false }
  func waiting(_ subject: WaitingSubject) throws -> [Location] { [] }
  func quarantined(after location: UInt64?, limit: Int) throws -> [KeptEvent] { [] }
  func usage(of id: ByteString) throws -> [UsageLine] { [] }
  func followUps() throws -> [(work: FollowUp, state: FollowUpState)] { [] }
  func levels(of id: ByteString) throws -> [LevelSeries] { [] }
  func customer(_ customer: ByteString) throws -> CustomerRecord {
    CustomerRecord(transactions: [], consent: [], unattributed: [:])
  }
  func records(
    customer: ByteString?, after cursor: ByteString?, limit: Int
  ) throws -> [PurchaseRecord] { [] }
  func quarterHours(from: Instant, to: Instant) throws -> [QuarterHourLine] { [] }
  func levelSubjects() throws -> [ByteString] { [] }
  func consent(of customer: ByteString) throws -> [ConsentRecord] { [] }
  func marks() throws -> [FeedMark] { [] }
  func cases(_ range: CaseRange, limit: Int) throws -> [ListedCase] { [] }
  func atRisk(after place: RiskPlace?, limit: Int) throws -> [RiskPlace] { [] }
}
