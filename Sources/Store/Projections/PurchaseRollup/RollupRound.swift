import Metering

/// One slice of the rollup: makes figures anew at one boundary, for as long as it may.
struct RollupRound {
  private let snapshot: BooksSnapshot
  private let configuration: Configuration
  private let now: Instant
  private let isOver: () -> Bool
  private let hasLevels: Bool
  /// What was made anew.
  private(set) var figures: [ReplacedFigures] = []
  /// What has to be made anew because of what changed.
  private(set) var found: Set<Change> = []
  private var done: Set<Change> = []

  /// A slice over what `snapshot` tells.
  init(
    _ snapshot: BooksSnapshot, configuration: Configuration, now: Instant,
    isOver: @escaping () -> Bool
  ) {
    self.snapshot = snapshot
    self.configuration = configuration
    self.now = now
    self.isOver = isOver
    hasLevels = configuration.meters.values.contains { $0.kind == .level }
  }

  /// Works on changes; returns those that it doesn't come to. At least one is done.
  mutating func rollUp(_ changes: [Change]) throws -> ArraySlice<Change> {
    for (index, change) in changes.enumerated() {
      if index > 0 && isOver() { return changes[index...] }
      try rollUp(change)
    }
    return []
  }

  /// Works on figures that change by time; true when there are no more.
  mutating func rollUpDue() throws -> Bool {
    let rows = try snapshot.view.dueRows(at: now, limit: StoreLimits.rollupRows)
    return try rollUp(rows).isEmpty && rows.count < StoreLimits.rollupRows
  }

  /// Goes on with a sweep; nil when it is over.
  mutating func go(on sweep: RollupSweep) throws -> RollupSweep? {
    var sweep = sweep
    if sweep.phase == .purchases {
      let ids = try snapshot.view.transactions(after: sweep.cursor, limit: StoreLimits.rollupRows)
      let left = try rollUp(ids.map { Change(.purchase, $0) })
      if left.isEmpty && ids.count < StoreLimits.rollupRows {
        sweep.phase = .levels
        sweep.cursor = ""
      } else {
        sweep.cursor = ids[ids.count - left.count - 1]
      }
      return sweep
    }
    repeat {
      guard let subject = try snapshot.view.levelSubject(after: sweep.cursor) else { return nil }
      try rollUp(owner(ofLevels: subject))
      sweep.cursor = subject
    } while !isOver()
    return sweep
  }

  private mutating func rollUp(_ change: Change) throws {
    switch change.kind {
    case .purchase, .chainLevels, .customerLevels:
      guard done.insert(change).inserted else { return }
      let old = try snapshot.view.figures(of: change)
      let new = try fresh(change, after: old)
      if old != new { figures.append(ReplacedFigures(row: change, old: old, new: new)) }
    case .record:
      let known = try snapshot.record(change.id)
      let old = try snapshot.view.figures(of: Change(.purchase, change.id))
      found.insert(Change(.purchase, change.id))
      for chain in Set([known?.chain, old?.chain, change.id].compactMap { $0 }) {
        try add(chain: chain)
      }
      if let customer = old?.customer { try add(customer: customer) }
    case .link: try add(chain: change.id)
    case .consent where change.id.isAppConsentKey:
      // Consent only counts where a case can be answered, and those are few.
      found.formUnion(try snapshot.view.openRows())
    case .consent, .customer: try add(customer: change.id)
    case .level:
      if let customer = change.id.seriesCustomer {
        try add(customer: customer)
      } else {
        try add(chain: try snapshot.record(change.id)?.chain ?? change.id)
      }
    }
  }

  private func owner(ofLevels subject: ByteString) throws -> Change {
    if let customer = subject.seriesCustomer { return Change(.customerLevels, customer) }
    return Change(.chainLevels, try snapshot.record(subject)?.chain ?? subject)
  }

  /// Whatever hangs on a chain: its purchases, its levels, and what shares a customer's levels with
  /// one of them, now or as it was counted.
  private mutating func add(chain: ByteString) throws {
    if hasLevels { found.insert(Change(.chainLevels, chain)) }
    let linked = try snapshot.linkedCustomer(ofChain: chain)
    var customers: Set<ByteString> = []
    for record in try snapshot.chain(chain) {
      let row = Change(.purchase, record.transactionId)
      found.insert(row)
      guard hasLevels else { continue }
      if let customer = (linked ?? record.purchase?.accountToken)?.customerKey {
        customers.insert(customer)
      }
      if let customer = try snapshot.view.figures(of: row)?.customer { customers.insert(customer) }
    }
    for customer in customers where try !snapshot.levels(of: customer.customerSeries).isEmpty {
      try add(customer: customer)
    }
  }

  private mutating func add(customer: ByteString) throws {
    if hasLevels { found.insert(Change(.customerLevels, customer)) }
    for id in try snapshot.customer(customer).transactions { found.insert(Change(.purchase, id)) }
  }

  /// Whether a purchase's stored figures are what its books make of it now; nil where time has
  /// changed them since, as it does all the time where levels accrue.
  func isRight(_ id: ByteString) throws -> Bool? {
    let row = Change(.purchase, id)
    let stored = try snapshot.view.figures(of: row)
    if let due = stored?.due, due <= now { return nil }
    let account = try PurchaseAccount(id, from: snapshot, configuration: configuration, now: now)
    return account.hasMovingLevels ? nil : try fresh(row, after: stored) == stored
  }

  private func fresh(_ row: Change, after old: PurchaseFigures?) throws -> PurchaseFigures? {
    switch row.kind {
    case .chainLevels:
      // Until its record came, a transaction was a chain of its own.
      if let record = try snapshot.record(row.id), record.chain != row.id { return nil }
      let chain = try ChainAccount(chain: row.id, from: snapshot, configuration: configuration)
      return PurchaseFigures(levelsOf: chain, at: now)
    case .customerLevels:
      return try CustomerLevels(
        ofCustomer: row.id, from: snapshot, configuration: configuration
      ).map { PurchaseFigures(levelsOf: $0, at: now) }
    default:
      let account = try PurchaseAccount(
        row.id, from: snapshot, configuration: configuration, now: now)
      guard let answer = try ConsumptionAnswer(account) else { return nil }
      let figures = PurchaseFigures(account, answer, after: old)
      return figures.isEmpty ? nil : figures
    }
  }
}
