extension Purchase {
  /// Reads Apple's decoded transaction payload; unknown fields are ignored, `null` is absent.
  ///
  /// Throws when a known field has another JSON type or range than Apple's, a date is in seconds,
  /// the period ends before it starts, or the environment is neither Production nor Sandbox.
  package init(payload: JSONNode) throws(PurchaseFault) {
    guard payload.members != nil else {
      throw PurchaseFault("the payload is not a JSON object")
    }
    self.init()
    for field in PurchaseField.top {
      guard let node = payload[field.name], !node.isNull else { continue }
      try read(field, from: node)
    }
    if let info = payload["commitmentInfo"], !info.isNull {
      guard info.members != nil else {
        throw PurchaseFault("commitmentInfo is not an object")
      }
      for field in PurchaseField.commitment {
        guard let node = info[field.name], !node.isNull else { continue }
        try read(field, from: node)
      }
    }
    try checkWhole()
  }

  private mutating func read(
    _ field: PurchaseField, from node: JSONNode
  ) throws(PurchaseFault) {
    switch field.place {
    case .text(let path):
      guard let text = node.string else { throw PurchaseFault("\(field.name) is not a string") }
      guard text.count <= Limits.purchaseTextBytes else {
        throw PurchaseFault("\(field.name) is longer than \(Limits.purchaseTextBytes) bytes")
      }
      self[keyPath: path] = text
    case .json(let path):
      guard node.members != nil else { throw PurchaseFault("\(field.name) is not an object") }
      var writer = JSONWriter()
      writer.write(node)
      guard writer.bytes.count <= Limits.advancedCommerceBytes else {
        throw PurchaseFault("\(field.name) is longer than \(Limits.advancedCommerceBytes) bytes")
      }
      self[keyPath: path] = ByteString(writer.bytes)
    case .instant(let path):
      self[keyPath: path] = try Self.date(node, field.name)
    case .integer(let path, let range):
      guard let number = node.integer else {
        throw PurchaseFault("\(field.name) is not an integer")
      }
      guard range.contains(number) else { throw PurchaseFault("\(field.name) is out of range") }
      self[keyPath: path] = number
    case .flag(let path):
      guard let flag = node.bool else { throw PurchaseFault("\(field.name) is not a boolean") }
      self[keyPath: path] = flag
    }
  }

  private static func date(_ node: JSONNode, _ name: String) throws(PurchaseFault) -> Instant {
    guard let milliseconds = node.integer else {
      throw PurchaseFault("\(name) is not an integer of milliseconds")
    }
    guard milliseconds >= Limits.firstPlausibleMilliseconds else {
      throw PurchaseFault("\(name) is in seconds or before 1973; milliseconds are expected")
    }
    guard milliseconds <= Limits.lastPlausibleMilliseconds else {
      throw PurchaseFault("\(name) is after the year 9999; milliseconds are expected")
    }
    return Instant(milliseconds: milliseconds)
  }

  private func checkWhole() throws(PurchaseFault) {
    for (name, id) in [
      ("transactionId", transactionId), ("originalTransactionId", originalTransactionId),
    ] {
      guard let id else { continue }
      guard !id.isEmpty, id.count <= Limits.transactionIdBytes else {
        throw PurchaseFault("\(name) is empty or longer than \(Limits.transactionIdBytes) bytes")
      }
    }
    if let environment, environment != Self.production, environment != Self.sandbox {
      throw PurchaseFault("environment is neither Production nor Sandbox")
    }
    if let currency {
      guard currency.count == 3, currency.bytes.allSatisfy({ (65...90).contains($0) }) else {
        throw PurchaseFault("currency is not an ISO 4217 code")
      }
    }
    if let purchaseDate, let expiresDate, expiresDate < purchaseDate {
      throw PurchaseFault("expiresDate is before purchaseDate")
    }
  }
}
