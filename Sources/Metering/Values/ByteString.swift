/// Opaque bytes that name something: an id, a meter, a currency. Equality and order are those of
/// the bytes, never of Unicode (Swift's `String` would call differently composed names equal).
package struct ByteString: Hashable, Comparable, Sendable, ExpressibleByStringLiteral {
  /// The bytes as they came in.
  package var bytes: [UInt8]

  /// Copies the bytes.
  package init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  /// Takes the array without copying.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The string's UTF-8.
  package init(_ string: String) {
    bytes = Array(string.utf8)
  }

  package init(stringLiteral value: String) {
    bytes = Array(value.utf8)
  }

  /// For printing only: what isn't UTF-8 becomes U+FFFD.
  package var string: String { String(decoding: bytes, as: UTF8.self) }

  /// Whether there are no bytes.
  package var isEmpty: Bool { bytes.isEmpty }

  /// Whether they are these bytes.
  func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count == other.count else { return false }
    return bytes.withUnsafeBytes { own in
      for index in 0..<own.count where own[index] != other[index] { return false }
      return true
    }
  }

  /// Number of bytes.
  package var count: Int { bytes.count }

  /// Feeds all bytes at once: one by one, as an array does it, is many times slower.
  package func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    hasher.combine(bytes.count)
  }

  /// Lexicographic order of unsigned bytes; a prefix comes before what continues it.
  package static func < (left: ByteString, right: ByteString) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}

extension ByteString: CustomStringConvertible {
  /// The same as ``string``.
  package var description: String { string }
}
