/// Writes the parts of a stored record: bytes, integers (LEB128, zigzag for signed ones), texts and
/// sections.
struct RecordWriter {
  var bytes: [UInt8] = []

  mutating func unsigned(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func signed(_ value: Int64) {
    unsigned(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  /// Sixteen bytes, little end first.
  mutating func wide(_ value: Int128) {
    for shift in 0..<16 {
      bytes.append(UInt8(truncatingIfNeeded: value >> (8 * Int128(shift))))
    }
  }

  mutating func text(_ text: ByteString) {
    unsigned(UInt64(text.count))
    bytes += text.bytes
  }

  mutating func section(_ tag: UInt8, _ body: [UInt8]) {
    bytes.append(tag)
    unsigned(UInt64(body.count))
    bytes += body
  }
}

/// Takes back what ``RecordWriter`` wrote; nil where the bytes end or overflow.
struct RecordReader {
  private let bytes: [UInt8]
  private var index = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { index == bytes.count }

  mutating func byte() -> UInt8? {
    guard index < bytes.count else { return nil }
    defer { index += 1 }
    return bytes[index]
  }

  mutating func unsigned() -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while let next = byte() {
      guard shift < 63 || (shift == 63 && next <= 1) else { return nil }
      value |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return value }
      shift += 7
    }
    return nil
  }

  mutating func signed() -> Int64? {
    unsigned().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
  }

  mutating func wide() -> Int128? {
    var value: Int128 = 0
    for shift in 0..<16 {
      guard let byte = byte() else { return nil }
      value |= Int128(byte) << (8 * Int128(shift))
    }
    return value
  }

  /// False when the bytes end before the text does.
  mutating func skipText() -> Bool {
    guard let count = unsigned(), count <= UInt64(bytes.count - index) else { return false }
    index += Int(count)
    return true
  }

  mutating func text() -> ByteString? {
    guard let count = unsigned(), count <= UInt64(bytes.count - index) else { return nil }
    defer { index += Int(count) }
    return ByteString(Array(bytes[index..<index + Int(count)]))
  }
}
