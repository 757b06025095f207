extension JSONWriter {
  /// Writes a member that is a text or null.
  mutating func member(_ name: String, _ text: ByteString?) {
    key(name)
    if let text { string(text) } else { null() }
  }

  /// Writes a member that is a text.
  mutating func member(_ name: String, _ text: String) {
    key(name)
    string(text)
  }

  /// Writes a member that is an instant with six decimals, or null.
  mutating func member(_ name: String, _ instant: Instant?) {
    key(name)
    if let instant { string(instant.description) } else { null() }
  }

  /// Writes a member that is an integer or null.
  mutating func member(_ name: String, _ number: (some BinaryInteger)?) {
    key(name)
    if let number { self.number(String(number)) } else { null() }
  }

  /// Writes a member that is an exact number as text, or null.
  mutating func member(_ name: String, _ number: Fraction?) {
    key(name)
    if let number { string(number.decimal) } else { null() }
  }

  /// Writes a member that is null in this answer.
  mutating func nullMember(_ name: String) {
    key(name)
    null()
  }

  /// Writes a member that is an object of currency and amount, or null.
  mutating func member(_ name: String, _ money: Money?) {
    key(name)
    if let money { write(money) } else { null() }
  }

  /// Writes a member that is a list of money.
  mutating func member(_ name: String, _ money: [Money]) {
    key(name)
    beginArray()
    for one in money { write(one) }
    endArray()
  }

  /// Writes attributes as an object of texts.
  mutating func member(
    _ name: String, attributes: [(key: ByteString, value: ByteString)]
  ) {
    key(name)
    beginObject()
    for attribute in attributes { member(attribute.key.string, attribute.value) }
    endObject()
  }

  /// Writes a billing period.
  mutating func member(_ name: String, period: (start: Instant?, end: Instant?)?) {
    key(name)
    guard let period else { return null() }
    beginObject()
    member("start", period.start)
    member("end", period.end)
    endObject()
  }

  private mutating func write(_ money: Money) {
    beginObject()
    member("currency", money.currency)
    member("amount", money.amount)
    endObject()
  }
}
