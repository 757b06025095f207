import Metering

/// The decoder alone, over lines that are made before the clock runs.
struct BenchDecoder {
  /// Events decoded in a second on this thread, and bytes a line.
  static func run(events wanted: Int, chunkBytes: Int) -> (eventsPerSecond: Double, bytes: Double) {
    var source = BenchEvents(
      seed: 1, purchases: 1_000_000, chunkBytes: chunkBytes,
      nowMicroseconds: CommandSystem.wallMicroseconds())
    var chunks: [[UInt8]] = []
    for number in 0..<64 {
      var buffer: [UInt8] = []
      let filled = source.fill(&buffer, chunk: number, limit: .max)
      chunks.append(Array(buffer[..<filled.bytes]))
    }
    var decoder = EventDecoder(key: HashKey(high: 1, low: 2))
    let batch = IngestBatch()
    var decoded = 0
    let started = CommandSystem.monotonicNanoseconds()
    while decoded < wanted {
      for chunk in chunks {
        batch.removeAll(keepingCapacity: true)
        chunk.withUnsafeBytes { decodeLines($0, by: &decoder, into: batch) }
        decoded += batch.events.count
      }
    }
    let seconds = Double(CommandSystem.monotonicNanoseconds() - started) / 1e9
    return (Double(decoded) / seconds, source.bytesPerLine)
  }

  private static func decodeLines(
    _ bytes: UnsafeRawBufferPointer, by decoder: inout EventDecoder, into batch: IngestBatch
  ) {
    var start = 0
    while start < bytes.count {
      let end = CommandSystem.newline(in: bytes, from: start) ?? bytes.count
      decoder.decodeLine(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), into: batch)
      start = end + 1
    }
  }
}
