package import Metering

/// A blocked Bloom filter over event keys: says "surely new" or "look", never "duplicate".
/// Twelve bits a key in blocks of 64 bytes, eight probes: about 0.5 % of new keys are looked up.
package struct Filter: Sendable {
  private var words: [UInt64]

  /// An empty filter for `count` keys.
  package init(count: Int) {
    let blocks = max(1, (count * 12 + 511) / 512)
    words = Array(repeating: 0, count: blocks * 8)
  }

  /// Takes stored bytes back; nil when they aren't whole blocks.
  package init?(bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty && bytes.count % 64 == 0 else { return nil }
    words = (0..<bytes.count / 8).map {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self))
    }
  }

  /// Lends the bytes for the ledger.
  package func withBytes<Value>(_ use: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
    precondition(1.littleEndian == 1, "words are stored lowest byte first")
    return try words.withUnsafeBytes(use)
  }

  @inline(__always)
  private func block(_ key: Hash128) -> Int {
    // Runs are written in order of this half, so that their filters are filled from front to back.
    Int((key.high.multipliedFullWidth(by: UInt64(words.count / 8))).high) * 8
  }

  /// Adds a key.
  package mutating func insert(_ key: Hash128) {
    let base = block(key)
    var bits = key.low
    words.withUnsafeMutableBufferPointer { words in
      for word in 0..<8 {
        words[base + word] |= 1 << (bits & 63)
        bits = bits >> 7 | bits << 57
      }
    }
  }

  /// False only when the key was never inserted.
  @inline(__always)
  package func mayContain(_ key: Hash128) -> Bool {
    let base = block(key)
    var bits = key.low
    return words.withUnsafeBufferPointer { words in
      for word in 0..<8 {
        if words[base + word] & (1 << (bits & 63)) == 0 { return false }
        bits = bits >> 7 | bits << 57
      }
      return true
    }
  }
}
