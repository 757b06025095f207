package import Metering

/// Everything that the page shows, taken at one moment. Sums over all purchases are those of the
/// rollup, lists are short, so that making one never looks at all purchases.
package struct PageSnapshot: Sendable {
  /// The money of one environment in one currency.
  struct Standing: Equatable {
    var environment: String
    var currency: String
    var requested = 0.0
    var requestedProceeds = 0.0
    var refundable = 0.0
    var refundableProceeds = 0.0
    var realisedLoss = 0.0
    var leak = 0.0
  }

  /// What one product has cost and brought in, in one environment and currency.
  struct Product: Equatable {
    var product: String
    var environment: String
    var currency: String
    var cost = 0.0
    var proceeds = 0.0
    var atRisk = 0.0
  }

  /// An open refund case.
  struct OpenCase: Equatable {
    var respondBy: Instant
    var reason: String
    var product: String
    var environment: String
    /// The proposed answer, or what stands against one.
    var answer: String
    var cost: [Money]
    /// nil unless the page shows ids.
    var transaction: String?
  }

  /// A purchase at risk; only where the page shows ids.
  struct RiskyPurchase: Equatable {
    var transaction: String
    var customer: String?
    var product: String
    var environment: String
    var riskClass: String
    var share: Int64?
    var cost: [Money]
  }

  var time: Instant
  /// What tells whether all is well.
  var health: PageHealth
  var standings: [Standing]
  /// The soonest first; of ``openCaseCount`` only the first ones.
  var cases: [OpenCase]
  var openCaseCount: Int
  /// The dearest first.
  var products: [Product]
  var purchases: [RiskyPurchase]
  /// What days have cost, by currency.
  var charts: [CostChart]
  /// What levels have cost until now, which no chart holds.
  var levelCost: [Money]
  var showsIdentifiers: Bool

  /// Most products, cases and purchases that are listed.
  package static let items = 10

  /// Figures of one moment, with the first page of open cases, the costs of the last days by meter
  /// and, where the configuration shows ids, the dearest purchases at risk.
  package init(
    _ metrics: MetricsSnapshot, cases: CasesAnswer, purchases: [ConsumptionAnswer],
    costs: [CostRow], configuration: Configuration, now: Instant
  ) {
    time = now
    showsIdentifiers = configuration.showsIdentifiers
    health = PageHealth(metrics, now: now)
    let values = metrics.rolledUp.values
    standings = Self.standings(values)
    products = Self.products(metrics)
    charts = CostChart.charts(of: costs)
    levelCost = Self.levelCost(metrics.rolledUp.levels)
    openCaseCount = Int(
      values.reduce(0) { $1.key.family == .openCases ? $0 + $1.value : $0 }.rounded())
    openCaseCount = max(openCaseCount, cases.items.count)
    let showsIdentifiers = showsIdentifiers
    self.cases = cases.items.map { OpenCase($0, showsIdentifiers: showsIdentifiers) }
    self.purchases = showsIdentifiers ? purchases.map { RiskyPurchase($0) } : []
  }

  private static func standings(_ values: [RollupKey: Double]) -> [Standing] {
    var found: [String: Standing] = [:]
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      let figure: WritableKeyPath<Standing, Double>
      let isRequested = key.first.string == AtRisk.Class.requested.rawValue
      switch key.family {
      case .costAtRisk: figure = isRequested ? \.requested : \.refundable
      case .proceedsAtRisk: figure = isRequested ? \.requestedProceeds : \.refundableProceeds
      case .realisedLoss: figure = \.realisedLoss
      case .leak: figure = \.leak
      default: continue
      }
      let (environment, currency) = (key.environment.string, key.second.string)
      found[
        "\(environment) \(currency)",
        default: Standing(environment: environment, currency: currency)][keyPath: figure] += value
    }
    return found.sorted { $0.key < $1.key }.map(\.value)
  }

  private static func products(_ metrics: MetricsSnapshot) -> [Product] {
    var found: [[String]: Product] = [:]
    func add(
      _ labels: [ByteString], _ figure: WritableKeyPath<Product, Double>, _ value: Double
    ) {
      let key = labels.map(\.string)
      found[key, default: Product(product: key[0], environment: key[1], currency: key[2])][
        keyPath: figure] += value
    }
    for (key, amount) in metrics.cost.sorted(by: { $0.key < $1.key }) {
      add([key.product, key.environment, key.currency], \.cost, amount.nearestDouble)
    }
    for (key, value) in metrics.rolledUp.values.sorted(by: { $0.key < $1.key }) {
      let labels = [key.product, key.environment, key.second]
      if key.family == .proceeds { add(labels, \.proceeds, value) }
      if key.family == .costAtRisk { add(labels, \.atRisk, value) }
    }
    let sorted = found.sorted { left, right in
      left.value.cost != right.value.cost
        ? left.value.cost > right.value.cost
        : left.key.lexicographicallyPrecedes(right.key)
    }
    return sorted.prefix(items).map(\.value)
  }

  private static func levelCost(_ levels: [RollupKey: Fraction]) -> [Money] {
    var sums: [ByteString: Fraction] = [:]
    for (key, amount) in levels where key.family == .levelCost {
      sums[key.second] = (sums[key.second] ?? .zero) + amount
    }
    return sums.sorted { $0.key < $1.key }.map { Money(currency: $0.key, amount: $0.value) }
  }
}

extension PageSnapshot.OpenCase {
  fileprivate init(_ item: CasesAnswer.Item, showsIdentifiers: Bool) {
    respondBy = item.standing.respondBy
    reason = item.standing.refundCase.reason?.string ?? "–"
    product = item.consumption.purchase?.productId?.string ?? "–"
    environment = item.consumption.purchase?.environment?.string ?? "unknown"
    cost = item.consumption.cost.totals
    transaction = showsIdentifiers ? item.standing.id.transaction.string : nil
    switch item.consumption.decision.verdict {
    case .gated(let gate): answer = gate.rawValue
    case .send(let request): answer = request.refundPreference?.rawValue ?? "no preference"
    }
  }
}

extension PageSnapshot.RiskyPurchase {
  fileprivate init(_ answer: ConsumptionAnswer) {
    transaction = answer.transactionId.string
    customer = answer.customer?.string
    product = answer.purchase?.productId?.string ?? "–"
    environment = answer.purchase?.environment?.string ?? "unknown"
    riskClass = answer.atRisk?.riskClass.rawValue ?? "–"
    share = answer.share
    cost = answer.atRisk?.cost ?? []
  }
}
