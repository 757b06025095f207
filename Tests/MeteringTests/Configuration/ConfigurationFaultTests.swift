import Metering
import Testing

/// A file and where its only fault is expected.
struct FaultRow: Sendable, CustomTestStringConvertible {
  var path: String
  var text: String

  /// Members beside the contract's meters.
  init(_ path: String, _ members: String) {
    self.path = path
    self.text = Sample.withMeters(members)
  }

  init(_ path: String, whole text: String) {
    self.path = path
    self.text = text
  }

  var testDescription: String { "\(path) in \(text.suffix(60))" }
}

@Suite struct ConfigurationFaultTests {
  @Test(
    arguments: serviceRows + meterRows + priceRows + productRows + moneyRows + decisionRows
      + storeRows)
  func namesTheOneFault(row: FaultRow) throws {
    guard case .failure(let faults) = Sample.load(row.text) else {
      Issue.record("loads without a fault")
      return
    }
    #expect(faults.faults.map(\.path) == [row.path], "\(faults)")
    #expect(faults.faults.allSatisfy { $0.line > 0 && $0.column > 0 && !$0.message.isEmpty })
  }

  @Test func tellsEveryFaultAtOnceInTheOrderOfTheFile() throws {
    let text = """
      {
        meters: { credits: { unit: "{credit}" }, broken: { kind: "gauge", unit: "s" } },
        prices: [
          { meter: "credits", price: "-1", per: "1", currency: "usd" },
          { meter: "broken", price: "1", per: "1 h", currency: "USD" },
          { meter: "missing", price: "1", per: "1", currency: "USD" },
        ],
        sockets: {},
      }
      """
    guard case .failure(let faults) = Sample.load(text) else {
      Issue.record("loads without a fault")
      return
    }
    #expect(
      faults.faults.map { "\($0.line):\($0.column): \($0.path)" } == [
        "2:60: meters.broken.kind", "4:32: prices[0].price", "4:58: prices[0].currency",
        "6:14: prices[2].meter", "8:3: sockets",
      ])
  }

  @Test(arguments: [
    ("{ meters: {} ", 1, 14), ("{\n  meters: {},\n  meters: {},\n}", 3, 3), ("", 1, 1),
    ("{ meters: { a: { unit: 'x' } },\n timeZone: UTC }", 2, 12),
  ])
  func aSyntaxFaultHasLineAndColumn(text: String, line: Int, column: Int) {
    guard case .failure(let faults) = Sample.load(text) else {
      Issue.record("loads without a fault")
      return
    }
    #expect(faults.faults.map(\.path) == [""])
    #expect(faults.faults.map { [$0.line, $0.column] } == [[line, column]])
  }

  @Test func overridesAreCheckedToo() {
    var defaults = Sample.defaults
    defaults.metricsOverride = "localhost:9469"
    defaults.socketOverride = String(repeating: "s", count: 108)
    defaults.storeOverride = ""
    guard case .failure(let faults) = Sample.load("{ meters: {} }", defaults: defaults) else {
      Issue.record("loads without a fault")
      return
    }
    let names = ["OUTLAY_METRICS_LISTEN", "OUTLAY_SOCKET", "OUTLAY_STORE"]
    #expect(faults.faults.map(\.path) == names)
  }
}

extension ConfigurationFaultTests {
  static let serviceRows = [
    FaultRow("", whole: "[]"),
    FaultRow("meters", whole: "{ }"),
    FaultRow("sockets", "sockets: {}"),
    FaultRow("socket", "socket: '/run/outlay.sock'"),
    FaultRow("socket.paths", "socket: { paths: '/run/outlay.sock' }"),
    FaultRow("socket.path", "socket: { path: '' }"),
    FaultRow("socket.path", "socket: { path: '\(String(repeating: "p", count: 108))' }"),
    FaultRow("socket.mode", "socket: { mode: '0980' }"),
    FaultRow("socket.mode", "socket: { mode: 660 }"),
    FaultRow("socket.mode", "socket: { mode: '1777' }"),
    FaultRow("socket.group", "socket: { group: 20 }"),
    FaultRow("metrics.listen", "metrics: { listen: '9469' }"),
    FaultRow("metrics.listen", "metrics: { listen: '127.0.0.1:65536' }"),
    FaultRow("metrics.listen", "metrics: { listen: '127.0.0:80' }"),
    FaultRow("metrics.listen", "metrics: { listen: '::1:80' }"),
    FaultRow("store.directory", "store: { directory: 7 }"),
    FaultRow("store.dedupeDays", "store: { dedupeDays: 0 }"),
    FaultRow("store.dedupeDays", "store: { dedupeDays: 1.5 }"),
    FaultRow("store.retentionDays", "store: { dedupeDays: 35, retentionDays: 34 }"),
    FaultRow("store.dedupeDays", "store: { dedupeDays: 96 }"),
    FaultRow("environments", "environments: []"),
    FaultRow("environments[1]", "environments: ['Sandbox', 'Xcode']"),
    FaultRow("environments[1]", "environments: ['Sandbox', 'Sandbox']"),
    FaultRow("timeZone", "timeZone: 'Europe/Nowhere'"),
    FaultRow("refundWindowDays", "refundWindowDays: -1"),
    FaultRow("reportingCurrency", "reportingCurrency: 'usd'"),
    FaultRow("page.showIds", "page: { showIds: 'yes' }"),
    FaultRow("access.write", "access: { write: [] }"),
    FaultRow("access.emit[0]", "access: { emit: [-1] }"),
    FaultRow("cloudEvents[0].readings", "cloudEvents: [{ type: 'prompt' }]"),
  ]

  static let meterRows = [
    FaultRow("meters", whole: "{ meters: [] }"),
    FaultRow("meters.a", whole: "{ meters: { a: '{token}' } }"),
    FaultRow("meters.a.unit", whole: "{ meters: { a: {} } }"),
    FaultRow("meters.a.unit", whole: "{ meters: { a: { unit: '' } } }"),
    FaultRow("meters.a.Unit", whole: "{ meters: { a: { unit: 's', Unit: 's' } } }"),
    FaultRow(#"meters[""]"#, whole: "{ meters: { '': { unit: 's' } } }"),
    FaultRow("meters[\"a\u{1}\"]", whole: #"{ meters: { "a\u0001": { unit: 's' } } }"#),
    FaultRow(
      "meters.\(String(repeating: "m", count: 257))",
      whole: "{ meters: { \(String(repeating: "m", count: 257)): { unit: 's' } } }"),
    FaultRow("meters.a.kind", whole: "{ meters: { a: { unit: 's', kind: 'gauge' } } }"),
    FaultRow(
      "meters.a.attributes[1]", whole: "{ meters: { a: { unit: 's', attributes: ['b', 'b'] } } }"),
    FaultRow(
      "meters.a.attributes",
      whole:
        "{ meters: { a: { unit: 's', attributes: [\((0..<17).map { "'b\($0)'," }.joined())] } } }"
    ),
    FaultRow("meters.a.units.h", whole: "{ meters: { a: { unit: 's', units: { h: '0' } } } }"),
    FaultRow("meters.a.units.h", whole: "{ meters: { a: { unit: 's', units: { h: '-60' } } } }"),
    FaultRow("meters.a.units.h", whole: "{ meters: { a: { unit: 's', units: { h: '1/60' } } } }"),
    FaultRow("meters.a.units.h", whole: "{ meters: { a: { unit: 's', units: { h: '1e18' } } } }"),
    FaultRow("meters.a.units.s", whole: "{ meters: { a: { unit: 's', units: { s: '1' } } } }"),
  ]

  private static func price(_ path: String, _ entry: String) -> FaultRow {
    FaultRow(path, "prices: [{ \(entry) }]")
  }

  private static func prices(_ path: String, _ entries: [String]) -> FaultRow {
    let rest = "price: '1', per: '1', currency: 'USD'"
    let list = entries.map { "{ meter: 'llm_tokens', \($0), \(rest) }" }
    return FaultRow(path, "prices: [\(list.joined(separator: ", "))]")
  }

  static let priceRows = [
    FaultRow("prices", "prices: {}"),
    price("prices[0].meter", "price: '1', per: '1', currency: 'USD'"),
    price("prices[0].meter", "meter: 'tokens', price: '1', per: '1', currency: 'USD'"),
    price("prices[0].price", "meter: 'credits', per: '1', currency: 'USD'"),
    price("prices[0].price", "meter: 'credits', price: '-1', per: '1', currency: 'USD'"),
    price("prices[0].price", "meter: 'credits', price: '1,5', per: '1', currency: 'USD'"),
    price("prices[0].price", "meter: 'credits', price: null, per: '1', currency: 'USD'"),
    price("prices[0].per", "meter: 'credits', price: '1', currency: 'USD'"),
    price("prices[0].per", "meter: 'credits', price: '1', per: '0', currency: 'USD'"),
    price("prices[0].per", "meter: 'credits', price: '1', per: '1 h', currency: 'USD'"),
    price("prices[0].per", "meter: 'gpu_time', price: '1', per: '1 d', currency: 'USD'"),
    price("prices[0].per", "meter: 'storage', price: '1', per: '1', currency: 'USD'"),
    price("prices[0].per", "meter: 'storage', price: '1', per: '1 GB', currency: 'USD'"),
    price("prices[0].per", "meter: 'storage', price: '1', per: '1 XB.mo', currency: 'USD'"),
    price("prices[0].per", "meter: 'storage', price: '1', per: '1 GB.y', currency: 'USD'"),
    price("prices[0].currency", "meter: 'credits', price: '1', per: '1'"),
    price("prices[0].currency", "meter: 'credits', price: '1', per: '1', currency: 'Dollar'"),
    price(
      "prices[0].from", "meter: 'credits', price: '1', per: '1', currency: 'USD', from: '2026'"),
    price(
      "prices[0].where.color",
      "meter: 'credits', where: { color: 'red' }, price: '1', per: '1', currency: 'USD'"),
    prices("prices[0].where.model", ["where: { model: ['a'] }"]),
    prices("prices[1]", ["where: {}", "where: {}"]),
    prices(
      "prices[1].from",
      ["from: '2026-01-01T00:00:00Z'", "from: '2026-01-01T01:00:00+01:00'"]),
    prices("prices[1].where", ["where: { model: 'a' }", "where: { direction: 'input' }"]),
    prices(
      "prices[1].where",
      [
        "where: { model: 'a' }, from: '2027-01-01T00:00:00Z'",
        "where: { direction: 'input' }, from: '2026-01-01T00:00:00Z'",
      ]),
  ]

  static let productRows = [
    FaultRow("products.p", "products: { p: [] }"),
    FaultRow("products.p", "products: { p: 5000 }"),
    FaultRow(#"products["com.p"].allowances"#, "products: { 'com.p': { allowances: {} } }"),
    FaultRow("products.p.allowance.tokens", "products: { p: { allowance: { tokens: '1' } } }"),
    FaultRow("products.p.allowance.credits", "products: { p: { allowance: { credits: '-1' } } }"),
    FaultRow("products.p.allowance.credits", "products: { p: { allowance: { credits: 'x' } } }"),
    FaultRow("products.p.allowance.storage", "products: { p: { allowance: { storage: '1 GB' } } }"),
    FaultRow("products.p.every", "products: { p: { every: '1M' } }"),
    FaultRow("products.p.every", "products: { p: { every: 'P0D' } }"),
    FaultRow("products.p.duration", "products: { p: { duration: 30 } }"),
    FaultRow("products.p.priority", "products: { p: { priority: '1' } }"),
    FaultRow("products.p.deliveredOnPurchase", "products: { p: { deliveredOnPurchase: 1 } }"),
    FaultRow("products.p[1]", "products: { p: [{}, {}] }"),
    FaultRow("products.p[0].from", "products: { p: [{ from: 1767225600000 }] }"),
  ]

  static let moneyRows = [
    FaultRow("commission", "commission: '0.30'"),
    FaultRow("commission[0].rate", "commission: [{}]"),
    FaultRow("commission[0].rate", "commission: [{ rate: '1.01' }]"),
    FaultRow("commission[0].rate", "commission: [{ rate: '30%' }]"),
    FaultRow("commission[0].types[0]", "commission: [{ rate: '0', types: ['Subscription'] }]"),
    FaultRow("commission[0].types", "commission: [{ rate: '0', types: [] }]"),
    FaultRow("commission[0].afterPaidDays", "commission: [{ rate: '0', afterPaidDays: '1' }]"),
    FaultRow("tax.NL", "tax: { NL: '0.21' }"),
    FaultRow("tax.NLD", "tax: { NLD: '21' }"),
    FaultRow("exchangeRates[0].to", "exchangeRates: [{ from: 'USD', to: 'USD', rate: '1' }]"),
    FaultRow("exchangeRates[0].to", "exchangeRates: [{ from: 'USD', rate: '1' }]"),
    FaultRow("exchangeRates[0].rate", "exchangeRates: [{ from: 'EUR', to: 'USD', rate: '0' }]"),
    FaultRow(
      "exchangeRates[0].since",
      "exchangeRates: [{ from: 'EUR', to: 'USD', rate: '1', since: 'today' }]"),
    FaultRow(
      "exchangeRates[1]",
      "exchangeRates: [{ from: 'EUR', to: 'USD', rate: 1 }, { from: 'EUR', to: 'USD', rate: 2 }]"),
  ]

  private static let store = "bundleIds: ['b'], appAppleId: 1, rootCertificates: ['r']"
  private static let key = "keyId: 'k', issuerId: 'i', privateKeyFile: 'k.p8'"

  static let storeRows = [
    FaultRow("responder.mode", "responder: { mode: 'on' }"),
    FaultRow("responder.listen", "responder: { listen: 'all' }"),
    FaultRow("responder.metricsListen", "responder: { metricsListen: 9470 }"),
    FaultRow("responder.path", "responder: { path: 'notifications' }"),
    FaultRow("responder.path", "responder: { path: '/a b' }"),
    FaultRow("responder.keyId", "responder: { keyId: '' }"),
    FaultRow("responder.secret", "responder: { secret: 'x' }"),
    FaultRow("responder.hosts.production", "responder: { hosts: { production: 'http://a' } }"),
    FaultRow("responder.hosts.sandbox", "responder: { hosts: { sandbox: 'https://a/path' } }"),
    FaultRow("responder.hosts.xcode", "responder: { hosts: { xcode: 'https://a' } }"),
    FaultRow(
      "responder.privateKeyFile",
      "appStore: { \(store) }, responder: { mode: 'send', keyId: 'k', issuerId: 'i' }"),
    FaultRow("appStore", "responder: { mode: 'send', \(key) }"),
    FaultRow("appStore.bundleIds", "appStore: { bundleIds: 'com.example', \(rest(0)) }"),
    FaultRow("appStore.bundleIds", "appStore: { bundleIds: [], \(rest(0)) }"),
    FaultRow("appStore.bundleIds", "appStore: { \(rest(0)) }"),
    FaultRow("appStore.bundleIds[1]", "appStore: { bundleIds: ['b', 'b'], \(rest(0)) }"),
    FaultRow("appStore.appAppleId", "appStore: { appAppleId: '12', \(rest(1)) }"),
    FaultRow("appStore.appAppleId", "appStore: { \(rest(1)) }"),
    FaultRow("appStore.rootCertificates", "appStore: { bundleIds: ['b'], appAppleId: 1 }"),
  ]

  /// The other members that `appStore` needs.
  private static func rest(_ index: Int) -> String {
    ["appAppleId: 1, rootCertificates: ['r']", "bundleIds: ['b'], rootCertificates: ['r']"][index]
  }

  static let decisionRows = [
    FaultRow("decisions.declineAt", "decisions: { declineAt: 100001 }"),
    FaultRow("decisions.declineAt", "decisions: { declineAt: 0 }"),
    FaultRow("decisions.grantAtOrBelow", "decisions: { grantAtOrBelow: 70000 }"),
    FaultRow("decisions.staleAfterMinutes", "decisions: { staleAfterMinutes: 0 }"),
    FaultRow("decisions.byReason.BORED", "decisions: { byReason: { BORED: {} } }"),
    FaultRow(
      "decisions.byReason.LEGAL.declineAt",
      "decisions: { byReason: { LEGAL: { declineAt: -1 } } }"),
    FaultRow(
      "decisions.byReason.OTHER.grantAtOrBelow",
      "decisions: { byReason: { OTHER: { grantAtOrBelow: 80000 } } }"),
  ]
}
