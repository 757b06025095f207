/// The rest of an answer: money, risk, the refund case and the proposal, each as text that a person
/// can compare.
struct MoneyFigures: Equatable {
  var original: String?
  var type: String?
  var environment = "unknown"
  var proceeds: String?
  var margin: [String: Exact] = [:]
  var riskClass: String?
  var riskCost: [String: Exact] = [:]
  var riskProceeds: String?
  /// Nil where it can't be reckoned.
  var realisedLoss: [String: Exact]? = [:]
  var leak: [String: Exact] = [:]
  var unpaid: [String: Exact] = [:]
  var commitment: String?
  var refundCase: String?
  var gate: String?
  var request: String?

  /// Names of the figures that differ, with both values.
  func differences(from other: MoneyFigures) -> [String] {
    Figures.differences(flat, other.flat)
  }

  private var flat: [String: String] {
    func text(_ sums: [String: Exact]?) -> String {
      sums?.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: " ")
        ?? "null"
    }
    let flat: [String: String?] = [
      "originalTransactionId": original, "type": type, "environment": environment,
      "proceeds": proceeds, "margin": text(margin), "atRisk.class": riskClass,
      "atRisk.cost": text(riskCost), "atRisk.proceeds": riskProceeds,
      "realisedLoss": text(realisedLoss), "leak": text(leak), "unpaid": text(unpaid),
      "commitment": commitment, "refundCase": refundCase, "gate": gate,
      "consumptionRequest": request,
    ]
    return flat.compactMapValues { $0 }
  }
}

extension MoneyFigures {
  /// Reads the product's answer.
  init(answer: TinyJSON) {
    original = answer["originalTransactionId"]?.text
    type = answer["type"]?.text
    environment = answer["environment"]?.text ?? ""
    if let told = answer["proceeds"], let currency = told["currency"]?.text {
      proceeds =
        "\(told["amount"]?.text ?? "?") kept \(told["kept"]?.text ?? "?") \(currency) = "
        + (told["basis"]?.text ?? "?")
    }
    margin = Self.money(answer["margin"])
    riskClass = answer["atRisk"]?["class"]?.text
    riskCost = Self.money(answer["atRisk"]?["cost"])
    riskProceeds = Self.one(answer["atRisk"]?["proceeds"])
    realisedLoss = answer["realisedLoss"] == .null ? nil : Self.money(answer["realisedLoss"])
    leak = Self.money(answer["leak"])
    unpaid = Self.money(answer["unpaid"])
    if let told = answer["commitment"], case .object = told {
      func number(_ key: String) -> String { told[key]?.integer.map { "\($0)" } ?? "?" }
      commitment =
        "\(number("billingPeriodNumber")) of \(number("totalBillingPeriods")) until "
        + "\(number("commitmentExpiresDate")), current \(told["current"] == .bool(true)), "
        + "remaining \(number("remainingPayments")), "
        + "forecast \(Self.one(told["forecastAtRisk"]) ?? "-")"
    }
    refundCase = answer["refundCase"].flatMap(Self.standing)
    gate = answer["gate"]?.text
    if let told = answer["consumptionRequest"], case .object = told {
      let percentage = told["consumptionPercentage"]?.integer.map(String.init) ?? "-"
      request =
        "\(told["deliveryStatus"]?.text ?? "?") \(percentage) "
        + "\(told["refundPreference"]?.text ?? "-") "
        + "\(told["sampleContentProvided"] == .bool(true))"
    }
  }

  /// A case as one line: what the list of cases and the answer about a purchase say alike.
  static func standing(_ told: TinyJSON) -> String? {
    guard let id = told["case"]?.text else { return nil }
    let reason = told["consumptionRequestReason"]?.text ?? "-"
    let preference = told["response"]?["sent"]?["refundPreference"]?.text
    let response = told["response"].map { "\($0["at"]?.text ?? "?") \(preference ?? "-")" }
    return "\(id) \(told["state"]?.text ?? "?") \(reason) \(told["receivedAt"]?.text ?? "?") by "
      + "\(told["respondBy"]?.text ?? "?"), response \(response ?? "-"), "
      + "failures \(told["failures"]?["count"]?.integer ?? 0)"
  }

  /// By currency, as printed; what is nothing is left out.
  private static func money(_ list: TinyJSON?) -> [String: Exact] {
    var sums: [String: Exact] = [:]
    for entry in list?.elements ?? [] where entry.amount("amount") != .zero {
      sums[entry["currency"]?.text ?? "", default: .zero] += entry.amount("amount")
    }
    return sums
  }

  private static func one(_ told: TinyJSON?) -> String? {
    told?["currency"]?.text.map { "\(told?["amount"]?.text ?? "?") \($0)" }
  }
}

extension Reference {
  /// What the product should say of money; nil when nothing is known of the transaction. Amounts
  /// are as printed.
  func moneyFigures(_ id: String, now: Int64) -> MoneyFigures? {
    guard let figures = figures(id, now: now) else { return nil }
    var money = MoneyFigures()
    let purchase = purchases[id]
    let cost = cost(of: sums(of: id) + integrals(of: id, now: now))
    let proceeds = purchase.flatMap { self.proceeds(of: $0, now: now) }
    money.original = purchase?.original
    money.type = purchase?.type
    money.environment = purchase?.environment ?? "unknown"
    money.proceeds = proceeds.map {
      "\($0.amount) kept \($0.kept) \($0.currency) = \($0.basis)"
    }
    money.margin = Self.printed(margin(purchase, proceeds, cost))
    if let purchase {
      let leak = self.cost(of: leak(of: purchase, now: now))
      money.leak = Self.printed(leak.settled(configuration))
      let loss = realisedLoss(of: purchase, proceeds, cost: cost, leak: leak, now: now)
      money.realisedLoss = loss.map(Self.printed)
      let unpaid = self.cost(of: unpaid(of: purchase, now: now))
      money.unpaid = Self.printed(unpaid.settled(configuration))
      money.commitment = commitment(of: purchase, proceeds, now: now)
      money.riskClass = riskClass(of: purchase, now: now)
    }
    if money.riskClass != nil {
      money.riskCost = Self.printed(cost.totals.filter { $0.value != .zero })
      money.riskProceeds = proceeds.map { "\($0.kept) \($0.currency)" }
    }
    money.refundCase = cases[id]?.last.map { standing(of: $0, id, now: now) }
    let proposal = proposal(id, figures: figures, now: now)
    money.gate = proposal.gate
    money.request = proposal.request
    return money
  }

  private static func printed(_ sums: [String: Exact]) -> [String: Exact] {
    sums.compactMapValues { Exact($0.description) }.filter { $0.value != .zero }
  }

  /// A case in the words of ``MoneyFigures/standing(_:)``.
  func standing(of one: ReferenceCase, _ id: String, now: Int64) -> String {
    let isSandbox = isSandbox(id)
    let response = one.response.map { "\(Calendar.text($0.at)) \($0.preference ?? "-")" }
    return "\(id):\(one.number) \(one.state(isSandbox: isSandbox, now: now)) \(one.reason ?? "-") "
      + "\(Calendar.text(one.received)) by \(Calendar.text(one.respondBy(isSandbox: isSandbox))), "
      + "response \(response ?? "-"), failures \(one.failures)"
  }

  /// Whether an instant may stand as the latest event of a transaction. Reading: it tells how fresh
  /// the figures are, so what was taken back or moved away since may still be the latest; it is
  /// never older than what stands, and always some event's.
  func isLastEvent(_ told: Int64?, of id: String, now: Int64) -> Bool {
    let end = min(purchases[id].map(paidUntil) ?? .max, now)
    let points = levels(of: id).values.flatMap { $0.map(\.time) }.filter { $0 < end }
    let standing = (sums(of: id).map(\.time) + points).max()
    guard let told else { return standing == nil }
    let events = accepted.map(\.time) + balanceEnds
    return told >= standing ?? .min && events.contains(told)
  }
}
