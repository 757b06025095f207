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

  /// The key as hashing takes it.
  package var hashKey: HashKey {
    let words = Self.halves(key)
    return HashKey(high: words.0, low: words.1)
  }

  static func halves(_ bytes: [UInt8]) -> (UInt64, UInt64) {
    bytes.withUnsafeBytes {
      (
        UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)),
        UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
  }
}
