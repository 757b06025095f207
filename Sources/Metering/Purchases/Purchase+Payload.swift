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
    let top = 0..<PurchaseField.top.count
    try read(top, from: payload)
    if let info = payload["commitmentInfo"], !info.isNull {
      guard info.members != nil else {
        throw PurchaseFault("commitmentInfo is not an object")
      }
      try read(top.upperBound..<PurchaseField.all.count, from: info)
    }
    try checkWhole()
  }

  /// Reads those of the fields that the object has, in their own order: the first fault is told.
  private mutating func read(
    _ fields: Range<Int>, from object: JSONNode
  ) throws(PurchaseFault) {
    var given: [(field: Int, node: JSONNode)] = []
    for member in object.members ?? [] where !member.node.isNull {
      guard let field = PurchaseField.numbers[member.key], fields.contains(field) else { continue }
      given.append((field, member.node))
    }
    given.sort { $0.field < $1.field }
    for (field, node) in given { try read(PurchaseField.all[field], from: node) }
  }

  private mutating func read(
    _ field: PurchaseField, from node: JSONNode
  ) throws(PurchaseFault) {
    switch field.place {
    case .text(let place):
      guard let text = node.string else { throw PurchaseFault("\(field.name) is not a string") }
      guard text.count <= Limits.purchaseTextBytes else {
        throw PurchaseFault("\(field.name) is longer than \(Limits.purchaseTextBytes) bytes")
      }
      guard !text.bytes.withUnsafeBytes({ EventDecoder.hasControls($0) }) else {
        throw PurchaseFault("\(field.name) has a control character")
      }
      self[place] = text
    case .json(let place):
      guard node.members != nil else { throw PurchaseFault("\(field.name) is not an object") }
      var writer = JSONWriter()
      writer.write(node)
      guard writer.bytes.count <= Limits.advancedCommerceBytes else {
        throw PurchaseFault("\(field.name) is longer than \(Limits.advancedCommerceBytes) bytes")
      }
      self[place] = ByteString(writer.bytes)
    case .instant(let place):
      self[place] = try Self.date(node, field.name).microseconds
    case .integer(let place, let range):
      guard let number = node.integer else {
        throw PurchaseFault("\(field.name) is not an integer")
      }
      guard range.contains(number) else { throw PurchaseFault("\(field.name) is out of range") }
      self[place] = number
    case .flag(let place):
      guard let flag = node.bool else { throw PurchaseFault("\(field.name) is not a boolean") }
      self[place] = flag ? 1 : 0
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
    try Self.check(transactionId, "transactionId")
    try Self.check(originalTransactionId, "originalTransactionId")
    if let environment, environment != Self.production, environment != Self.sandbox {
      throw PurchaseFault("environment is neither Production nor Sandbox")
    }
    if let currency, !Currency.isCode(currency) {
      throw PurchaseFault("currency is not a code of ISO 4217")
    }
    if let purchaseDate, let expiresDate, expiresDate < purchaseDate {
      throw PurchaseFault("expiresDate is before purchaseDate")
    }
  }

  private static func check(_ id: ByteString?, _ name: String) throws(PurchaseFault) {
    guard let id else { return }
    guard !id.isEmpty, id.count <= Limits.transactionIdBytes else {
      throw PurchaseFault("\(name) is empty or longer than \(Limits.transactionIdBytes) bytes")
    }
  }
}
