package import Metering

/// A blocked Bloom filter over event keys: says "surely new" or "look", never "duplicate".
/// Twelve bits a key in blocks of 64 bytes, eight probes: about 0.5 % of new keys are looked up.
///
/// `@unchecked Sendable`: one thread fills it, and nobody changes it once it is shared.
package final class Filter: @unchecked Sendable {
  /// Its words for those who look, while the filter lives: without a reference, which would be
  /// counted with each look.
  package let probe: Probe
  private let words: UnsafeMutablePointer<UInt64>

  /// An empty filter for `count` keys.
  package convenience init(count: Int) {
    self.init(blocks: max(1, (count * 12 + 511) / 512))
  }

  /// Takes stored bytes back; nil when they aren't whole blocks.
  package convenience init?(bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty && bytes.count % Probe.blockBytes == 0 else { return nil }
    self.init(blocks: bytes.count / Probe.blockBytes)
    for word in 0..<bytes.count / 8 {
      words[word] = UInt64(
        littleEndian: bytes.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self))
    }
  }

  private init(blocks: Int) {
    // On whole lines of the processor's cache, so that a look is at one of them.
    words = .allocate(large: blocks * Probe.blockWords, System.preferLargePages)
    words.initialize(repeating: 0, count: blocks * Probe.blockWords)
    probe = Probe(words: words, blocks: blocks)
  }

  deinit { words.deallocate() }

  /// Lends the bytes for the ledger.
  package func withBytes<Value>(_ use: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
    precondition(1.littleEndian == 1, "words are stored lowest byte first")
    return try use(
      UnsafeRawBufferPointer(start: words, count: probe.blocks * Probe.blockBytes))
  }

  /// Adds a key.
  package func insert(_ key: Hash128) {
    let base = probe.block(of: key)
    var bits = key.low
    for word in 0..<Probe.blockWords {
      words[base + word] |= 1 << (bits & 63)
      bits = bits >> 7 | bits << 57
    }
  }

  /// A filter's words.
  package struct Probe: @unchecked Sendable {
    // Unchecked: see the filter.
    fileprivate static let blockWords = 8
    fileprivate static let blockBytes = blockWords * 8
    fileprivate let words: UnsafePointer<UInt64>
    fileprivate let blocks: Int

    fileprivate init(words: UnsafePointer<UInt64>, blocks: Int) {
      self.words = words
      self.blocks = blocks
    }

    @inline(__always)
    fileprivate func block(of key: Hash128) -> Int {
      // Runs are written in order of this half, so that their filters are filled front to back.
      Int(key.high.multipliedFullWidth(by: UInt64(blocks)).high) * Self.blockWords
    }

    /// Brings the place of a key nearer (see ``LookAhead``).
    @inline(__always)
    package func glance(_ key: Hash128) -> UInt64 { words[block(of: key)] }

    /// False only when the key was never inserted.
    @inline(__always)
    package func mayContain(_ key: Hash128) -> Bool {
      let base = block(of: key)
      var bits = key.low
      for word in 0..<Self.blockWords {
        if words[base + word] & (1 << (bits & 63)) == 0 { return false }
        bits = bits >> 7 | bits << 57
      }
      return true
    }
  }
}
