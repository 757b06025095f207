import Metering

/// A consumption answer for people.
struct ConsumptionText {
  private let answer: JSONNode

  init(_ answer: JSONNode) {
    self.answer = answer
  }

  var text: String {
    head + usage + cost + money + request + because
  }

  private func plain(_ key: String) -> String { JSONNode.plain(answer[key]) }

  private var head: String {
    let period = answer["billingPeriod"]
    var text = "transaction \(plain("transactionId"))\n"
    text += "  product    \(plain("productId")) (\(plain("type")), \(plain("environment")))\n"
    text += "  customer   \(plain("customer"))\n"
    text += "  state      \(plain("state")), delivery \(plain("deliveryStatus"))\n"
    text +=
      "  period     \(JSONNode.plain(period?["start"])) to \(JSONNode.plain(period?["end"]))\n"
    if let commitment = answer["commitment"], !commitment.isNull {
      text += "  commitment period \(JSONNode.plain(commitment["billingPeriodNumber"])) of "
      text += "\(JSONNode.plain(commitment["totalBillingPeriods"])), "
      text += "\(JSONNode.plain(commitment["remainingPayments"])) payments to come\n"
    }
    text += "  consumed   \(percentage)\n"
    return text
  }

  private var percentage: String {
    guard let share = answer["consumptionPercentage"]?.integer else {
      return "no percentage to report"
    }
    return "\(Self.percent(share)) (consumptionPercentage \(share))"
  }

  /// Milli-percent as a percentage: 80000 is "80 %".
  static func percent(_ share: Int64) -> String {
    let fraction = String(share % 1000 + 1000).dropFirst()
    let decimals = fraction.reversed().drop { $0 == "0" }.reversed()
    return "\(share / 1000)\(decimals.isEmpty ? "" : "." + String(decimals)) %"
  }

  private var usage: String {
    var table = TextTable(["meter", "used", "allowed", "unit", "share"], rightAligned: [1, 2, 4])
    for line in answer["usage"]?.elements ?? [] {
      table.add([
        JSONNode.plain(line["meter"]), JSONNode.plain(line["used"]),
        JSONNode.plain(line["allowed"]), JSONNode.plain(line["unit"]),
        line["share"]?.integer.map(Self.percent) ?? "–",
      ])
    }
    return table.isEmpty ? "\nno usage\n" : "\nusage\n" + table.text(indent: "  ")
  }

  private var cost: String {
    let cost = answer["cost"]
    var table = TextTable(
      ["meter", "attributes", "quantity", "unit", "rate", "amount", ""], rightAligned: [2, 5])
    for line in cost?["lines"]?.elements ?? [] {
      let rate = line["rate"]
      let hasRate = !(rate?.isNull ?? true)
      table.add([
        JSONNode.plain(line["meter"]), Self.attributes(line["attributes"]),
        JSONNode.plain(line["quantity"]), JSONNode.plain(line["unit"]),
        hasRate ? "\(JSONNode.plain(rate?["price"])) per \(JSONNode.plain(rate?["per"]))" : "own",
        JSONNode.plain(line["amount"]), JSONNode.plain(line["currency"]),
      ])
    }
    guard !table.isEmpty || !(cost?["unpriced"]?.elements ?? []).isEmpty else { return "" }
    var text = "\ncost\n" + (table.isEmpty ? "" : table.text(indent: "  "))
    for total in cost?["totals"]?.elements ?? [] { text += "  total \(Self.amount(total))\n" }
    for line in cost?["unpriced"]?.elements ?? [] {
      text += "  without price: \(JSONNode.plain(line["meter"])) "
      text += "\(JSONNode.plain(line["quantity"])) \(JSONNode.plain(line["unit"])) "
      text += "\(Self.attributes(line["attributes"]))\n"
    }
    return text
  }

  private var money: String {
    var rows: [(String, String)] = []
    if let proceeds = answer["proceeds"], !proceeds.isNull {
      let kept = JSONNode.plain(proceeds["kept"])
      let basis = JSONNode.plain(proceeds["basis"])
      rows.append(("proceeds", "\(Self.amount(proceeds)) = \(basis), kept \(kept)"))
    }
    for (name, key) in [
      ("margin", "margin"), ("loss", "realisedLoss"), ("leak", "leak"), ("unpaid", "unpaid"),
    ] {
      for amount in answer[key]?.elements ?? [] { rows.append((name, Self.amount(amount))) }
    }
    if let risk = answer["atRisk"], !risk.isNull {
      let cost = (risk["cost"]?.elements ?? []).map(Self.amount).joined(separator: ", ")
      rows.append(
        ("at risk", "cost \(cost.isEmpty ? "0" : cost) (\(JSONNode.plain(risk["class"])))"))
    }
    guard !rows.isEmpty else { return "" }
    let width = rows.map(\.0.count).max() ?? 0
    return "\n"
      + rows.map { row in
        "\(row.0)\(String(repeating: " ", count: width - row.0.count))  \(row.1)\n"
      }.joined()
  }

  /// The refund request and what is proposed; empty when nobody asked.
  private var request: String {
    guard let refundCase = answer["refundCase"], !refundCase.isNull else { return "" }
    var text = "\nrefund request \(JSONNode.plain(refundCase["case"])), "
    text += "\(JSONNode.plain(refundCase["state"]))\n"
    text += "  reason     \(JSONNode.plain(refundCase["consumptionRequestReason"]))\n"
    text += "  received   \(JSONNode.plain(refundCase["receivedAt"])), "
    text += "to be answered by \(JSONNode.plain(refundCase["respondBy"]))\n"
    if let claim = refundCase["claim"] {
      text += "  claimed    by \(JSONNode.plain(claim["responder"])) "
      text += "until \(JSONNode.plain(claim["until"]))\n"
    }
    if let response = refundCase["response"] {
      text += "  answered   at \(JSONNode.plain(response["at"])), "
      text += "HTTP status \(JSONNode.plain(response["httpStatus"]))\n"
    }
    guard let body = answer["consumptionRequest"], !body.isNull else {
      return text + "  gate       \(plain("gate")): nothing is to be sent\n"
    }
    let share = body["consumptionPercentage"]?.integer.map(Self.percent) ?? "no percentage"
    let preference = body["refundPreference"].map(JSONNode.plain) ?? "no preference"
    let delivery = JSONNode.plain(body["deliveryStatus"])
    return text + "  to send    \(preference), \(share), \(delivery)\n"
  }

  private var because: String {
    let reasons = (answer["because"]?.elements ?? []).map(JSONNode.plain)
    return reasons.isEmpty ? "" : "\nbecause\n" + reasons.map { "  \($0)\n" }.joined()
  }

  private static func amount(_ node: JSONNode) -> String {
    "\(JSONNode.plain(node["amount"])) \(JSONNode.plain(node["currency"]))"
  }

  private static func attributes(_ node: JSONNode?) -> String {
    (node?.members ?? []).map { "\(PlainText.escaped($0.key.string))=\(JSONNode.plain($0.node))" }
      .joined(separator: " ")
  }
}
