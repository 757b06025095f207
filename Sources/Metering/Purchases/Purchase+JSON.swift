extension Purchase {
  /// Writes the known fields into the open object of `writer`: Apple's names, dates in
  /// milliseconds, money in 1/1000. Unknown fields are left out.
  package func write(fields writer: inout JSONWriter) {
    for field in PurchaseField.top { write(field, to: &writer) }
    let hasCommitment =
      billingPeriodNumber != nil || totalBillingPeriods != nil || commitmentExpiresDate != nil
      || commitmentPrice != nil
    guard hasCommitment else { return }
    writer.key("commitmentInfo")
    writer.beginObject()
    for field in PurchaseField.commitment { write(field, to: &writer) }
    writer.endObject()
  }

  private func write(_ field: PurchaseField, to writer: inout JSONWriter) {
    switch field.place {
    case .text(let place):
      guard let text = self[place] else { return }
      writer.key(field.name)
      writer.string(text)
    case .json(let place):
      guard let text = self[place] else { return }
      writer.key(field.name)
      writer.raw(text.bytes)
    case .instant(let place):
      guard let microseconds = self[place] else { return }
      writer.key(field.name)
      writer.number(microseconds / 1000)
    case .integer(let place, _):
      guard let number = self[place] else { return }
      writer.key(field.name)
      writer.number(number)
    case .flag(let place):
      guard let flag = self[place] else { return }
      writer.key(field.name)
      writer.bool(flag != 0)
    }
  }
}

extension JSONWriter {
  /// Writes a parsed value again, numbers as they were written.
  mutating func write(_ node: JSONNode) {
    switch node.value {
    case .null: null()
    case .bool(let flag): bool(flag)
    case .number(let text): number(text.string)
    case .string(let text): string(text)
    case .array(let elements):
      beginArray()
      for element in elements { write(element) }
      endArray()
    case .object(let members):
      beginObject()
      for member in members {
        key(member.key.string)
        write(member.node)
      }
      endObject()
    }
  }
}
