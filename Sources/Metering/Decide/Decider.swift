/// Decides what a batch means: verdicts for the sender and facts for the journal. Changes nothing
/// that outlives the commit until ``confirm()``; ``abandon(totals:)`` takes a plan back.
///
/// Owned by the writer, so that its hot properties do without dynamic checks of exclusive access.
package final class Decider {
  @exclusivity(unchecked) package private(set) var configuration: Configuration
  let hashKey: HashKey
  @exclusivity(unchecked) var builder = EntryBuilder()
  @exclusivity(unchecked) var table: ShapeTable
  @exclusivity(unchecked) var cache: PurchaseCache
  @exclusivity(unchecked) var ahead = LookAhead()
  /// What this commit has planned.
  @exclusivity(unchecked) var pending = PendingCommit()
  var labels: [Label] = [.early]
  var labelNumbers: [Label: Int32] = [.early: 0]
  /// The journal's last entry before this commit.
  package var position: UInt64 = 0
  /// Work that is left, the first to be done first, and how far that has come.
  var followUps: [(work: FollowUp, state: FollowUpState)] = []
  var progress: FollowUpProgress?
  /// Customers' purchases and what those have used, while batches with customers follow each
  /// other.
  var customerViews: [ByteString: CustomerView] = [:]
  var purchaseUses: [ByteString: (candidate: CustomerView.Candidate, use: PurchaseUse)] = [:]
  @exclusivity(unchecked) var isTrackingUse = false
  var amountGuards: [UInt32: Int128]
  @exclusivity(unchecked) var result = CommitResult()
  @exclusivity(unchecked) var time = CommitTime(now: Instant(microseconds: 0), elapsed: 0)
  /// The dedupe floor while this commit is decided, and the newest accepted time.
  @exclusivity(unchecked) package internal(set) var floor: Int64
  @exclusivity(unchecked) var newest: Int64
  @exclusivity(unchecked) var readings: ContiguousArray<PlannedReading> = []
  var quarantineBytes: Int64
  let quarantineLimit: Int64
  /// Oldest kept events, looked up ahead.
  var oldestQuarantined: ArraySlice<KeptEvent> = []
  var oldestPlace: UInt64?
  /// What is kept, by ``DecodedEvent/keptIdentity``.
  var kept: Set<UInt64> = []
  lazy var keptScratch = IngestBatch()
  /// Sources that send marks.
  var markedSources: Set<ByteString> = []
  /// Bytes of facts after which an entry ends.
  let entryBytes: Int
  /// Labels after which they are numbered anew.
  let labelLimit: Int

  /// Starts from the totals as applied; `advice` is told of the cache of purchases.
  package init(
    configuration: Configuration, hashKey: HashKey, totals: Totals,
    quarantineLimit: Int64 = Limits.quarantineBytes, entryBytes: Int = Limits.entryBytes,
    labelLimit: Int = Limits.labels, advice: MemoryAdvice = { _ in }
  ) {
    let faults = Limits.boundFaults
    precondition(faults.isEmpty, "bounds that don't fit each other: \(faults)")
    self.configuration = configuration
    self.hashKey = hashKey
    cache = PurchaseCache(advice)
    table = ShapeTable(configuration: configuration, totals: totals)
    amountGuards = totals.amountGuards
    floor = totals.floor
    newest = totals.lastEvent
    quarantineBytes = totals.quarantineBytes
    self.quarantineLimit = quarantineLimit
    self.entryBytes = entryBytes
    self.labelLimit = labelLimit
  }

  /// Takes over what only the store knows: sources that send marks.
  package func resume(markedSources: Set<ByteString>) { self.markedSources = markedSources }

  /// Puts another configuration in force for what is decided from here on.
  package func reload(_ configuration: Configuration, totals: Totals) {
    self.configuration = configuration
    table = ShapeTable(configuration: configuration, totals: totals)
    forgetCustomers()
  }

  /// Receipt instant of the commit, microseconds.
  var now: Int64 { time.now.microseconds }

  /// Decides a batch from `cursor` on, up to its end, to a change that leaves follow-up work
  /// or to where the entry is full; returns what became of all of it so far. Throws what
  /// `knowledge` throws; then call ``abandon(totals:)``.
  package func decide(
    _ batch: IngestBatch, steps: [BatchStep], from cursor: inout BatchCursor,
    at time: CommitTime, knowing knowledge: any Knowledge
  ) throws -> CommitResult {
    self.time = time
    if cursor == BatchCursor() { begin(batch) }
    track(batch)
    while cursor.step < steps.count && pending.followUps.isEmpty && !isFull {
      switch steps[cursor.step] {
      case .events(let count):
        let first = cursor.event - cursor.ofStep
        cursor.event = try decide(
          events: cursor.event..<first + count, in: batch, knowing: knowledge)
        cursor.ofStep = cursor.event - first
        if cursor.ofStep < count { continue }
        cursor.ofStep = 0
      case .command(let command):
        result.add(try decide(command, knowing: knowledge))
      case .release(let location, let bytes, let isDropped):
        // It may be among those looked up ahead, and would go twice.
        forgetOldest()
        release(location: location, bytes: bytes, isDropped: isDropped)
      }
      cursor.step += 1
    }
    writeRejections()
    advanceFloor()
    return result
  }

  /// Decides events until the entry is full; returns the number behind the last.
  private func decide(
    events: Range<Int>, in batch: IngestBatch, knowing knowledge: any Knowledge
  ) throws -> Int {
    var first = events.lowerBound
    while first < events.upperBound && !isFull {
      let window = first..<min(events.upperBound, first + LookAhead.window)
      batch.events[window].withUnsafeBufferPointer { events in
        for event in events { ahead.note(cache.glance(event.subjectHash)) }
        knowledge.lookAhead(events, &ahead)
      }
      for number in window { try decide(event: number, in: batch, knowing: knowledge) }
      first = window.upperBound
    }
    return first
  }

  /// Whether the entry has enough: the batch goes on in the next.
  var isFull: Bool {
    builder.byteCount >= entryBytes || pending.keys.entries.count >= Limits.entryKeys
  }

  private func begin(_ batch: IngestBatch) {
    result = CommitResult()
    result.reserve(batch.events.count)
  }

  /// What customers' purchases have used is kept up to date only while batches name customers:
  /// other batches shouldn't pay for it.
  private func track(_ batch: IngestBatch) {
    isTrackingUse = batch.events.contains { $0.kind == .usage && $0.subjectKind == .customer }
    if !isTrackingUse && !purchaseUses.isEmpty { forgetCustomers() }
  }

  /// The frames to append, in order.
  package var frames: [FrameBody] { builder.frames }

  /// The plan is durable and applied.
  package func confirm() {
    confirmFollowUp()
    for (id, record) in pending.records { remember(id, record) }
    for (currency, amount) in pending.amounts { amountGuards[currency, default: 0] += amount }
    quarantineBytes += pending.quarantineBytes
    pending.settleMarksAndKept()
    forget()
  }

  /// The plan never happened; `totals` are as applied.
  package func abandon(totals: Totals) {
    forgetCustomers()
    forgetOldest()
    floor = totals.floor
    newest = totals.lastEvent
    for number in table.meters.indices {
      table.meters[number].booked = totals.guards[table.meters[number].meter.name] ?? 0
    }
    takeBackMarksAndKept()
    forget()
  }

  private func forget() {
    builder.removeAll()
    pending.forget()
    if table.isFull { table.removeShapes() }
    if labels.count > labelLimit { forgetLabels() }
  }

  /// Numbers labels anew, since purchases may bring ever more of them; what is known by their
  /// numbers goes with them.
  private func forgetLabels() {
    labels = [.early]
    labelNumbers = [.early: 0]
    cache.removeAll()
    forgetCustomers()
  }

  private func writeRejections() {
    guard !pending.rejections.isEmpty else { return }
    let frame = builder.frame(for: 16 + pending.rejections.count * 11)
    frame.writer.byte(FactTag.rejections.rawValue)
    frame.writer.varint(UInt64(pending.rejections.count))
    for (code, count) in pending.rejections.sorted(by: { $0.key < $1.key }) {
      frame.writer.byte(code)
      frame.writer.varint(count)
    }
  }

  /// Counts a rejection in a frame, since a rejection leaves no other fact.
  func reject(_ code: RejectionCode) -> Verdict {
    builder.frame(for: 1).rejected += 1
    pending.rejections[code.rawValue, default: 0] += 1
    return .rejected(code)
  }

  /// The label's number until ``forgetLabels()``.
  func number(of label: Label) -> Int32 {
    if let number = labelNumbers[label] { return number }
    labels.append(label)
    labelNumbers[label] = Int32(labels.count - 1)
    return Int32(labels.count - 1)
  }

  /// Label and revocation of a transaction, from the cache or by one look-up.
  func purchase(
    _ id: TextSpan, hash: Hash128, in batch: IngestBatch, knowing knowledge: any Knowledge
  ) throws -> CachedPurchase {
    if !pending.records.isEmpty, let record = pending.records[batch.bytes(id)] {
      return cached(record)
    }
    if let found = cache.find(hash) { return found }
    let found = cached(try knowledge.record(batch.bytes(id)))
    cache.put(hash, found)
    return found
  }

  func cached(_ record: PurchaseRecord?) -> CachedPurchase {
    let hasOpening = record?.opening != nil
    guard let purchase = record?.purchase else {
      return CachedPurchase(label: 0, isKnown: false, isRevoked: false, hasOpening: hasOpening)
    }
    return CachedPurchase(
      label: number(of: Label(purchase)), isKnown: true,
      isRevoked: purchase.revocationDate != nil, hasOpening: hasOpening)
  }

  private func remember(_ id: ByteString, _ record: PurchaseRecord) {
    cache.put(hashKey.hash128(id), cached(record))
  }
}

extension Label {
  /// The label of a known purchase.
  package init(_ purchase: Purchase) {
    self.init(
      product: purchase.productId ?? "", environment: purchase.environment ?? "Production")
  }
}

extension Limits {
  /// Events in one batch: what the disk takes in about ten milliseconds.
  package static let batchEvents = 16_384
  /// An event may be this far ahead of the receiver's clock, microseconds: five minutes.
  package static let futureMicroseconds: Int64 = 300_000_000
  /// Kept events, bytes of JSON.
  package static let quarantineBytes: Int64 = 64 << 20
}
