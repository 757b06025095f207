/// Turns event lines and bodies into an ``IngestBatch``, with every check that needs neither
/// configuration nor clock nor store.
///
/// Two ways lead to the same result: the fast one takes what is in order, and hands everything else
/// to the careful one, which names the first fault in order of meaning: not JSON, duplicate key,
/// unknown field, id, source, subject, time, then the readings in their order. So a verdict doesn't
/// depend on the order of keys. `null` means absent, except for `completeThrough`.
///
/// Decisions that the contract leaves open: a missing meter, both `meter` and `usage`, an empty
/// `usage` and a wrong JSON type without a code of its own are `invalid_json` with a detail; a
/// meter or unit over 256 bytes is `unknown_meter`, `unknown_unit`; zeros at the end of a
/// string are decimals.
package struct EventDecoder: Sendable {
  let key: HashKey
  private let isAlwaysCareful: Bool

  /// The key under which ids, subjects and shapes are hashed. `isAlwaysCareful` takes the slow way
  /// with every event, for tests that compare the two.
  package init(key: HashKey, isAlwaysCareful: Bool = false) {
    self.key = key
    self.isAlwaysCareful = isAlwaysCareful
  }

  /// Decodes one event and appends exactly one ``DecodedEvent``, perhaps a rejected one. Blank
  /// lines are the caller's business.
  package mutating func decodeLine(_ line: UnsafeRawBufferPointer, into batch: IngestBatch) {
    let readings = batch.readings.count
    let text = batch.textCount
    if !isAlwaysCareful, decodeFast(line, into: batch) { return }
    batch.rewind(events: batch.events.count, readings: readings, text: text)
    decodeCarefully(line, into: batch)
  }

  /// Decodes a body of one event or an array of them and returns how many ``DecodedEvent``s it
  /// appended. What is JSON but no good event is a rejected one. Throws for malformed JSON and for
  /// more than ``Limits/eventsPerBody`` elements, and then appends nothing.
  package mutating func decodeBody(
    _ body: UnsafeRawBufferPointer, into batch: IngestBatch
  ) throws(JSONFault) -> Int {
    let events = batch.events.count
    let readings = batch.readings.count
    let text = batch.textCount
    var reader = JSONReader(body)
    var cursor = EventsCursor()
    do throws(JSONReader.Fault) {
      while let event = try cursor.next(&reader) { decodeElement(event, into: batch) }
    } catch {
      batch.rewind(events: events, readings: readings, text: text)
      throw reader.jsonFault(error, in: body)
    }
    return batch.events.count - events
  }

  /// Checks that a body is JSON, from `cursor` on for about so many bytes; true at its end. Throws
  /// what ``decodeBody(_:into:)`` throws.
  package func checkBody(
    _ body: UnsafeRawBufferPointer, from cursor: inout EventsCursor, bytes: Int
  ) throws(JSONFault) -> Bool {
    var reader = JSONReader(body)
    cursor.place(&reader, in: body)
    let start = cursor.offset
    do throws(JSONReader.Fault) {
      while try cursor.next(&reader) != nil {
        cursor.note(reader, in: body)
        if cursor.offset - start >= bytes { return false }
      }
    } catch {
      throw reader.jsonFault(error, in: body)
    }
    return true
  }

  /// Decodes a body that was checked, from `cursor` on, until `isEnough` says so, which is asked
  /// after each event with the bytes used so far; true at its end.
  package mutating func decodeBody(
    _ body: UnsafeRawBufferPointer, from cursor: inout EventsCursor, into batch: IngestBatch,
    until isEnough: (Int) -> Bool
  ) -> Bool {
    var reader = JSONReader(body)
    cursor.place(&reader, in: body)
    let start = cursor.offset
    while let event = try? cursor.next(&reader) {
      decodeElement(event, into: batch)
      cursor.note(reader, in: body)
      if isEnough(cursor.offset - start) { return false }
    }
    return true
  }

  private mutating func decodeElement(_ event: UnsafeRawBufferPointer, into batch: IngestBatch) {
    guard event.count <= Limits.eventBytes else { return batch.appendTooLarge() }
    decodeLine(event, into: batch)
  }
}

/// How far a body of one event or an array of them is read, so that reading it can be left off and
/// taken up again between two events.
package struct EventsCursor: Sendable {
  private enum Place { case beginning, behindEvent, end }

  private var next = Place.beginning
  private var isList = false
  private var count = 0
  /// The bytes read.
  fileprivate(set) var offset = 0

  /// At the beginning of a body.
  package init() {}

  fileprivate func place(_ reader: inout JSONReader, in body: UnsafeRawBufferPointer) {
    if offset > 0, let base = body.baseAddress { reader.place = base + offset }
  }

  fileprivate mutating func note(_ reader: JSONReader, in body: UnsafeRawBufferPointer) {
    offset = body.baseAddress.map { reader.place - $0 } ?? 0
  }

  /// The bytes of the next event, whatever it is; nil at the end.
  mutating func next(_ reader: inout JSONReader) throws(JSONReader.Fault)
    -> UnsafeRawBufferPointer?
  {
    switch next {
    case .beginning:
      isList = try reader.take(0x5B)
      if isList, try reader.take(0x5D) { return try end(&reader) }
    case .behindEvent:
      guard isList else { return try end(&reader) }
      guard try reader.take(0x2C) else {
        try reader.expect(0x5D)
        return try end(&reader)
      }
    case .end: return nil
    }
    guard count < Limits.eventsPerBody else { throw .tooMany }
    _ = try reader.peek()
    let start = reader.place
    try reader.skipValue()
    count += 1
    next = .behindEvent
    return UnsafeRawBufferPointer(start: start, count: reader.place - start)
  }

  private mutating func end(
    _ reader: inout JSONReader
  ) throws(JSONReader.Fault) -> UnsafeRawBufferPointer? {
    try reader.expectEnd()
    next = .end
    return nil
  }
}
