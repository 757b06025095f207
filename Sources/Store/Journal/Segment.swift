package import Metering

/// What makes a store one store: its id and the key of its hashes.
package struct StoreIdentity: Equatable, Sendable {
  /// Sixteen random bytes.
  package var id: [UInt8]
  /// Sixteen random bytes: the key of event and id hashes.
  package var key: [UInt8]

  /// Takes random bytes, sixteen each.
  package init(id: [UInt8], key: [UInt8]) {
    precondition(id.count == 16 && key.count == 16)
    self.id = id
    self.key = key
  }

  /// The key for ``HashKey``.
  package var hashKey: HashKey {
    key.withUnsafeBytes {
      HashKey(
        high: UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)),
        low: UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
  }
}

/// The head of a segment file, and where the journal stood when it was begun.
struct SegmentHeader: Equatable {
  static let bytes = 4_096
  static let magic: UInt64 = 0x3147_4553_5455_4F00
  private static let words = 12

  var identity: StoreIdentity
  /// Number of the segment since the store began; the upper part of its frames' addresses.
  var ordinal: UInt64
  var firstSequence: UInt64
  /// Chain before the first frame.
  var chain: Hash128
  /// Where the previous segment validly ends; what lies behind is not part of the journal.
  var previousEnd: UInt64

  var name: String {
    let digits = String(firstSequence)
    let padded = String(repeating: "0", count: 20 - digits.count) + digits
    return "journal/\(padded)-\(ordinal).seg"
  }

  private func fields(_ half: (([UInt8]) -> (UInt64, UInt64))) -> [UInt64] {
    let id = half(identity.id)
    let key = half(identity.key)
    return [
      Self.magic, id.0, id.1, key.0, key.1, ordinal, firstSequence, chain.high, chain.low,
      previousEnd,
    ]
  }

  private static func halves(_ bytes: [UInt8]) -> (UInt64, UInt64) {
    bytes.withUnsafeBytes {
      ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
  }

  func encode() -> [UInt8] {
    let words = fields(Self.halves)
    var digest = Digest(Hash128(high: 0, low: 0))
    for word in words { digest.add(word) }
    var bytes = [UInt8](repeating: 0, count: Self.bytes)
    bytes.withUnsafeMutableBytes { raw in
      for (index, word) in (words + [digest.value.high, digest.value.low]).enumerated() {
        raw.storeBytes(of: word.littleEndian, toByteOffset: index * 8, as: UInt64.self)
      }
    }
    return bytes
  }

  /// nil unless the head is whole.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.words * 8 else { return nil }
    let words = bytes.withUnsafeBytes { raw in
      (0..<Self.words).map {
        UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self))
      }
    }
    guard words[0] == Self.magic else { return nil }
    identity = StoreIdentity(id: Array(bytes[8..<24]), key: Array(bytes[24..<40]))
    ordinal = words[5]
    firstSequence = words[6]
    chain = Hash128(high: words[7], low: words[8])
    previousEnd = words[9]
    guard encode().prefix(Self.words * 8) == bytes.prefix(Self.words * 8) else { return nil }
  }

  init(
    identity: StoreIdentity, ordinal: UInt64, firstSequence: UInt64, chain: Hash128,
    previousEnd: UInt64
  ) {
    self.identity = identity
    self.ordinal = ordinal
    self.firstSequence = firstSequence
    self.chain = chain
    self.previousEnd = previousEnd
  }
}

/// An open segment.
struct Segment {
  var header: SegmentHeader
  var file: any DiskFile
}
