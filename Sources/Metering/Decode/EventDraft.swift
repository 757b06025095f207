/// What a reading says, before it is written down canonically. Its attributes lie sorted in the
/// batch's slots.
struct ReadingDraft {
  var meter = TextSpan()
  var unit = TextSpan()
  var hasUnit = false
  var quantity: Int128 = 0
  var quantityWasNumber = false
  var hasCost = false
  var cost: Int128 = 0
  var currency: UInt32 = 0
  var attributeCount = 0
  /// The JSON of the attributes, which is parsed when no other reading had the same; empty when
  /// there are none, or when they are in the slots.
  var attributesText = TextSpan()
  /// Tells the attributes' texts apart, mostly.
  var attributesHash: UInt64 = 0
}

/// What a usage event says apart from its readings, which are in the batch already.
struct EventDraft {
  var raw = TextSpan()
  var id = TextSpan()
  var source = TextSpan()
  var time = Int64.min
  var transaction = TextSpan()
  var chain = TextSpan()
  var customer = TextSpan()
}

/// The attributes of one reading, sorted by key, in memory of the batch's.
struct AttributeSlots {
  let slots: UnsafeMutablePointer<AttributeSlot>
  let text: UnsafeMutablePointer<BatchText>

  /// Puts an attribute among the first `count` ones in order of keys; false if the key is there.
  @inline(__always) func insert(_ slot: AttributeSlot, count: Int) -> Bool {
    var index = count
    while index > 0 {
      let order = compare(slots[index &- 1].key, slot.key)
      if order == 0 { return false }
      if order < 0 { break }
      slots[index] = slots[index &- 1]
      index &-= 1
    }
    slots[index] = slot
    return true
  }

  /// Negative, zero or positive as the left bytes come before, are, or come after the right ones.
  @inline(__always) private func compare(_ left: TextSpan, _ right: TextSpan) -> Int {
    let one = text.pointee.base + Int(left.offset)
    let other = text.pointee.base + Int(right.offset)
    let shared = Int(min(left.length, right.length))
    var index = 0
    while index < shared {
      let difference =
        Int(one.load(fromByteOffset: index, as: UInt8.self))
        &- Int(other.load(fromByteOffset: index, as: UInt8.self))
      if difference != 0 { return difference }
      index &+= 1
    }
    return Int(left.length) &- Int(right.length)
  }
}

extension IngestBatch {
  /// Writes the reading's canonical bytes, hashes them, and appends the reading.
  @inline(never) func finishReading(_ draft: ReadingDraft, key: HashKey) {
    var reading = DecodedReading()
    setShape(draft, &reading, key: key)
    append(&reading, as: draft)
  }

  /// The same for attributes that are still text, unless an earlier reading had the same; false
  /// when they don't end where the draft says.
  @inline(__always) func finishReading(
    _ draft: inout ReadingDraft, by decoder: FastDecoder, key: HashKey
  ) -> Bool {
    var reading = DecodedReading()
    // What is in the slots already has no text to be known by.
    if draft.attributeCount > 0 || !shapes.pointee.recall(draft, &reading, of: textBase) {
      guard finishNewShape(&draft, &reading, by: decoder, key: key) else { return false }
    }
    append(&reading, as: draft)
    return true
  }

  @inline(never) private func finishNewShape(
    _ draft: inout ReadingDraft, _ reading: inout DecodedReading, by decoder: FastDecoder,
    key: HashKey
  ) -> Bool {
    let isText = !draft.attributesText.isEmpty
    if isText {
      let start = textBase + Int(draft.attributesText.offset)
      let end = decoder.attributes(start, &draft.attributeCount)
      guard end == start + Int(draft.attributesText.length) else { return false }
    }
    setShape(draft, &reading, key: key)
    if isText || draft.attributeCount == 0 {
      shapes.pointee.remember(draft, reading, of: textBase)
    }
    return true
  }

  @inline(__always) private func append(_ reading: inout DecodedReading, as draft: ReadingDraft) {
    reading.meter = draft.meter
    reading.unit = draft.unit
    reading.hasUnit = draft.hasUnit
    reading.quantityWasNumber = draft.quantityWasNumber
    reading.hasCost = draft.hasCost
    reading.currency = draft.currency
    reading.quantity = draft.quantity
    reading.cost = draft.cost
    readings.append(reading)
  }

  private func setShape(_ draft: ReadingDraft, _ reading: inout DecodedReading, key: HashKey) {
    var size = 7 + Int(draft.meter.length) + Int(draft.unit.length)
    for index in 0..<draft.attributeCount {
      size += 5 + Int(slots[index].key.length) + Int(slots[index].value.length)
    }
    // Copies go by words, up to 8 bytes too far; both ends stay within the reserve.
    let start = text.pointee.reserve(size + 16)
    let base = textBase
    var cursor = start
    Self.write(draft.meter, of: base, at: &cursor)
    cursor.storeBytes(of: draft.hasUnit ? 1 : 0, as: UInt8.self)
    cursor += 1
    Self.write(draft.unit, of: base, at: &cursor)
    let attributes = cursor - start
    let count = UInt16(truncatingIfNeeded: draft.attributeCount).littleEndian
    cursor.storeBytes(of: count, as: UInt16.self)
    cursor += 2
    for index in 0..<draft.attributeCount {
      cursor.storeBytes(of: slots[index].type, as: UInt8.self)
      cursor += 1
      Self.write(slots[index].key, of: base, at: &cursor)
      Self.write(slots[index].value, of: base, at: &cursor)
    }
    reading.shape = key.hash128(UnsafeRawBufferPointer(start: start, count: size))
    reading.canonical = text.pointee.commit(size)
    reading.attributes = TextSpan(
      offset: reading.canonical.offset &+ UInt32(truncatingIfNeeded: attributes),
      length: UInt32(truncatingIfNeeded: size - attributes))
  }

  /// Writes the length as UInt16 LE and then the bytes.
  @inline(__always) private static func write(
    _ span: TextSpan, of base: UnsafeRawPointer, at cursor: inout UnsafeMutableRawPointer
  ) {
    let length = UInt16(truncatingIfNeeded: span.length).littleEndian
    cursor.storeBytes(of: length, as: UInt16.self)
    cursor += 2
    copy(span, of: base, to: cursor)
    cursor += Int(span.length)
  }

  /// Copies by words, up to 7 bytes too far.
  @inline(__always) private static func copy(
    _ span: TextSpan, of base: UnsafeRawPointer, to target: UnsafeMutableRawPointer
  ) {
    let source = base + Int(span.offset)
    var done = 0
    while done < Int(span.length) {
      let word = source.loadUnaligned(fromByteOffset: done, as: UInt64.self)
      target.storeBytes(of: word, toByteOffset: done, as: UInt64.self)
      done &+= 8
    }
  }

  /// Hashes and appends a usage event whose readings are those from `firstReading` on.
  @inline(never) func finishUsage(_ draft: EventDraft, firstReading: Int, key: HashKey) {
    var event = DecodedEvent()
    event.kind = .usage
    event.raw = draft.raw
    event.id = draft.id
    event.source = draft.source
    event.time = draft.time
    event.firstReading = UInt32(truncatingIfNeeded: firstReading)
    event.readingCount = UInt16(truncatingIfNeeded: readings.count - firstReading)
    event.key = eventKey(source: draft.source, id: draft.id, key: key)
    if !draft.transaction.isEmpty {
      event.subjectKind = .transaction
      event.subject = draft.transaction
      event.otherChain = draft.chain
      event.otherCustomer = draft.customer
    } else if !draft.chain.isEmpty {
      event.subjectKind = .chain
      event.subject = draft.chain
      event.otherCustomer = draft.customer
    } else {
      event.subjectKind = .customer
      event.subject = draft.customer
    }
    // The subject is followed by its quote and more.
    event.subjectHash = key.hash128(
      readablePast: textBase + Int(event.subject.offset), count: Int(event.subject.length))
    event.fingerprint = fingerprint(event, key: key)
    events.append(event)
  }

  /// See ``HashKey/eventKey(source:id:)``.
  @inline(__always) func eventKey(source: TextSpan, id: TextSpan, key: HashKey) -> Hash128 {
    let size = 8 + Int(source.length) + Int(id.length)
    // Put together behind the text, where it is overwritten at once.
    let start = text.pointee.reserve(size + 16)
    start.storeBytes(of: UInt64(source.length).littleEndian, as: UInt64.self)
    Self.copy(source, of: textBase, to: start + 8)
    Self.copy(id, of: textBase, to: start + 8 + Int(source.length))
    return key.hash128(readablePast: UnsafeRawPointer(start), count: size)
  }

  /// The lower half of the hash of these words: kind, what is given, and the number of readings
  /// in one; the time; two for each subject given; for each reading two of its shape, two of its
  /// quantity, one of its currency, and two of its cost if it has one.
  @inline(__always) private func fingerprint(_ event: DecodedEvent, key: HashKey) -> UInt64 {
    var words = FingerprintWords(key)
    words.append(
      UInt64(event.subjectKind.rawValue) | (event.otherChain.isEmpty ? 0 : 1 << 8)
        | (event.otherCustomer.isEmpty ? 0 : 1 << 16) | UInt64(event.readingCount) << 32)
    words.append(UInt64(bitPattern: event.time))
    words.append(event.subjectHash)
    if !event.otherChain.isEmpty { words.append(key.hash128(buffer(event.otherChain))) }
    if !event.otherCustomer.isEmpty { words.append(key.hash128(buffer(event.otherCustomer))) }
    for index in Int(event.firstReading)..<readings.count {
      words.append(readings[index].shape)
      words.append(readings[index].quantity)
      words.append(UInt64(readings[index].currency))
      if readings[index].hasCost { words.append(readings[index].cost) }
    }
    return words.finish()
  }
}

/// Hashes whole words.
struct FingerprintWords {
  private var state: SipState
  private var count: UInt64 = 0

  @inline(__always) init(_ key: HashKey) {
    state = SipState(key)
  }

  @inline(__always) mutating func append(_ word: UInt64) {
    state.compress(word)
    count &+= 8
  }

  @inline(__always) mutating func append(_ hash: Hash128) {
    append(hash.low)
    append(hash.high)
  }

  @inline(__always) mutating func append(_ value: Int128) {
    append(UInt64(truncatingIfNeeded: value))
    append(UInt64(truncatingIfNeeded: value >> 64))
  }

  @inline(__always) mutating func finish() -> UInt64 {
    state.finish64(lastWord: count &<< 56)
  }
}
