import Metering

/// What `outlay top` shows, as the server told it at one time.
struct TopSnapshot: Equatable {
  /// The money of one environment in one currency.
  struct Standing: Equatable {
    var environment: String
    var currency: String
    var requested = 0.0
    var refundable = 0.0
    var realisedLoss = 0.0
    var leak = 0.0
  }

  /// A refund case that can still be answered.
  struct OpenCase: Equatable {
    var secondsLeft: Int64
    var cost: String
    /// The proposed answer, or what stands against one.
    var answer: String
    var reason: String
    var product: String
    var transaction: String
    var environment: String
  }

  /// A purchase whose money can still go back.
  struct RiskyPurchase: Equatable {
    var cost: String
    var proceeds: String
    var riskClass: String
    var share: String
    var state: String
    var product: String
    var transaction: String
    var customer: String
    var environment: String
  }

  var time: Instant
  var acceptedEvents = 0.0
  var isReady = true
  /// All open cases, of which ``cases`` are the most urgent.
  var openCases = 0.0
  var standings: [Standing] = []
  var cases: [OpenCase] = []
  var purchases: [RiskyPurchase] = []
}

extension TopSnapshot {
  /// Takes apart what the server answered; `now` is what the time left is reckoned from.
  init(metrics: MetricsPage, cases: JSONNode, atRisk: JSONNode, now: Instant) {
    time = now
    acceptedEvents =
      metrics.samples("outlay_events_total").first { $0.labels["verdict"] == "accepted" }?.value
      ?? 0
    isReady = metrics.samples("outlay_store_ready").first?.value != 0
    openCases = metrics.samples("outlay_refund_requests_open").reduce(0) { $0 + $1.value }
    standings = Self.standings(metrics)
    self.cases = (cases["items"]?.elements ?? []).map { OpenCase($0, now: now) }
    purchases = (atRisk["items"]?.elements ?? []).map { RiskyPurchase($0) }
  }

  private static func standings(_ metrics: MetricsPage) -> [Standing] {
    var found: [String: Standing] = [:]
    func add(_ name: String, _ figure: (MetricsPage.Sample) -> WritableKeyPath<Standing, Double>) {
      for sample in metrics.samples(name) {
        let environment = sample.labels["environment"] ?? ""
        let currency = sample.labels["currency"] ?? ""
        let key = "\(environment) \(currency)"
        found[key, default: Standing(environment: environment, currency: currency)][
          keyPath: figure(sample)] += sample.value
      }
    }
    add("outlay_cost_at_risk") { $0.labels["risk"] == "requested" ? \.requested : \.refundable }
    add("outlay_realised_loss") { _ in \.realisedLoss }
    add("outlay_leak") { _ in \.leak }
    return found.sorted { $0.key < $1.key }.map(\.value)
  }
}

extension TopSnapshot.OpenCase {
  /// From an item of `GET /v1/refund-requests`.
  init(_ item: JSONNode, now: Instant) {
    let consumption = item["consumption"]
    let respondBy = item["respondBy"]?.string.flatMap { Instant(rfc3339: $0) } ?? now
    secondsLeft = max(0, (respondBy.microseconds - now.microseconds) / 1_000_000)
    cost = AmountText.list(consumption?["cost"]?["totals"])
    answer = Self.answer(consumption)
    reason = JSONNode.plain(item["consumptionRequestReason"])
    product = JSONNode.plain(consumption?["productId"])
    transaction = JSONNode.plain(item["transactionId"])
    environment = JSONNode.plain(consumption?["environment"])
  }

  private static func answer(_ consumption: JSONNode?) -> String {
    if let gate = consumption?["gate"]?.string { return gate.string }
    return consumption?["consumptionRequest"]?["refundPreference"]?.string?.string
      ?? "no preference"
  }
}

extension TopSnapshot.RiskyPurchase {
  /// From an item of `GET /v1/at-risk`.
  init(_ item: JSONNode) {
    cost = AmountText.list(item["atRisk"]?["cost"])
    proceeds = AmountText.one(item["atRisk"]?["proceeds"])
    riskClass = JSONNode.plain(item["atRisk"]?["class"])
    share = item["share"]?.integer.map { "\($0 / 1000) %" } ?? "–"
    state = JSONNode.plain(item["state"])
    product = JSONNode.plain(item["productId"])
    transaction = JSONNode.plain(item["transactionId"])
    customer = JSONNode.plain(item["customer"])
    environment = JSONNode.plain(item["environment"])
  }
}
