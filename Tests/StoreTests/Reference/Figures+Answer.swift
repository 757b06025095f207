extension Figures {
  /// Reads the product's answer. Sums of nothing are left out: they say the same as no line.
  init(answer: TinyJSON) {
    product = answer["productId"]?.text
    customer = answer["customer"]?.text
    state = answer["state"]?.text
    start = answer["billingPeriod"]?["start"]?.text.flatMap { Calendar.instant(printed: $0) }
    end = answer["billingPeriod"]?["end"]?.text.flatMap { Calendar.instant(printed: $0) }
    delivery = answer["deliveryStatus"]?.text
    percentage = answer["consumptionPercentage"]?.integer
    for entry in answer["usage"]?.elements ?? [] {
      let allowed = entry["allowed"]?.text.flatMap { Exact($0) }
      let used = entry.amount("used")
      if used == .zero, allowed == nil { continue }
      usage[entry["meter"]?.text ?? ""] = Usage(
        unit: entry["unit"]?.text ?? "", used: used, allowed: allowed,
        share: entry["share"]?.integer)
    }
    let cost = answer["cost"]
    complete = cost?["complete"] == .bool(true)
    for total in cost?["totals"]?.elements ?? [] where total.amount("amount") != .zero {
      totals[total["currency"]?.text ?? ""] = total["amount"]?.text
    }
    for line in cost?["lines"]?.elements ?? [] where line.amount("quantity") != .zero {
      lines[Self.key(of: line), default: .zero] += line.amount("quantity")
    }
    for entry in cost?["unpriced"]?.elements ?? [] where entry.amount("quantity") != .zero {
      unpriced[entry["meter"]?.text ?? "", default: .zero] += entry.amount("quantity")
    }
  }

  private static func key(of line: TinyJSON) -> LineKey {
    let attributes = line["attributes"]?.members.mapValues { value -> String in
      switch value {
      case .string(let text), .number(let text): text
      case .bool(let flag): flag ? "true" : "false"
      default: "?"
      }
    }
    var rate = "own"
    if let per = line["rate"]?["per"]?.text {
      rate = "\(line["rate"]?.amount("price") ?? .zero)/\(per)"
    }
    return LineKey(
      meter: line["meter"]?.text ?? "", attributes: attributes ?? [:], rate: rate,
      currency: line["currency"]?.text ?? "")
  }

  /// Lines whose printed amount isn't quantity × price ÷ per.
  static func wrongAmounts(in answer: TinyJSON) -> [TinyJSON] {
    (answer["cost"]?["lines"]?.elements ?? []).filter { line in
      guard let rate = line["rate"], let per = rate["per"]?.text else { return false }
      let each = rate.amount("price") / ReferenceConfiguration.amount(per)
      return line["amount"]?.text != (line.amount("quantity") * each).description
    }
  }

  /// Names of the figures that differ, with both values.
  func differences(from other: Figures) -> [String] { Self.differences(flat, other.flat) }

  /// What differs between two lists of named values.
  static func differences(_ told: [String: String], _ expected: [String: String]) -> [String] {
    Set(told.keys).union(expected.keys).sorted().compactMap { name in
      let (left, right) = (told[name] ?? "-", expected[name] ?? "-")
      return left == right ? nil : "\(name): \(left), expected \(right)"
    }
  }

  /// Every figure by name, so that only what differs is shown.
  private var flat: [String: String] {
    var flat = [
      "product": product ?? "-", "customer": customer ?? "-", "state": state ?? "-",
      "start": start.map { Calendar.text($0) } ?? "-", "end": end.map { Calendar.text($0) } ?? "-",
      "delivery": delivery ?? "-", "percentage": percentage.map(String.init) ?? "-",
      "complete": "\(complete)",
    ]
    for (meter, usage) in usage {
      flat["usage of \(meter)"] =
        "\(usage.used) \(usage.unit) of \(usage.allowed?.description ?? "-"), "
        + "share \(usage.share.map(String.init) ?? "-")"
    }
    for (currency, total) in totals { flat["cost in \(currency)"] = total }
    for (line, quantity) in lines {
      let attributes = line.attributes.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      flat["line \(line.meter) \(attributes) \(line.rate) \(line.currency)"] = "\(quantity)"
    }
    for (meter, quantity) in unpriced { flat["unpriced \(meter)"] = "\(quantity)" }
    return flat
  }
}

extension TinyJSON {
  /// A decimal string's value; 0 where there is none.
  func amount(_ key: String) -> Exact { self[key]?.text.flatMap { Exact($0) } ?? .zero }
}
