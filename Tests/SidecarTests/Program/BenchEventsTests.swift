import Metering
import Testing

@testable import Sidecar

struct BenchEventsTests {
  /// As many chunks as make several rounds over the templates.
  @Test func repeatsWhatItSaysItRepeats() {
    var events = BenchEvents(
      seed: 7, purchases: 1000, chunkBytes: 2048, nowMicroseconds: 1_780_000_000_000_000)
    var buffer: [UInt8] = []
    var seen: Set<[UInt8]> = []
    var identifiers: Set<ByteString> = []
    var lines = 0
    for chunk in 0..<640 {
      let filled = events.fill(&buffer, chunk: chunk, limit: .max)
      for line in buffer[..<filled.bytes].split(separator: UInt8(ascii: "\n")) {
        lines += 1
        seen.insert(Array(line))
      }
    }
    for line in seen {
      let id = (try? JSONNode.parse(line, dialect: .strict))?["id"]?.string
      if let id { identifiers.insert(id) }
    }
    // Every line is new or the exact repetition of an earlier one, and no id has two contents.
    #expect(seen.count == lines - events.duplicates)
    #expect(identifiers.count == seen.count)
    #expect((10...30).contains(events.duplicates * 1000 / lines))
  }

  @Test func decodes() {
    var events = BenchEvents(
      seed: 7, purchases: 1000, chunkBytes: 65_536, nowMicroseconds: 1_780_000_000_000_000)
    var buffer: [UInt8] = []
    let filled = events.fill(&buffer, chunk: 70, limit: .max)
    var decoder = EventDecoder(key: HashKey(high: 1, low: 2))
    let batch = IngestBatch()
    for line in buffer[..<filled.bytes].split(separator: UInt8(ascii: "\n")) {
      Array(line).withUnsafeBytes { decoder.decodeLine($0, into: batch) }
    }
    #expect(batch.events.count == filled.lines)
    #expect(batch.events.allSatisfy { $0.kind == .usage })
  }
}
