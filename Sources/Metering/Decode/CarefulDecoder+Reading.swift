extension CarefulDecoder {
  /// Appends the reading that the object holds, perhaps the event itself.
  func readReading(_ node: JSONNode) throws(Rejection) {
    var draft = ReadingDraft()
    guard let meter = node.given("meter") else {
      throw Rejection(.invalidJSON, "meter is missing")
    }
    draft.meter = try label(meter, "meter", code: .unknownMeter)
    if let unit = node.given("unit") {
      draft.unit = try label(unit, "unit", code: .unknownUnit)
      draft.hasUnit = true
    }
    guard let quantity = node.given("quantity") else {
      throw Rejection(.missingQuantity, "quantity is missing")
    }
    let (raw, isNegative) = try decimal(
      quantity, "quantity", decimals: 9, code: .invalidQuantity)
    guard !isNegative else {
      throw Rejection(.negativeQuantity, "quantity is negative; take usage back by a void")
    }
    draft.quantity = raw
    draft.quantityWasNumber = quantity.number != nil
    draft.attributeCount = try readAttributes(node)
    if let cost = node.given("cost") {
      draft.hasCost = true
      (draft.cost, draft.currency) = try readCost(cost)
    }
    batch.finishReading(draft, key: key)
  }

  /// A string of at most 256 bytes that the configuration may or may not know.
  private func label(
    _ node: JSONNode, _ field: String, code: RejectionCode
  ) throws(Rejection) -> TextSpan {
    guard let text = node.string else {
      throw Rejection(.invalidJSON, "\(field) must be a string, not \(node.typeName)")
    }
    guard text.count <= Limits.nameBytes else {
      throw Rejection(code, "\(field) has \(text.count) bytes, over \(Limits.nameBytes)")
    }
    return batch.append(text)
  }

  /// A number, rounded to so many decimals, or a string that has no more of them.
  private func decimal(
    _ node: JSONNode, _ field: String, decimals: Int, code: RejectionCode
  ) throws(Rejection) -> (raw: Int128, isNegative: Bool) {
    guard let text = node.number ?? node.string else {
      throw Rejection(code, "\(field) must be a number or a decimal string")
    }
    let result = text.bytes.withUnsafeBytes {
      DecimalText.parse($0, decimals: decimals, roundingExcess: node.number != nil)
    }
    switch result {
    case .success(let raw):
      // What rounds to zero from below is still negative; -0 is not.
      let mantissa = text.bytes.prefix { $0 | 0x20 != 0x65 }
      let isNegative = mantissa.first == 0x2D && mantissa.contains { $0 >= 0x31 && $0 <= 0x39 }
      return (raw, isNegative)
    case .failure(.malformed): throw Rejection(code, "\(field) is not a finite decimal")
    case .failure(.tooManyDigits):
      throw Rejection(
        code, "\(field) has more than 18 digits before or \(decimals) after the point")
    }
  }

  private func readCost(_ node: JSONNode) throws(Rejection) -> (Int128, UInt32) {
    guard node.members != nil else {
      throw Rejection(.invalidCost, "cost must be an object with amount and currency")
    }
    guard let amount = node.given("amount") else {
      throw Rejection(.invalidCost, "cost.amount is missing")
    }
    let (raw, isNegative) = try decimal(amount, "cost.amount", decimals: 15, code: .invalidCost)
    guard !isNegative else { throw Rejection(.invalidCost, "cost.amount is negative") }
    guard let code = node.given("currency")?.string, Currency.isCode(code) else {
      throw Rejection(.invalidCost, "cost.currency must be a code of ISO 4217 in capitals")
    }
    return (raw, Currency.packed(code))
  }

  /// Puts the attributes that aren't null into the batch's slots and returns how many.
  private func readAttributes(_ node: JSONNode) throws(Rejection) -> Int {
    guard let given = node.given("attributes") else { return 0 }
    guard let members = given.members else {
      throw Rejection(.invalidAttributes, "attributes must be an object")
    }
    let attributes = members.filter { !$0.node.isNull }
    guard attributes.count <= Limits.attributesPerReading else {
      throw Rejection(
        .invalidAttributes, "more than \(Limits.attributesPerReading) attributes")
    }
    for (index, attribute) in attributes.sorted(by: { $0.key < $1.key }).enumerated() {
      let (type, value) = try attributeValue(attribute.node)
      guard attribute.key.count <= Limits.nameBytes, value.count <= Limits.nameBytes else {
        throw Rejection(
          .invalidAttributes, "an attribute's key or value has over \(Limits.nameBytes) bytes")
      }
      batch.slots[index] = AttributeSlot(
        key: batch.append(attribute.key), value: batch.append(value), type: type)
    }
    return attributes.count
  }

  private func attributeValue(_ node: JSONNode) throws(Rejection) -> (UInt8, ByteString) {
    switch node.value {
    case .string(let text): return (AttributeSlot.string, text)
    case .bool(let flag): return (AttributeSlot.boolean, flag ? "true" : "false")
    case .number(let text):
      guard
        let plain = text.bytes.withUnsafeBytes({
          DecimalText.canonical($0, limit: Limits.nameBytes)
        })
      else {
        throw Rejection(
          .invalidAttributes, "a number among the attributes has over \(Limits.nameBytes) digits")
      }
      return (AttributeSlot.number, ByteString(plain))
    default:
      throw Rejection(.invalidAttributes, "an attribute is \(node.typeName), not a scalar")
    }
  }
}
