import Metering

/// Everything in memory, as a test wrote it.
struct FakeReading: Reading {
  var records: [PurchaseRecord] = []
  var links: [ByteString: ByteString] = [:]
  var lines: [ByteString: [UsageLine]] = [:]
  var series: [ByteString: [LevelSeries]] = [:]
  var customers: [ByteString: CustomerRecord] = [:]

  func record(_ id: ByteString) -> PurchaseRecord? {
    records.first { $0.transactionId == id }
  }
  func chain(_ original: ByteString) -> [PurchaseRecord] {
    records.filter { $0.purchase != nil && $0.chain == original }
  }
  func linkedCustomer(ofChain original: ByteString) -> ByteString? { links[original] }
  func usage(of id: ByteString) -> [UsageLine] { lines[id] ?? [] }
  func levels(of id: ByteString) -> [LevelSeries] { series[id] ?? [] }
  func customer(_ customer: ByteString) -> CustomerRecord {
    customers[customer] ?? CustomerRecord(transactions: [], consent: [], unattributed: [:])
  }
  func records(
    customer: ByteString?, after cursor: ByteString?, limit: Int
  ) -> [PurchaseRecord] { records }
  func tally(from: Instant, to: Instant) -> [TallyLine] { [] }
  func levelSubjects() -> [ByteString] { series.keys.sorted() }
}

extension FakeReading {
  static let eventTime = Samples.instant("2026-11-10T00:00:00Z")

  /// Books whole base units; `cost` is an own cost in 10^-15 of a currency.
  mutating func book(
    _ quantity: Int128, of meter: ByteString, to id: ByteString,
    attributes: [(key: ByteString, value: ByteString)] = [], epoch: Instant = .distantPast,
    cost: (ByteString, Int128)? = nil, at time: Instant = eventTime
  ) {
    lines[id, default: []].append(
      UsageLine(
        meter: meter, attributes: attributes, epoch: epoch, own: cost?.0,
        quantity: quantity * Quantity.scale, amount: cost?.1 ?? 0, count: 1, firstTime: time,
        lastTime: time))
  }

  /// Sets a level's points, given as (RFC 3339, whole base units).
  mutating func level(
    _ meter: ByteString, of id: ByteString,
    attributes: [(key: ByteString, value: ByteString)] = [], _ points: [(String, Int128)]
  ) {
    series[id, default: []].append(
      LevelSeries(
        meter: meter, attributes: attributes,
        points: points.enumerated().map {
          LevelPoint(
            time: Samples.instant($1.0), value: $1.1 * Quantity.scale, commit: UInt64($0))
        }))
  }
}

extension Samples {
  static let now = instant("2026-11-30T02:30:00Z")

  static func meter(
    _ name: ByteString, _ unit: ByteString, _ kind: Meter.Kind = .sum,
    attributes: [ByteString] = []
  ) -> (ByteString, Meter) {
    (name, Meter(name: name, unit: unit, kind: kind, attributes: attributes))
  }

  static func rate(
    _ meter: ByteString, _ price: String, per: String, units: String = "1",
    currency: ByteString = "USD", from: String? = nil,
    where conditions: [Rate.Condition] = []
  ) -> Rate {
    Rate(
      meter: meter, conditions: conditions, price: fraction(price) / fraction(units),
      printedPrice: price, printedPer: per, currency: currency,
      from: from.map { instant($0) } ?? .distantPast)
  }

  /// Credits, tokens and storage; a pack of 5,000 credits.
  static func shop() -> Configuration {
    var configuration = configuration()
    configuration.meters = Dictionary(uniqueKeysWithValues: [
      meter("credits", "{credit}"), meter("storage", "By", .level, attributes: ["object"]),
      meter("llm_tokens", "{token}", attributes: ["direction", "model"]),
    ])
    configuration.rates = [
      rate(
        "llm_tokens", "10.00", per: "1000000", units: "1000000",
        where: [Rate.Condition(attribute: "direction", value: "output")])
    ]
    var pack = ProductTerms()
    pack.allowance = ["credits": fraction("5000")]
    configuration.products = ["pack": [pack]]
    return configuration
  }

  static let pack = [
    "productId": "pack", "type": "Consumable", "purchaseDate": "2026-11-01T10:00:00Z",
    "price": "9990", "currency": "USD", "inAppOwnershipType": "PURCHASED",
    "appAccountToken": "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6",
  ]
}
