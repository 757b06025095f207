import Metering

/// A store in memory.
struct FakeQueries: StoreQueries {
  struct Failure: Error {}

  var records: [ByteString: PurchaseRecord] = [:]
  var lines: [ByteString: [UsageLine]] = [:]
  var series: [ByteString: [LevelSeries]] = [:]
  var tallies: [QuarterHourLine] = []
  var consents: [ByteString: [ConsentRecord]] = [:]
  var feeds: [FeedMark] = []
  var ranks: [ByteString: Int64] = [:]
  var fails = false

  func record(_ id: ByteString) throws -> PurchaseRecord? {
    if fails { throw Failure() }
    return records[id]
  }

  func chain(_ original: ByteString) throws -> [PurchaseRecord] {
    records.values.filter { $0.chain == original }.sorted { $0.transactionId < $1.transactionId }
  }

  func linkedCustomer(ofChain original: ByteString) throws -> ByteString? { nil }
  func usage(of id: ByteString) throws -> [UsageLine] { lines[id] ?? [] }
  func readings(bookedTo id: ByteString) throws -> [TrailReading] { [] }
  func levels(of id: ByteString) throws -> [LevelSeries] { series[id] ?? [] }
  func levelSubjects() throws -> [ByteString] { Array(series.keys) }

  func consent(of customer: ByteString) throws -> [ConsentRecord] { consents[customer] ?? [] }

  func marks() throws -> [FeedMark] { feeds }

  func cases(_ range: CaseRange, limit: Int) throws -> [ListedCase] {
    if fails { throw Failure() }
    let all = records.values.flatMap { record in
      record.cases.map { ListedCase(record: record, refundCase: $0) }
    }
    let wanted = all.filter { range.contains($0.place, hasEnd: $0.refundCase.end != nil) }
    return Array(wanted.sorted { $0.place < $1.place }.prefix(limit))
  }

  /// Every record stands somewhere, at risk or not, so that answers have to look.
  func atRisk(after place: RiskPlace?, limit: Int) throws -> [RiskPlace] {
    if fails { throw Failure() }
    let all = ranks.map { RiskPlace(rank: RiskRank(order: $0.value), transactionId: $0.key) }
    let wanted = all.filter { one in place.map { $0 < one } ?? true }
    return Array(wanted.sorted().prefix(limit))
  }

  func customer(_ customer: ByteString) throws -> CustomerRecord {
    CustomerRecord(transactions: [], consent: [], unattributed: [:])
  }

  func records(
    customer: ByteString?, after cursor: ByteString?, limit: Int
  ) throws -> [PurchaseRecord] {
    let after = records.values.filter { record in cursor.map { record.transactionId > $0 } ?? true }
    return Array(after.sorted { $0.transactionId < $1.transactionId }.prefix(limit))
  }

  func quarterHours(from: Instant, to: Instant) throws -> [QuarterHourLine] {
    if fails { throw Failure() }
    return tallies.filter { from <= $0.slot && $0.slot < to }
  }

  /// Registers a purchase from a payload.
  mutating func put(_ id: ByteString, _ payload: String) throws {
    let node = try JSONNode.parse(Array(payload.utf8), dialect: .strict)
    let record = records[id] ?? PurchaseRecord(transactionId: id)
    records[id] = try record.applying(Purchase(payload: node), signed: false).get().record
  }

  /// Books a quantity, in whole units, as the store would: by its quarter-hour.
  mutating func book(
    _ quantity: Int128, at time: String, meter: ByteString = "tokens", model: ByteString = "a",
    product: ByteString = "p", environment: ByteString = "Production",
    own: (currency: ByteString, cents: Int128)? = nil
  ) {
    let time = at(time)
    let slot = Instant(microseconds: time.microseconds / 900_000_000 * 900_000_000)
    let attributes: [(key: ByteString, value: ByteString)] =
      meter == "tokens" ? [(key: ByteString("model"), value: model)] : []
    tallies.append(
      QuarterHourLine(
        slot: slot, product: product, environment: environment,
        line: UsageLine(
          meter: meter, attributes: attributes,
          epoch: .distantPast, own: own?.currency, quantity: quantity * Quantity.scale,
          amount: (own?.cents ?? 0) * 10_000_000_000_000, count: 1, firstTime: time,
          lastTime: time)))
  }
}
