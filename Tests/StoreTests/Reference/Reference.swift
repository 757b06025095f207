/// The contract's meaning of events and purchases, as slowly and plainly as can be.
///
/// It keeps every accepted event in a list and answers each question by walking through it.
struct Reference {
  struct Accepted {
    var event: ReferenceEvent
    var time: Int64
    /// The purchase that has a chain's event; nil while it waits.
    var place: String?
    /// What purchases took of a customer's event; nil while it waits.
    var parts: [Part]?
    var voided = false
  }

  /// The part of a customer's reading that one purchase took.
  struct Part {
    var reading: Int
    var booked: String
    var quantity: Exact
    var amount: Exact
  }

  var configuration: ReferenceConfiguration
  var accepted: [Accepted] = []
  private(set) var counts: [ReferenceVerdict: Int] = [:]
  /// What all payloads of a transaction say together.
  var purchases: [String: ReferencePurchase] = [:]
  /// The newest payload of either kind.
  var signed: [String: ReferencePurchase] = [:]
  var unsigned: [String: ReferencePurchase] = [:]
  /// Ends of grace in microseconds, each with its signature in milliseconds.
  var graces: [String: [(signed: Int64, grace: Int64)]] = [:]
  /// When Apple first said that no grace is left.
  var graceOver: [String: Int64] = [:]
  /// The earliest end that Apple signed of a period, in milliseconds.
  var boughtEnds: [String: Int64] = [:]
  var cases: [String: [ReferenceCase]] = [:]
  /// The newest refund or refusal of a transaction's money, and the newest reversal.
  var decisions: [String: (outcome: ReferenceCase.Outcome, signed: Int64)] = [:]
  var reversals: [String: Int64] = [:]
  /// Ids of notifications that were taken in.
  var seen: Set<String> = []
  var consents: [String: [(consented: Bool, at: Int64)]] = [:]
  /// Withdrawals of consent for an app on one account.
  var rescinded: [String: [Int64]] = [:]
  /// How far the sources that say so have sent everything.
  var marks: [String: Int64] = [:]
  /// Balances at adoption.
  var openings: [String: (until: Int64, readings: [ReferenceReading])] = [:]
  /// The end of every balance that ever was.
  var balanceEnds: Set<Int64> = []
  private(set) var deliveries: [String: String] = [:]
  private(set) var allowances: [String: [String: String]] = [:]
  /// Customers by chain.
  var links: [String: String] = [:]
  /// Nothing older is taken, whatever the clock says.
  var floor: Int64 = .min
  /// Meters that are out of the configuration for now.
  var absentMeters: Set<String> = []
  /// Every link that was made, in order.
  private var told: [(id: String, customer: String)] = []

  init(_ configuration: ReferenceConfiguration) { self.configuration = configuration }

  /// Decides one event that arrives at `now`, and remembers it if it is accepted. A kept one came
  /// earlier, and is of then if it says nothing else.
  mutating func take(
    _ event: ReferenceEvent, now: Int64, receivedAt: Int64? = nil
  ) -> ReferenceVerdict {
    let verdict = decide(event, now: now, receivedAt: receivedAt ?? now)
    counts[verdict, default: 0] += 1
    return verdict
  }

  private mutating func decide(
    _ event: ReferenceEvent, now: Int64, receivedAt: Int64
  ) -> ReferenceVerdict {
    if case .mark(let through) = event.body {
      marks[event.key.source] = through
      return .accepted
    }
    if let code = faultOfForm(of: event) { return .rejected(code) }
    let oldest = oldest(now: now)
    if case .usage(_, let time, _) = event.body, time ?? receivedAt < oldest {
      return .rejected("too_old")
    }
    if let known = accepted.first(where: { $0.event.key == event.key }) {
      return known.event.content == event.content ? .duplicate : .conflict
    }
    switch event.body {
    case .mark: break
    case .usage(let subject, let time, let readings):
      let time = time ?? receivedAt
      if time > now + 5 * Calendar.minute { return .rejected("time_in_future") }
      if let code = unknown(in: readings) { return .rejected(code) }
      if let until = openingEnd(of: subject, readings, at: time), time < until {
        return .rejected("before_opening")
      }
      accepted.append(Accepted(event: event, time: time, place: booking(of: subject, at: time)))
      if case .customer = subject { attribute(accepted.count - 1) }
    case .void(let key):
      guard let index = accepted.firstIndex(where: { $0.event.key == key }),
        case .usage = accepted[index].event.body
      else { return .rejected("void_unknown") }
      if accepted[index].voided { return .duplicate }
      if accepted[index].time < oldest { return .rejected("void_unknown") }
      accepted[index].voided = true
      accepted.append(Accepted(event: event, time: now))
    }
    return .accepted
  }

  /// The oldest time that is taken at an instant.
  func oldest(now: Int64) -> Int64 {
    max(floor, now - Int64(configuration.dedupeDays) * Calendar.day)
  }

  /// The first thing wrong with an event as it is written.
  private func faultOfForm(of event: ReferenceEvent) -> String? {
    if event.key.id.isEmpty || event.key.id.utf8.count > 256 { return "invalid_id" }
    if case .void(let target) = event.body, target.id.isEmpty { return "invalid_id" }
    guard case .usage(_, _, let readings) = event.body else { return nil }
    for reading in readings {
      guard let quantity = Exact(reading.quantity) else { return "invalid_quantity" }
      if quantity.negative { return "negative_quantity" }
      if reading.quotedQuantity, quantity.places ?? 10 > 9 { return "invalid_quantity" }
      if reading.sentQuantity >= .tooLarge { return "invalid_quantity" }
    }
    return nil
  }

  /// The first thing that the configuration doesn't know.
  private func unknown(in readings: [ReferenceReading]) -> String? {
    for reading in readings {
      guard let meter = configuration.meters[reading.meter],
        !absentMeters.contains(reading.meter)
      else { return "unknown_meter" }
      if let unit = reading.unit, unit != meter.unit, meter.units[unit] == nil {
        return "unknown_unit"
      }
    }
    return nil
  }

  /// The purchase that a transaction's or chain's event counts for, by what is known now.
  func booking(of subject: ReferenceEvent.Subject, at time: Int64) -> String? {
    switch subject {
    case .transaction(let id): return id
    case .customer: return nil
    case .chain(let original):
      let inside = chain(original).filter { $0.purchased * 1000 <= time && time < paidUntil($0) }
      return inside.first { time < $0.revokedAt }?.id ?? inside.first?.id
    }
  }

  func chain(_ original: String) -> [ReferencePurchase] {
    purchases.values.filter { $0.original == original }.sorted { $0.purchased < $1.purchased }
  }

  /// When it ends if nothing is revoked: its end, or the chain's next purchase.
  func paidUntil(_ purchase: ReferencePurchase) -> Int64 {
    let next = chain(purchase.original).first { $0.purchased > purchase.purchased }
    return min(lapse(purchase) ?? .max, next.map { $0.purchased * 1000 } ?? .max)
  }

  /// From the purchase to the earliest of its end, the chain's next purchase and its revocation.
  func inForce(_ purchase: ReferencePurchase) -> (start: Int64, end: Int64) {
    (purchase.purchased * 1000, min(paidUntil(purchase), purchase.revokedAt))
  }

  /// The period's end, or a later one of grace.
  func lapse(_ purchase: ReferencePurchase) -> Int64? {
    periodEnd(purchase).map { max($0, purchase.graceEnd ?? $0) }
  }

  /// The billing period's end; nil when only a revocation would end it.
  func periodEnd(_ purchase: ReferencePurchase) -> Int64? {
    if let expires = purchase.expires { return expires * 1000 }
    guard purchase.type == "Non-Renewing Subscription",
      let days = configuration.products[purchase.product]?.durationDays
    else { return nil }
    return purchase.purchased * 1000 + Int64(days) * Calendar.day
  }
}

/// What is told about purchases.
extension Reference {
  enum Registration: Equatable { case created, updated(applied: Bool), mismatch }

  /// A newer payload replaces the older as a whole; an older one changes nothing.
  mutating func put(_ purchase: ReferencePurchase) -> Registration {
    take(purchase, isSigned: false)
  }

  mutating func open(_ id: String, until: Int64, _ readings: [ReferenceReading]) {
    openings[id] = (until, readings)
    balanceEnds.insert(until)
  }

  mutating func consent(_ customer: String, _ consented: Bool, at time: Int64) {
    consents[customer, default: []].append((consented, time))
  }

  mutating func putDelivery(_ id: String, status: String) { deliveries[id] = status }

  mutating func putAllowance(_ id: String, _ amounts: [String: String]) {
    allowances[id] = amounts
  }

  /// Links the whole chain, also before the purchase is known.
  mutating func putCustomer(_ id: String, customer: String) {
    told.append((id, customer))
    links[purchases[id]?.original ?? id] = customer
    attributeWaiting()
  }

  /// Of all links that were made under a chain's id or its transactions', the newest counts.
  mutating func relink(_ original: String) {
    let newest = told.last {
      (purchases[$0.id]?.original ?? $0.id) == original || $0.id == original
    }
    if let newest { links[original] = newest.customer }
  }
}
