/// Reads facts from a frame's body. A frame's chain has been checked before, so running past the
/// end is our own bug and traps.
struct FactReader {
  private let body: UnsafeRawBufferPointer
  private(set) var offset = 0

  init(_ body: UnsafeRawBufferPointer) { self.body = body }

  var isAtEnd: Bool { offset == body.count }

  mutating func byte() -> UInt8 {
    precondition(offset < body.count)
    defer { offset += 1 }
    return body[offset]
  }

  mutating func word() -> UInt64 {
    precondition(offset + 8 <= body.count)
    defer { offset += 8 }
    return UInt64(littleEndian: body.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  mutating func half() -> UInt32 {
    precondition(offset + 4 <= body.count)
    defer { offset += 4 }
    return UInt32(littleEndian: body.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  mutating func hash() -> Hash128 {
    let high = word()
    return Hash128(high: high, low: word())
  }

  /// LEB128, at most ten bytes.
  mutating func varint() -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = byte()
      value |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return value }
      shift += 7
      precondition(shift < 70)
    }
  }

  mutating func signed() -> Int64 {
    let value = varint()
    return Int64(bitPattern: (value >> 1) ^ (0 &- (value & 1)))
  }

  mutating func wide() -> Int128 {
    let low = word()
    return Int128(truncatingIfNeeded: Int64(bitPattern: word())) << 64 | Int128(low)
  }

  mutating func span() -> UnsafeRawBufferPointer {
    let count = Int(varint())
    precondition(offset + count <= body.count)
    defer { offset += count }
    return UnsafeRawBufferPointer(rebasing: body[offset..<offset + count])
  }

  mutating func text() -> ByteString { ByteString(span()) }

  /// A quantity: whole units when `isWhole`, else raw 10^-9.
  mutating func quantity(isWhole: Bool) -> Int128 {
    isWhole ? Int128(signed()) * Quantity.scale : wide()
  }
}
