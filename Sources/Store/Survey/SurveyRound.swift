import Metering

/// One slice of the survey: makes figures anew at one boundary, for as long as it may.
struct SurveyRound {
  private let layers: Layers
  private let configuration: Configuration
  private let now: Instant
  private let isOver: () -> Bool
  private let hasLevels: Bool
  /// What was made anew.
  private(set) var figures: [SurveyedFigures] = []
  /// What has to be made anew because of what changed.
  private(set) var found: Set<Touch> = []
  private var done: Set<Touch> = []

  /// A slice over what `layers` tell.
  init(
    _ layers: Layers, configuration: Configuration, now: Instant, isOver: @escaping () -> Bool
  ) {
    self.layers = layers
    self.configuration = configuration
    self.now = now
    self.isOver = isOver
    hasLevels = configuration.meters.values.contains { $0.kind == .level }
  }

  /// Works on changes; returns those that it doesn't come to. At least one is done.
  mutating func survey(_ touches: [Touch]) throws -> ArraySlice<Touch> {
    for (index, touch) in touches.enumerated() {
      if index > 0 && isOver() { return touches[index...] }
      try survey(touch)
    }
    return []
  }

  /// Works on figures that change by time; true when there are no more.
  mutating func surveyDue() throws -> Bool {
    let rows = try layers.view.dueRows(at: now, limit: StoreLimits.surveyRows)
    return try survey(rows).isEmpty && rows.count < StoreLimits.surveyRows
  }

  /// Goes on with a sweep; nil when it is over.
  mutating func go(on sweep: SurveySweep) throws -> SurveySweep? {
    var sweep = sweep
    if sweep.phase == .purchases {
      let ids = try layers.view.transactions(after: sweep.cursor, limit: StoreLimits.surveyRows)
      let left = try survey(ids.map { Touch(.purchase, $0) })
      if left.isEmpty && ids.count < StoreLimits.surveyRows {
        sweep.phase = .levels
        sweep.cursor = ""
      } else {
        sweep.cursor = ids[ids.count - left.count - 1]
      }
      return sweep
    }
    repeat {
      guard let subject = try layers.view.levelSubject(after: sweep.cursor) else { return nil }
      try survey(owner(ofLevels: subject))
      sweep.cursor = subject
    } while !isOver()
    return sweep
  }

  private mutating func survey(_ touch: Touch) throws {
    switch touch.kind {
    case .purchase, .chainLevels, .customerLevels:
      guard done.insert(touch).inserted else { return }
      let old = try layers.view.figures(of: touch)
      let new = try fresh(touch, after: old)
      if old != new { figures.append(SurveyedFigures(row: touch, old: old, new: new)) }
    case .record:
      let known = try layers.record(touch.id)
      let old = try layers.view.figures(of: Touch(.purchase, touch.id))
      found.insert(Touch(.purchase, touch.id))
      for chain in Set([known?.chain, old?.chain, touch.id].compactMap { $0 }) {
        try add(chain: chain)
      }
      if let customer = old?.customer { try add(customer: customer) }
    case .link: try add(chain: touch.id)
    case .consent where touch.id.isAppConsentKey:
      // Consent only counts where a case can be answered, and those are few.
      found.formUnion(try layers.view.openRows())
    case .consent, .customer: try add(customer: touch.id)
    case .level:
      if let customer = touch.id.seriesCustomer {
        try add(customer: customer)
      } else {
        try add(chain: try layers.record(touch.id)?.chain ?? touch.id)
      }
    }
  }

  private func owner(ofLevels subject: ByteString) throws -> Touch {
    if let customer = subject.seriesCustomer { return Touch(.customerLevels, customer) }
    return Touch(.chainLevels, try layers.record(subject)?.chain ?? subject)
  }

  /// Whatever hangs on a chain: its purchases, its levels, and what shares a customer's levels with
  /// one of them, now or as it was counted.
  private mutating func add(chain: ByteString) throws {
    if hasLevels { found.insert(Touch(.chainLevels, chain)) }
    let linked = try layers.linkedCustomer(ofChain: chain)
    var customers: Set<ByteString> = []
    for record in try layers.chain(chain) {
      let row = Touch(.purchase, record.transactionId)
      found.insert(row)
      guard hasLevels else { continue }
      if let customer = (linked ?? record.purchase?.accountToken)?.customerKey {
        customers.insert(customer)
      }
      if let customer = try layers.view.figures(of: row)?.customer { customers.insert(customer) }
    }
    for customer in customers where try !layers.levels(of: customer.customerSeries).isEmpty {
      try add(customer: customer)
    }
  }

  private mutating func add(customer: ByteString) throws {
    if hasLevels { found.insert(Touch(.customerLevels, customer)) }
    for id in try layers.customer(customer).transactions { found.insert(Touch(.purchase, id)) }
  }

  private func fresh(_ row: Touch, after old: PurchaseFigures?) throws -> PurchaseFigures? {
    switch row.kind {
    case .chainLevels:
      // Until its record came, a transaction was a chain of its own.
      if let record = try layers.record(row.id), record.chain != row.id { return nil }
      let chain = try ChainAccount(chain: row.id, from: layers, configuration: configuration)
      return PurchaseFigures(levelsOf: chain, at: now)
    case .customerLevels:
      return try CustomerLevels(
        ofCustomer: row.id, from: layers, configuration: configuration
      ).map { PurchaseFigures(levelsOf: $0, at: now) }
    default:
      let account = try PurchaseAccount(
        row.id, from: layers, configuration: configuration, now: now)
      guard let answer = try ConsumptionAnswer(account) else { return nil }
      let figures = PurchaseFigures(account, answer, after: old)
      return figures.isEmpty ? nil : figures
    }
  }
}
