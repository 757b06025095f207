import Metering

/// What a broken twin of the product does wrong, so that the simulation must find it.
enum SimulationDefect: CaseIterable {
  /// Syncs claim success and do nothing.
  case acknowledgesBeforeSync
  /// A filter that says "look" is believed to say "known".
  case trustsFilter
  /// What a former process left to do isn't done.
  case losesFollowUps
  /// A void of what was taken back takes it back again.
  case countsVoidsTwice
  /// A claim doesn't outlive the process.
  case keepsClaimsInMemory
  /// A gauge isn't corrected by what is taken back.
  case leavesGauges
  /// The writer has the new configuration, questions the old one.
  case reloadsHalf

  /// Where looking for it begins: some need a rare meeting of events.
  var firstSeed: UInt64 {
    switch self {
    case .losesFollowUps, .keepsClaimsInMemory: 10
    default: 0
    }
  }
}

/// What the writer knows, told wrong to its decisions.
final class BrokenKnowledge: Knowledge {
  private let whole: any Knowledge
  private let defect: SimulationDefect
  /// A filter of sixty-four places: it often says "look" of what is new.
  private var filter: UInt64 = 0

  init(_ whole: any Knowledge, _ defect: SimulationDefect) {
    self.whole = whole
    self.defect = defect
  }

  func entry(of key: Hash128) throws -> KeyEntry? {
    var found = try whole.entry(of: key)
    if defect == .countsVoidsTwice { found?.isVoided = false }
    guard defect == .trustsFilter else { return found }
    let place: UInt64 = 1 << (key.low % 64)
    defer { filter |= place }
    guard found == nil, filter & place != 0 else { return found }
    return KeyEntry(
      key: key, fingerprint: 0, location: Location(raw: 0), isVoided: false, isVoid: true)
  }

  func followUps() throws -> [(work: FollowUp, state: FollowUpState)] {
    defect == .losesFollowUps ? [] : try whole.followUps()
  }

  func lookAhead(_ events: UnsafeBufferPointer<DecodedEvent>, _ ahead: inout LookAhead) {
    whole.lookAhead(events, &ahead)
  }
  func record(_ id: ByteString) throws -> PurchaseRecord? { try whole.record(id) }
  func chain(_ original: ByteString) throws -> [PurchaseRecord] { try whole.chain(original) }
  func linkedCustomer(ofChain original: ByteString) throws -> ByteString? {
    try whole.linkedCustomer(ofChain: original)
  }
  func transactions(ofCustomer key: ByteString) throws -> [ByteString] {
    try whole.transactions(ofCustomer: key)
  }
  func hasSeen(notification id: ByteString) throws -> Bool {
    try whole.hasSeen(notification: id)
  }
  func usage(of id: ByteString) throws -> [UsageLine] { try whole.usage(of: id) }
  func trail(of id: ByteString) throws -> [Location] { try whole.trail(of: id) }
  func hasTrail(_ id: ByteString) throws -> Bool { try whole.hasTrail(id) }
  func fact(at location: Location) throws -> FrameWalk.Fact { try whole.fact(at: location) }
  func hasWaiting() throws -> Bool { try whole.hasWaiting() }
  func hasWaiting(_ subject: WaitingSubject) throws -> Bool { try whole.hasWaiting(subject) }
  func waiting(_ subject: WaitingSubject) throws -> [Location] { try whole.waiting(subject) }
  func quarantined(after location: UInt64?, limit: Int) throws -> [KeptEvent] {
    try whole.quarantined(after: location, limit: limit)
  }
  func ask<Answer>(_ question: (any StoreQueries) throws -> Answer) throws -> Answer {
    try whole.ask(question)
  }
}
