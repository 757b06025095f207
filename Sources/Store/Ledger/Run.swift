import Metering

/// A sorted, immutable set of event keys in the ledger's blocks.
package struct Run: Sendable {
  package var id: Int64
  /// How many merges it has been through.
  package var level: Int64
  package var count: Int64
  /// The journal's sequence numbers that it covers.
  package var firstSequence: UInt64
  package var lastSequence: UInt64
  /// Keys are spread over 2^bits blocks by their leading bits.
  package var bits: Int64
  package var filter: Filter

  /// Row id of the block that would hold a key.
  func block(of key: Hash128) -> Int64 {
    id << 32 | Int64(bits == 0 ? 0 : key.high >> (64 - UInt64(bits)))
  }

  /// Blocks for `count` keys: about 32 to a block, so that none outgrows a page.
  static func bits(for count: Int) -> Int64 {
    var bits: Int64 = 0
    while count >> bits > 48 { bits += 1 }
    return bits
  }
}

/// Records of a run's block: key, fingerprint, location and flags, 32 bytes each.
enum RunRecord {
  static let bytes = 32
  private static let voided: UInt64 = 1 << 63
  private static let void: UInt64 = 1 << 62

  static func append(_ entry: KeyEntry, to block: inout [UInt8]) {
    precondition(entry.location.raw < void)
    let location =
      entry.location.raw | (entry.isVoided ? voided : 0) | (entry.isVoid ? void : 0)
    for word in [entry.key.high, entry.key.low, entry.fingerprint, location] {
      withUnsafeBytes(of: word.littleEndian) { block.append(contentsOf: $0) }
    }
  }

  static func entry(_ number: Int, of block: UnsafeRawBufferPointer) -> KeyEntry {
    func word(_ index: Int) -> UInt64 {
      UInt64(
        littleEndian: block.loadUnaligned(
          fromByteOffset: number * bytes + index * 8, as: UInt64.self))
    }
    let location = word(3)
    return KeyEntry(
      key: Hash128(high: word(0), low: word(1)), fingerprint: word(2),
      location: Location(raw: location & ~(voided | void)), isVoided: location & voided != 0,
      isVoid: location & void != 0)
  }

  static func find(_ key: Hash128, in block: UnsafeRawBufferPointer) -> KeyEntry? {
    for number in 0..<block.count / bytes {
      let found = entry(number, of: block)
      if found.key == key { return found }
    }
    return nil
  }
}
