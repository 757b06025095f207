/// One pass over an event in order. Whatever it doesn't like it declines by returning nil: the
/// careful decoder looks again and says what is wrong, if anything.
///
/// It reads the line's copy in the batch's text, behind which lie a zero byte and room for
/// everything an event can add: so the text doesn't move, no read needs a check for the end (zero
/// continues nothing), and words may be read beyond it.
struct FastDecoder {
  /// The beginning of the batch's text.
  let base: UnsafeRawPointer
  /// The zero byte behind the line.
  let end: UnsafeRawPointer
  /// The batch's text and slots; references to the batch itself would be counted on this path.
  let text: UnsafeMutablePointer<BatchText>
  let slots: UnsafeMutablePointer<AttributeSlot>
  let days: DayMemo
  /// Whether attributes are taken as text up to their first closing brace. That may be in a string;
  /// then nothing fits, and the line is to be decoded without.
  var defersAttributes: Bool

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
    static let subjects: UInt32 = 8 | 16 | 32
    static let required: UInt32 = 128 | 256
    static let ofReading: UInt32 = 128 | 256 | 512 | 1024 | 2048
  }

  /// Takes the whole line and appends its event.
  @inline(never) func decode(
    _ start: UnsafeRawPointer, raw: TextSpan, into batch: IngestBatch, key: HashKey
  ) -> Bool {
    var event = EventDraft()
    event.raw = raw
    var reading = ReadingDraft()
    let firstReading = batch.readings.count
    guard
      let fields = decodeFields(start, &event, &reading, into: batch, key: key),
      fields & Fields.id != 0, fields & Fields.subjects != 0
    else { return false }
    if fields & Fields.usage == 0 {
      guard fields & Fields.required == Fields.required,
        batch.finishReading(&reading, by: self, key: key)
      else { return false }
    } else if fields & Fields.ofReading != 0 {
      return false
    }
    batch.finishUsage(event, firstReading: firstReading, key: key)
    return true
  }

  /// Takes the event's object and returns which fields were given.
  @inline(__always) private func decodeFields(
    _ start: UnsafeRawPointer, _ event: inout EventDraft, _ reading: inout ReadingDraft,
    into batch: IngestBatch, key: HashKey
  ) -> UInt32? {
    var fields = Fields()
    var place = Self.blank(start)
    guard place.byte == 0x7B else { return nil }
    repeat {
      let (field, value) = Self.key(Self.blank(place + 1))
      guard field != 0, fields.all & field == 0 else { return nil }
      fields.all |= field
      if value.byte == 0x6E {
        guard let next = Self.null(value) else { return nil }
        place = Self.blank(next)
        continue
      }
      fields.given |= field
      let next: UnsafeRawPointer?
      switch field {
      case Fields.id: next = name(value, &event.id, mayBeEmpty: false)
      case Fields.source: next = name(value, &event.source, mayBeEmpty: true)
      case Fields.time: next = time(value, &event.time)
      case Fields.transaction: next = name(value, &event.transaction, mayBeEmpty: false)
      case Fields.chain: next = name(value, &event.chain, mayBeEmpty: false)
      case Fields.customer: next = name(value, &event.customer, mayBeEmpty: false)
      case Fields.usage: next = usage(value, into: batch, key: key)
      default: next = readingValue(field, value, &reading)
      }
      guard let next else { return nil }
      place = Self.blank(next)
    } while place.byte == 0x2C
    guard place.byte == 0x7D, Self.blank(place + 1) == end else { return nil }
    return fields.given
  }

  @inline(__always) private func readingValue(
    _ field: UInt32, _ value: UnsafeRawPointer, _ reading: inout ReadingDraft
  ) -> UnsafeRawPointer? {
    switch field {
    case Fields.meter: return label(value, &reading.meter)
    case Fields.quantity: return quantity(value, &reading)
    case Fields.attributes:
      if _fastPath(defersAttributes) { return attributesText(value, &reading) }
      return attributes(value, &reading.attributeCount)
    case Fields.unit:
      reading.hasUnit = true
      return label(value, &reading.unit)
    case Fields.cost: return cost(value, &reading)
    default: return nil
    }
  }

  /// Takes several readings and appends them.
  @inline(never) private func usage(
    _ start: UnsafeRawPointer, into batch: IngestBatch, key: HashKey
  ) -> UnsafeRawPointer? {
    guard start.byte == 0x5B else { return nil }
    var place = start
    var count = 0
    repeat {
      guard count < Limits.readingsPerEvent else { return nil }
      count += 1
      place = Self.blank(place + 1)
      guard place.byte == 0x7B else { return nil }
      var reading = ReadingDraft()
      var fields = Fields()
      repeat {
        let (field, value) = Self.key(Self.blank(place + 1))
        guard field & Fields.ofReading != 0, fields.all & field == 0 else { return nil }
        fields.all |= field
        if value.byte == 0x6E {
          guard let next = Self.null(value) else { return nil }
          place = Self.blank(next)
          continue
        }
        fields.given |= field
        guard let next = readingValue(field, value, &reading) else { return nil }
        place = Self.blank(next)
      } while place.byte == 0x2C
      guard place.byte == 0x7D, fields.given & Fields.required == Fields.required else {
        return nil
      }
      guard batch.finishReading(&reading, by: self, key: key) else { return nil }
      place = Self.blank(place + 1)
    } while place.byte == 0x2C
    return place.byte == 0x5D ? place + 1 : nil
  }
}

extension EventDecoder {
  /// Decodes a usage event that is in order and appends it; false, with the batch in need of a
  /// rewind, for anything else.
  @inline(__always)
  func decodeFast(_ line: UnsafeRawBufferPointer, into batch: IngestBatch) -> Bool {
    guard let bytes = line.baseAddress, line.count <= Limits.eventBytes else { return false }
    // The copy, what is unescaped, and canonical bytes, which add at most 5 to an attribute that
    // takes 4 beside its key and value, and less to a reading than it takes: below 4 lines.
    let room = batch.text.pointee.reserve(4 * line.count + 64)
    room.copyMemory(from: bytes, byteCount: line.count)
    (room + line.count).storeBytes(of: 0, as: UInt8.self)
    var raw = batch.text.pointee.commit(line.count + 1)
    raw.length &-= 1
    var decoder = FastDecoder(
      base: batch.textBase, end: UnsafeRawPointer(room + line.count), text: batch.text,
      slots: batch.slots, days: batch.days, defersAttributes: true)
    let readings = batch.readings.count
    let text = batch.textCount
    if decoder.decode(UnsafeRawPointer(room), raw: raw, into: batch, key: key) { return true }
    decoder.defersAttributes = false
    batch.rewind(events: batch.events.count, readings: readings, text: text)
    return decoder.decode(UnsafeRawPointer(room), raw: raw, into: batch, key: key)
  }
}
