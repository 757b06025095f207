/// A meter with its declared attributes, in canonical bytes.
package struct Series: Hashable, Sendable {
  package var meter: ByteString
  /// Declared attributes, sorted by key.
  package var attributes: [SeriesAttribute]

  package init(meter: ByteString, attributes: [SeriesAttribute]) {
    self.meter = meter
    self.attributes = attributes
  }

  /// Length-prefixed meter and attributes: equal bytes if and only if equal series.
  package var canonical: [UInt8] {
    var bytes: [UInt8] = []
    func append(_ text: ByteString) {
      bytes.append(UInt8(truncatingIfNeeded: text.count))
      bytes.append(UInt8(truncatingIfNeeded: text.count >> 8))
      bytes += text.bytes
    }
    append(meter)
    for attribute in attributes {
      append(attribute.key)
      append(attribute.value)
    }
    return bytes
  }

  /// Bytes of ``canonical``.
  package var canonicalCount: Int {
    attributes.reduce(2 + meter.count) { $0 + 4 + $1.key.count + $1.value.count }
  }

  /// Takes canonical bytes back, of which a sum was checked.
  package init(canonical bytes: UnsafeRawBufferPointer) {
    guard let series = Series(ifCanonical: bytes) else {
      preconditionFailure("the bytes of a series")
    }
    self = series
  }

  /// Takes canonical bytes back; nil for others.
  package init?(ifCanonical bytes: UnsafeRawBufferPointer) {
    var offset = 0
    func next() -> ByteString? {
      guard bytes.count - offset >= 2 else { return nil }
      let count = Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
      guard bytes.count - offset - 2 >= count else { return nil }
      defer { offset += 2 + count }
      return ByteString(bytes[offset + 2..<offset + 2 + count])
    }
    guard let meter = next() else { return nil }
    self.init(meter: meter, attributes: [])
    while offset < bytes.count {
      guard let key = next(), let value = next() else { return nil }
      attributes.append(SeriesAttribute(key: key, value: value))
    }
  }
}

/// One declared attribute of a series.
package struct SeriesAttribute: Hashable, Sendable {
  package var key: ByteString
  package var value: ByteString

  package init(key: ByteString, value: ByteString) {
    self.key = key
    self.value = value
  }
}
