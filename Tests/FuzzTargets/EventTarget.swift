import Metering

extension FuzzTarget {
  /// An event line: the fast and the careful decoder say the same, also of a line that comes again
  /// in one batch, and of a body.
  static let events = FuzzTarget(
    name: "events", goal: "accepted",
    words: [
      "\"id\":", "\"source\":", "\"time\":", "\"transactionId\":", "\"originalTransactionId\":",
      "\"customer\":", "\"meter\":", "\"quantity\":", "\"attributes\":{", "\"usage\":[",
      "\"unit\":",
      "\"cost\":{\"amount\":\"1\",\"currency\":\"USD\"}", "\"voids\":{\"id\":\"a\"}",
      "\"completeThrough\":", "null", "true", "\\u0041", "\\ud83d\\ude00",
      "2026-11-30T02:21:39.123Z",
      "+05:30", "1e9", "0.000000001", "999999999999999999", "}", "{", "]", ",", "\"",
    ],
    seeds: { eventSamples.map { Array(text: $0) } }
  ) { input, run in
    let line = Array(input)
    let careful = DecodedLines(input, isCareful: true)
    let twin = run.takesTwin ? line.map { $0 == 0x31 ? 0x32 : $0 } : line
    let fast = twin.withUnsafeBytes { DecodedLines($0, isCareful: false) }
    run.agree(fast, careful, "fast and careful decoder")
    if careful.isAccepted { run.reach("accepted") }
  }

  static let eventSamples = [
    """
    {"id":"req-7f3a","source":"api-1","time":"2026-11-30T02:21:39.123Z",\
    "transactionId":"700001234567890","meter":"llm_tokens","quantity":1532,\
    "attributes":{"model":"gpt-4o","direction":"output"}}
    """,
    """
    {"id":"a","customer":"u-1","usage":[{"meter":"m","quantity":"12.5","unit":"min"},\
    {"meter":"n","quantity":1e3,"cost":{"amount":"0.0123","currency":"USD"}}]}
    """,
    #"{"id":"v","source":"s","voids":{"source":"api-1","id":"req-7f3a"}}"#,
    #"{"source":"s","completeThrough":"2026-11-30T00:00:00+01:00"}"#,
    #"{"source":"s","completeThrough":null}"#,
    #" { "id" : "\u00e9\ud83d\ude00" , "originalTransactionId" : "7" , "meter":"m" ,"quantity":0 } "#,
    #"[{"id":"a","transactionId":"1","meter":"m","quantity":1},{"id":"","quantity":-1}]"#,
  ]
}

/// What decoders make of a line, written out so that two can be compared.
private struct DecodedLines: Equatable {
  private(set) var isAccepted = false
  private var said: [UInt8] = []

  init(_ input: UnsafeRawBufferPointer, isCareful: Bool) {
    let batch = IngestBatch()
    var decoder = EventDecoder(key: HashKey(high: 7, low: 9), isAlwaysCareful: isCareful)
    for _ in 0..<2 { decoder.decodeLine(input, into: batch) }
    do throws(JSONFault) {
      append(UInt64(try decoder.decodeBody(input, into: batch)))
    } catch {
      append(ByteString("\(error.line) \(error.column) \(error.message)"))
    }
    for event in batch.events { append(event, of: batch) }
    isAccepted = batch.events[0].kind == .usage && batch.events[1].kind == .usage
  }

  private mutating func append(_ event: DecodedEvent, of batch: IngestBatch) {
    for hash in [event.key, event.subjectHash, event.targetKey] {
      append(hash.high)
      append(hash.low)
    }
    append(event.fingerprint)
    for number in [event.time, event.through] { append(UInt64(bitPattern: number)) }
    append(UInt64(event.kind.rawValue) << 8 | UInt64(event.subjectKind.rawValue))
    append(ByteString(event.rejection?.name ?? ""))
    for span in [
      event.subject, event.otherChain, event.otherCustomer, event.source, event.id, event.raw,
      event.detail,
    ] {
      append(batch.bytes(span))
    }
    let first = Int(event.firstReading)
    append(UInt64(event.readingCount))
    // A rejected event has none, wherever its first would be.
    guard event.readingCount > 0 else { return }
    for reading in batch.readings[first..<first + Int(event.readingCount)] {
      append(reading, of: batch)
    }
  }

  private mutating func append(_ reading: DecodedReading, of batch: IngestBatch) {
    append(reading.shape.high)
    append(reading.shape.low)
    for span in [reading.canonical, reading.meter, reading.unit, reading.attributes] {
      append(batch.bytes(span))
    }
    append(UInt64(reading.currency))
    append(
      (reading.hasUnit ? 1 : 0) | (reading.quantityWasNumber ? 2 : 0) | (reading.hasCost ? 4 : 0))
    for value in [reading.quantity, reading.cost] {
      append(UInt64(truncatingIfNeeded: value))
      append(UInt64(truncatingIfNeeded: value >> 64))
    }
  }

  private mutating func append(_ word: UInt64) {
    withUnsafeBytes(of: word.littleEndian) { said.append(contentsOf: $0) }
  }

  private mutating func append(_ text: ByteString) {
    append(UInt64(text.count))
    said += text.bytes
  }
}
