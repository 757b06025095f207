extension ReferenceEvent {
  /// Reads back a line that ``line(_:)`` wrote; nil for anything else.
  init?(line: String) {
    guard let json = TinyJSON(line) else { return nil }
    let source = json["source"]?.text ?? ""
    if let through = json["completeThrough"] {
      key = Key(source: source, id: "")
      body = .mark(through: through.text.flatMap(Self.instant))
      return
    }
    key = Key(source: source, id: json["id"]?.text ?? "")
    if let target = json["voids"] {
      body = .void(Key(source: target["source"]?.text ?? "", id: target["id"]?.text ?? ""))
      return
    }
    guard let subject = Self.subject(json) else { return nil }
    let readings = json["usage"]?.elements ?? [json]
    body = .usage(
      subject: subject, time: json["time"]?.text.flatMap(Self.instant),
      readings: readings.map(ReferenceReading.init(json:)))
  }

  private static func subject(_ json: TinyJSON) -> Subject? {
    if let id = json["transactionId"]?.text { return .transaction(id) }
    if let id = json["originalTransactionId"]?.text { return .chain(id) }
    return json["customer"]?.text.map(Subject.customer)
  }

  /// `Z` or an offset in minutes behind six decimals.
  private static func instant(_ text: String) -> Int64? {
    if text.hasSuffix("Z") { return Calendar.instant(printed: text) }
    guard let local = Calendar.instant(printed: text.dropLast(6) + "Z") else { return nil }
    let offset = text.suffix(6)
    guard let hours = Int64(offset.dropFirst().prefix(2)), let minutes = Int64(offset.suffix(2))
    else { return nil }
    let size = (hours * 60 + minutes) * Calendar.minute
    return offset.first == "-" ? local + size : local - size
  }
}

extension ReferenceReading {
  fileprivate init(json: TinyJSON) {
    meter = json["meter"]?.text ?? ""
    if case .number(let text) = json["quantity"] {
      quantity = text
    } else {
      quantity = json["quantity"]?.text ?? ""
      quotedQuantity = true
    }
    unit = json["unit"]?.text
    attributes = (json["attributes"]?.members ?? [:]).compactMapValues { value in
      switch value {
      case .string(let text): .string(text)
      case .number(let text): .number(text)
      case .bool(let flag): .bool(flag)
      default: nil
      }
    }
    if let amount = json["cost"]?["amount"]?.text, let currency = json["cost"]?["currency"]?.text {
      cost = (amount, currency)
    }
  }
}
