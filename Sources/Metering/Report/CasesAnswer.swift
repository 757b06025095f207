/// `GET /v1/refund-requests`: a page of cases, each with its consumption answer.
package struct CasesAnswer: Sendable {
  /// A case with the answer about its purchase.
  package struct Item: Sendable {
    package var standing: CaseStanding
    package var consumption: ConsumptionAnswer
  }

  package private(set) var items: [Item] = []
  /// Where the next page begins; nil at the end. A page may be short and still have a next one,
  /// since a filter looks at a bounded number of cases at a time.
  package private(set) var next: CasePlace?
  /// The same for as long as no case came or went, on this page or behind it, and no figure of the
  /// page changed but by time passing: what a waiting client compares.
  package private(set) var mark: ByteString
  private var fingerprint = RecordWriter()

  /// Answers for the cases in a state, or for all, behind a place. Throws when reading fails.
  package init(
    state: RefundCaseState?, after place: CasePlace?, limit: Int, from reading: any StoreQueries,
    configuration: Configuration, now: Instant
  ) throws {
    mark = ""
    var range = CaseRange(hasEnd: state.map(Self.hasEnd), after: place)
    // Open cases are the ones still to be answered, so that old ones are never looked at.
    if state == .open { range.from = now.adding(microseconds: 1) }
    let chunk = max(limit + 1, Self.chunk)
    var seen = 0
    search: while true {
      let listed = try reading.cases(range, limit: chunk)
      for one in listed {
        if items.count == limit || seen == Limits.listedCases {
          next = range.after
          break search
        }
        seen += 1
        range.after = one.place
        let standing = one.record.standing(of: one.refundCase, at: now)
        guard state == nil || standing.state == state else { continue }
        try add(standing, one.record, from: reading, configuration, now)
      }
      if listed.count < chunk { break }
    }
    if next != nil { try noteRest(state, range, from: reading, now) }
    let hash = Self.hashKey.hash128(ByteString(fingerprint.bytes))
    mark = ByteString(Self.hex(hash.high) + Self.hex(hash.low))
  }

  /// Notes which cases stand behind the page, without their figures: a new one is news even when
  /// the page is full of more urgent ones.
  private mutating func noteRest(
    _ state: RefundCaseState?, _ range: CaseRange, from reading: any StoreQueries, _ now: Instant
  ) throws {
    var range = range
    var seen = 0
    while seen < Limits.listedCases {
      let listed = try reading.cases(range, limit: Self.chunk)
      for one in listed {
        seen += 1
        range.after = one.place
        let standing = one.record.standing(of: one.refundCase, at: now)
        guard state == nil || standing.state == state else { continue }
        fingerprint.text(standing.id.text)
      }
      if listed.count < Self.chunk { return }
    }
  }

  private static let chunk = 100
  private static let hashKey = HashKey(high: 0, low: 0)

  private static func hasEnd(_ state: RefundCaseState) -> Bool {
    switch state {
    case .open, .answered, .missed, .lapsed: false
    case .granted, .declined, .reversed: true
    }
  }

  private static func hex(_ word: UInt64) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private mutating func add(
    _ standing: CaseStanding, _ record: PurchaseRecord, from reading: any StoreQueries,
    _ configuration: Configuration, _ now: Instant
  ) throws {
    let account = try PurchaseAccount(
      record.transactionId, from: reading, configuration: configuration, now: now)
    guard let consumption = try ConsumptionAnswer(account) else { return }
    items.append(Item(standing: standing, consumption: consumption))
    note(standing, consumption, of: account)
  }

  /// Notes what the figures are made of, but nothing that moves by itself: levels grow with every
  /// instant, and a client must not be woken by that.
  private mutating func note(
    _ standing: CaseStanding, _ consumption: ConsumptionAnswer, of account: PurchaseAccount
  ) {
    fingerprint.text(standing.id.text)
    fingerprint.text(ByteString(standing.state.rawValue))
    fingerprint.text(ByteString(account.record?.encode() ?? []))
    fingerprint.text(consumption.customer ?? "")
    fingerprint.signed(consumption.consumptionPercentage ?? -1)
    var decided = JSONWriter()
    switch consumption.decision.verdict {
    case .send(let request): request.write(to: &decided)
    case .gated(let gate): decided.string(gate.rawValue)
    }
    fingerprint.text(ByteString(decided.bytes))
    for meter in consumption.usage { fingerprint.text(ByteString(meter.allowed?.decimal ?? "-")) }
    let booked = account.lines.map { BookedAmount($0) }.sorted(by: BookedAmount.precedes)
    for one in booked {
      fingerprint.text(one.meter)
      fingerprint.text(ByteString(one.quantity.decimal))
      fingerprint.text(ByteString(one.amount.decimal))
    }
    for total in CostStatement(booked, configuration: account.configuration).totals {
      fingerprint.text(ByteString("\(total.currency) \(total.amount.decimal)"))
    }
    for series in account.chain.levels {
      for point in series.points {
        fingerprint.signed(point.time.microseconds)
        fingerprint.text(ByteString(String(point.value)))
      }
    }
  }

  /// The soonest instant at which time alone ends the time to answer one of the cases.
  package var nextDeadline: Instant? {
    items.lazy.filter { $0.standing.state == .open }.map(\.standing.respondBy).min()
  }

  /// Writes the items as one array.
  package func write(items writer: inout JSONWriter) {
    writer.beginArray()
    for item in items {
      writer.beginObject()
      item.standing.write(members: &writer, hasFigures: true)
      writer.key("consumption")
      item.consumption.write(to: &writer)
      writer.endObject()
    }
    writer.endArray()
  }
}

extension Limits {
  /// Cases looked at for one page; the next page goes on from there.
  package static let listedCases = 10_000
}
