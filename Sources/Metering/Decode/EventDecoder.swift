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
/// meter or unit over 256 bytes is `unknown_meter`, `unknown_unit`; trailing zeros are no decimals.
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
    do throws(JSONReader.Fault) {
      if try reader.take(0x5B) {
        if try !reader.take(0x5D) {
          repeat {
            guard batch.events.count - events < Limits.eventsPerBody else { throw .tooMany }
            try decodeElement(&reader, into: batch)
          } while try reader.take(0x2C)
          try reader.expect(0x5D)
        }
      } else {
        try decodeElement(&reader, into: batch)
      }
      try reader.expectEnd()
    } catch {
      batch.rewind(events: events, readings: readings, text: text)
      throw reader.jsonFault(error, in: body)
    }
    return batch.events.count - events
  }

  private mutating func decodeElement(
    _ reader: inout JSONReader, into batch: IngestBatch
  ) throws(JSONReader.Fault) {
    _ = try reader.peek()
    let start = reader.place
    try reader.skipValue()
    decodeLine(
      UnsafeRawBufferPointer(start: start, count: reader.place - start), into: batch)
  }
}
