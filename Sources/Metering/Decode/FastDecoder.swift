extension EventDecoder {
  /// Decodes a usage event that is in order and appends it; false, with the batch in need of a
  /// rewind, for anything else.
  @inline(__always)
  func decodeFast(_ line: UnsafeRawBufferPointer, into batch: IngestBatch) -> Bool {
    guard let start = line.baseAddress else { return false }
    let decoder = FastDecoder(
      start: start, copy: batch.text.pointee.append(line), text: batch.text, slots: batch.slots)
    do throws(JSONReader.Fault) {
      try decoder.decode(JSONReader(line), into: batch, key: key)
      return true
    } catch {
      return false
    }
  }
}

/// One pass over an event in order. Whatever it doesn't like it declines by throwing any fault:
/// the careful decoder looks again and says what is wrong, if anything.
struct FastDecoder {
  /// Where the line begins.
  let start: UnsafeRawPointer
  /// The line's copy in the batch's text.
  let copy: TextSpan
  /// The batch's text and slots; references to the batch itself would be counted on this path.
  let text: UnsafeMutablePointer<BatchText>
  let slots: UnsafeMutablePointer<AttributeSlot>

  /// Names of fields as little-endian words, the first 8 bytes of longer ones.
  private enum Word {
    static let id: UInt64 = 0x6469
    static let time: UInt64 = 0x656d_6974
    static let unit: UInt64 = 0x7469_6e75
    static let cost: UInt64 = 0x7473_6f63
    static let meter: UInt64 = 0x72_6574_656d
    static let usage: UInt64 = 0x65_6761_7375
    static let source: UInt64 = 0x6563_7275_6f73
    static let amount: UInt64 = 0x746e_756f_6d61
    static let customer: UInt64 = 0x7265_6d6f_7473_7563
    static let quantity: UInt64 = 0x7974_6974_6e61_7571
    static let currency: UInt64 = 0x7963_6e65_7272_7563
    static let attribut: UInt64 = 0x7475_6269_7274_7461
    static let tributes: UInt64 = 0x7365_7475_6269_7274
    static let transact: UInt64 = 0x7463_6173_6e61_7274
    static let actionId: UInt64 = 0x6449_6e6f_6974_6361
    static let original: UInt64 = 0x6c61_6e69_6769_726f
    static let upperTransact: UInt64 = 0x7463_6173_6e61_7254
  }

  /// Which keys an object had, and which of them said something.
  struct Fields {
    var all: UInt32 = 0
    var given: UInt32 = 0

    static let id: UInt32 = 1
    static let source: UInt32 = 2
    static let time: UInt32 = 4
    static let transaction: UInt32 = 8
    static let chain: UInt32 = 16
    static let customer: UInt32 = 32
    static let usage: UInt32 = 64
    static let meter: UInt32 = 128
    static let quantity: UInt32 = 256
    static let attributes: UInt32 = 512
    static let unit: UInt32 = 1024
    static let cost: UInt32 = 2048
    static let required: UInt32 = meter | quantity
    static let ofReading: UInt32 = 128 | 256 | 512 | 1024 | 2048

    /// Notes a field; declines one that comes twice.
    @inline(__always) mutating func note(_ field: UInt32) throws(JSONReader.Fault) {
      if all & field != 0 { throw .unexpectedCharacter }
      all |= field
    }
  }

  @inline(__always) func decode(
    _ text: JSONReader, into batch: IngestBatch, key: HashKey
  ) throws(JSONReader.Fault) {
    var reader = text
    var event = EventDraft()
    event.raw = copy
    var reading = ReadingDraft()
    var seen = Fields()
    let firstReading = batch.readings.count
    try reader.expect(0x7B)
    repeat {
      let field = Self.field(try readKey(&reader))
      try seen.note(field)
      if try reader.peek() == 0x6E {
        guard try reader.literal() == .null else { throw .unexpectedCharacter }
        continue
      }
      seen.given |= field
      switch field {
      case Fields.id: event.id = try readName(&reader, mayBeEmpty: false)
      case Fields.source: event.source = try readName(&reader, mayBeEmpty: true)
      case Fields.transaction: event.transaction = try readName(&reader, mayBeEmpty: false)
      case Fields.chain: event.chain = try readName(&reader, mayBeEmpty: false)
      case Fields.customer: event.customer = try readName(&reader, mayBeEmpty: false)
      case Fields.time: event.time = try readTime(&reader)
      case Fields.usage: reader = try readUsage(reader, into: batch, key: key)
      default: try readReadingValue(field, &reader, &reading)
      }
    } while try reader.take(0x2C)
    try reader.expect(0x7D)
    try reader.expectEnd()
    let subjects = Fields.transaction | Fields.chain | Fields.customer
    guard seen.given & Fields.id != 0, seen.given & subjects != 0 else {
      throw .unexpectedCharacter
    }
    if seen.given & Fields.usage == 0 {
      guard seen.given & Fields.required == Fields.required else { throw .unexpectedCharacter }
      batch.finishReading(reading, key: key)
    } else if seen.given & Fields.ofReading != 0 {
      throw .unexpectedCharacter
    }
    batch.finishUsage(event, firstReading: firstReading, key: key)
  }

  /// Takes a key and its colon.
  @inline(__always) private func readKey(
    _ reader: inout JSONReader
  ) throws(JSONReader.Fault) -> JSONText {
    guard try reader.peek() == 0x22 else { throw .unexpectedCharacter }
    let key = try reader.readString()
    if key.isEscaped || key.isUnusual { throw .unexpectedCharacter }
    try reader.expect(0x3A)
    return key
  }

  /// The field's bit; all bits, which are always declined, for an unknown one.
  @inline(__always) private static func field(_ key: JSONText) -> UInt32 {
    let count = key.count
    if count < 8 {
      guard count > 0 else { return ~0 }
      switch KeyedHasher.partialWord(key.start, count) {
      case Word.id: return Fields.id
      case Word.time: return Fields.time
      case Word.meter: return Fields.meter
      case Word.source: return Fields.source
      case Word.unit: return Fields.unit
      case Word.usage: return Fields.usage
      case Word.cost: return Fields.cost
      default: return ~0
      }
    }
    let first = word(key.start)
    let last = word(key.start + (count &- 8))
    switch (count, first) {
    case (8, Word.quantity): return Fields.quantity
    case (8, Word.customer): return Fields.customer
    case (10, Word.attribut) where last == Word.tributes: return Fields.attributes
    case (13, Word.transact) where last == Word.actionId: return Fields.transaction
    case (21, Word.original)
    where last == Word.actionId && word(key.start + 8) == Word.upperTransact:
      return Fields.chain
    default: return ~0
    }
  }

  @inline(__always) private static func word(_ place: UnsafeRawPointer) -> UInt64 {
    UInt64(littleEndian: place.loadUnaligned(as: UInt64.self))
  }

  @inline(__always) private func readReadingValue(
    _ field: UInt32, _ reader: inout JSONReader, _ reading: inout ReadingDraft
  ) throws(JSONReader.Fault) {
    switch field {
    case Fields.meter: reading.meter = try readLabel(&reader)
    case Fields.unit:
      reading.unit = try readLabel(&reader)
      reading.hasUnit = true
    case Fields.quantity:
      (reading.quantity, reading.quantityWasNumber) = try readQuantity(&reader)
    case Fields.attributes: reading.attributeCount = try readAttributes(&reader)
    case Fields.cost:
      (reader, reading.cost, reading.currency) = try readCost(reader)
      reading.hasCost = true
    default: throw .unexpectedCharacter
    }
  }

  /// Takes several readings and appends them.
  @inline(never) private func readUsage(
    _ from: JSONReader, into batch: IngestBatch, key: HashKey
  ) throws(JSONReader.Fault) -> JSONReader {
    var reader = from
    var count = 0
    try reader.expect(0x5B)
    repeat {
      guard count < Limits.readingsPerEvent else { throw .unexpectedCharacter }
      count += 1
      var reading = ReadingDraft()
      var fields = Fields()
      try reader.expect(0x7B)
      repeat {
        let field = Self.field(try readKey(&reader))
        try fields.note(field)
        if try reader.peek() == 0x6E {
          guard field & Fields.ofReading != 0, try reader.literal() == .null else {
            throw .unexpectedCharacter
          }
          continue
        }
        fields.given |= field
        try readReadingValue(field, &reader, &reading)
      } while try reader.take(0x2C)
      try reader.expect(0x7D)
      guard fields.given & Fields.required == Fields.required else { throw .unexpectedCharacter }
      batch.finishReading(reading, key: key)
    } while try reader.take(0x2C)
    try reader.expect(0x5D)
    return reader
  }
}

extension FastDecoder {
  /// Takes a string.
  @inline(__always) func readText(_ reader: inout JSONReader) throws(JSONReader.Fault) -> JSONText {
    guard try reader.peek() == 0x22 else { throw .unexpectedCharacter }
    return try reader.readString()
  }

  /// Where the string's meaning is in the batch's text.
  @inline(__always) func span(_ text: JSONText) -> TextSpan {
    if _fastPath(!text.isEscaped) {
      return TextSpan(
        offset: copy.offset &+ UInt32(truncatingIfNeeded: text.start - start),
        length: UInt32(truncatingIfNeeded: text.count))
    }
    return unescaped(text)
  }

  @inline(never) private func unescaped(_ json: JSONText) -> TextSpan {
    text.pointee.commit(json.unescape(into: text.pointee.reserve(json.count)))
  }

  @inline(__always) func readTime(_ reader: inout JSONReader) throws(JSONReader.Fault) -> Int64 {
    let text = try readText(&reader)
    guard !text.isEscaped, let instant = Instant(rfc3339: text.bytes) else {
      throw .unexpectedCharacter
    }
    return instant.microseconds
  }

  /// Takes an id, source or subject.
  @inline(__always) func readName(
    _ reader: inout JSONReader, mayBeEmpty: Bool
  ) throws(JSONReader.Fault) -> TextSpan {
    let json = try readText(&reader)
    let span = span(json)
    guard span.length <= Limits.nameBytes, span.length > 0 || mayBeEmpty else {
      throw .unexpectedCharacter
    }
    if json.isEscaped || json.isUnusual, EventDecoder.hasControls(text.pointee.buffer(span)) {
      throw .unexpectedCharacter
    }
    return span
  }

  /// Takes a meter or unit.
  @inline(__always) func readLabel(_ reader: inout JSONReader) throws(JSONReader.Fault) -> TextSpan
  {
    let span = span(try readText(&reader))
    guard span.length <= Limits.nameBytes else { throw .unexpectedCharacter }
    return span
  }

  @inline(__always) func readQuantity(
    _ reader: inout JSONReader
  ) throws(JSONReader.Fault) -> (raw: Int128, wasNumber: Bool) {
    if _fastPath(try reader.peek() != 0x22) {
      let bytes = try reader.readNumber()
      if let plain = DecimalText.parsePlain(bytes) { return (plain, true) }
      return (try Self.decimal(bytes, decimals: 9, roundingExcess: true), true)
    }
    // Digits have no escapes, and a backslash is no digit.
    let bytes = try reader.readString().bytes
    if let plain = DecimalText.parsePlain(bytes) { return (plain, false) }
    return (try Self.decimal(bytes, decimals: 9, roundingExcess: false), false)
  }

  @inline(never) static func decimal(
    _ bytes: UnsafeRawBufferPointer, decimals: Int, roundingExcess: Bool
  ) throws(JSONReader.Fault) -> Int128 {
    guard bytes.first != 0x2D,
      case .success(let raw) = DecimalText.parse(
        bytes, decimals: decimals, roundingExcess: roundingExcess)
    else { throw .unexpectedCharacter }
    return raw
  }

  @inline(never) func readCost(
    _ from: JSONReader
  ) throws(JSONReader.Fault) -> (JSONReader, cost: Int128, currency: UInt32) {
    var reader = from
    var cost: Int128?
    var currency: UInt32?
    try reader.expect(0x7B)
    repeat {
      let key = try readText(&reader)
      guard !key.isEscaped else { throw .unexpectedCharacter }
      try reader.expect(0x3A)
      let first = try reader.peek()
      if cost == nil, key.bytes.elementsEqual("amount".utf8) {
        let bytes = first == 0x22 ? try reader.readString().bytes : try reader.readNumber()
        cost = try Self.decimal(bytes, decimals: 15, roundingExcess: first != 0x22)
      } else if currency == nil, key.bytes.elementsEqual("currency".utf8) {
        let letters = try readText(&reader).bytes
        guard letters.count == 3, letters.allSatisfy({ $0 >= 0x41 && $0 <= 0x5A }) else {
          throw .unexpectedCharacter
        }
        currency = letters.reduce(0) { $0 << 8 | UInt32($1) }
      } else {
        throw .unexpectedCharacter
      }
    } while try reader.take(0x2C)
    try reader.expect(0x7D)
    guard let cost, let currency else { throw .unexpectedCharacter }
    return (reader, cost, currency)
  }

  /// Takes attributes into the batch's slots and returns how many.
  @inline(__always) func readAttributes(
    _ reader: inout JSONReader
  ) throws(JSONReader.Fault) -> Int {
    try reader.expect(0x7B)
    if try reader.take(0x7D) { return 0 }
    var count = 0
    repeat {
      guard count < Limits.attributesPerReading else { throw .unexpectedCharacter }
      let key = span(try readText(&reader))
      try reader.expect(0x3A)
      let slot = try readAttributeValue(&reader, key)
      guard key.length <= Limits.nameBytes, slot.value.length <= Limits.nameBytes,
        AttributeSlots(slots: slots, text: text).insert(slot, count: count)
      else { throw .unexpectedCharacter }
      count += 1
    } while try reader.take(0x2C)
    try reader.expect(0x7D)
    return count
  }

  @inline(__always) private func readAttributeValue(
    _ reader: inout JSONReader, _ key: TextSpan
  ) throws(JSONReader.Fault) -> AttributeSlot {
    let first = try reader.peek()
    if _fastPath(first == 0x22) {
      return AttributeSlot(
        key: key, value: span(try reader.readString()), type: AttributeSlot.string)
    }
    let place: JSONReader
    let slot: AttributeSlot
    (place, slot) = try readUncommonValue(reader, key, first)
    reader = place
    return slot
  }

  /// Takes a boolean or a number.
  @inline(never) private func readUncommonValue(
    _ from: JSONReader, _ key: TextSpan, _ first: UInt8
  ) throws(JSONReader.Fault) -> (JSONReader, AttributeSlot) {
    var reader = from
    let type: UInt8
    if first == 0x74 || first == 0x66 {
      _ = try reader.literal()
      type = AttributeSlot.boolean
    } else {
      guard first == 0x2D || first &- 0x30 <= 9 else { throw .unexpectedCharacter }
      let number = try reader.readNumber()
      if first == 0x2D || !number.allSatisfy({ $0 &- 0x30 <= 9 }) {
        guard let plain = DecimalText.canonical(number, limit: Limits.nameBytes) else {
          throw .unexpectedCharacter
        }
        let value = plain.withUnsafeBytes { text.pointee.append($0) }
        return (reader, AttributeSlot(key: key, value: value, type: AttributeSlot.number))
      }
      type = AttributeSlot.number
    }
    let value = span(JSONText(start: from.place, count: reader.place - from.place))
    return (reader, AttributeSlot(key: key, value: value, type: type))
  }
}
