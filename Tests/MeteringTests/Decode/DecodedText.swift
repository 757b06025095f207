import Metering

/// Decoded events with their text resolved, so that two decodings can be compared.
struct DecodedText: Equatable, CustomStringConvertible {
  var event: DecodedEvent
  var texts: [ByteString]
  var readings: [DecodedReading]
  var readingTexts: [[ByteString]]

  init(_ index: Int, of batch: IngestBatch) {
    var event = batch.events[index]
    texts = [
      event.subject, event.otherChain, event.otherCustomer, event.source, event.id, event.raw,
      event.detail,
    ].map { batch.bytes($0) }
    let range = Int(event.firstReading)..<Int(event.firstReading) + Int(event.readingCount)
    readings = batch.readings[range].map { $0 }
    readingTexts = readings.map { reading in
      [reading.canonical, reading.meter, reading.unit, reading.attributes].map { batch.bytes($0) }
    }
    for index in readings.indices {
      readings[index].canonical = TextSpan()
      readings[index].meter = TextSpan()
      readings[index].unit = TextSpan()
      readings[index].attributes = TextSpan()
    }
    event.subject = TextSpan()
    event.otherChain = TextSpan()
    event.otherCustomer = TextSpan()
    event.source = TextSpan()
    event.id = TextSpan()
    event.raw = TextSpan()
    event.detail = TextSpan()
    event.firstReading = 0
    self.event = event
  }

  /// `ok`, `void`, `mark`, or the code of the rejection.
  var verdict: String {
    switch event.kind {
    case .usage: "ok"
    case .void: "void"
    case .mark: "mark"
    case .rejected: event.rejection?.name ?? "nothing"
    }
  }

  var description: String { "\(verdict) \(texts) \(event) \(readings) \(readingTexts)" }

  static func decode(
    _ line: [UInt8], isAlwaysCareful: Bool = false, into batch: IngestBatch = IngestBatch()
  ) -> DecodedText {
    var decoder = EventDecoder(
      key: HashKey(high: 7, low: 9), isAlwaysCareful: isAlwaysCareful)
    // Exactly as many bytes as the line has, so that a read beyond them shows under a sanitizer.
    let exact = UnsafeMutableRawBufferPointer.allocate(byteCount: line.count, alignment: 1)
    defer { exact.deallocate() }
    exact.copyBytes(from: line)
    decoder.decodeLine(UnsafeRawBufferPointer(exact), into: batch)
    return DecodedText(batch.events.count - 1, of: batch)
  }

  static func decode(_ line: String) -> DecodedText { decode(Array(line.utf8)) }
}
