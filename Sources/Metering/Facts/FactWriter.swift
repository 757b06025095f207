/// Appends facts to a frame body in a buffer of fixed size; running over it is our own bug.
struct FactWriter {
  let start: UnsafeMutableRawPointer
  let capacity: Int
  var count = 0

  mutating func byte(_ value: UInt8) {
    precondition(count < capacity)
    start.storeBytes(of: value, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  mutating func word(_ value: UInt64) {
    precondition(count + 8 <= capacity)
    start.storeBytes(of: value.littleEndian, toByteOffset: count, as: UInt64.self)
    count += 8
  }

  mutating func half(_ value: UInt32) {
    precondition(count + 4 <= capacity)
    start.storeBytes(of: value.littleEndian, toByteOffset: count, as: UInt32.self)
    count += 4
  }

  mutating func hash(_ value: Hash128) {
    word(value.high)
    word(value.low)
  }

  mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      byte(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    byte(UInt8(truncatingIfNeeded: rest))
  }

  mutating func signed(_ value: Int64) {
    varint(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  mutating func wide(_ value: Int128) {
    word(UInt64(truncatingIfNeeded: value))
    word(UInt64(truncatingIfNeeded: value >> 64))
  }

  mutating func span(_ bytes: UnsafeRawBufferPointer) {
    varint(UInt64(bytes.count))
    precondition(count + bytes.count <= capacity)
    if let source = bytes.baseAddress {
      (start + count).copyMemory(from: source, byteCount: bytes.count)
    }
    count += bytes.count
  }

  mutating func text(_ value: ByteString) {
    value.bytes.withUnsafeBytes { span($0) }
  }

  /// The value in whole units when it is one that fits 63 bits; nil asks for the raw form.
  static func whole(_ raw: Int128) -> Int64? {
    if let narrow = Int64(exactly: raw) {
      let (quotient, remainder) = narrow.quotientAndRemainder(dividingBy: 1_000_000_000)
      return remainder == 0 ? quotient : nil
    }
    let (quotient, remainder) = raw.quotientAndRemainder(dividingBy: Quantity.scale)
    return remainder == 0 ? Int64(exactly: quotient) : nil
  }
}
