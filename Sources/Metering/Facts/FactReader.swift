/// Reads facts from a frame's body. What runs past the end reads as zero and marks the body as
/// damaged: whoever reads must look at ``isDamaged`` before anything of it is believed. A sum was
/// checked before, so that only a program's fault, ours or another version's, leads there.
struct FactReader {
  private let body: UnsafeRawBufferPointer
  private(set) var offset = 0
  private(set) var isDamaged = false
  /// What is wrong with a damaged body.
  private(set) var fault: StaticString = "it ends within a fact"

  init(_ body: UnsafeRawBufferPointer) { self.body = body }

  var isAtEnd: Bool { offset == body.count }
  private var left: Int { body.count - offset }

  /// Gives up: nothing further can be read.
  @inline(never)
  mutating func damage(_ what: StaticString = "it ends within a fact") {
    if !isDamaged { fault = what }
    isDamaged = true
    offset = body.count
  }

  mutating func byte() -> UInt8 {
    guard left >= 1 else {
      damage()
      return 0
    }
    defer { offset += 1 }
    return body[offset]
  }

  mutating func word() -> UInt64 {
    guard left >= 8 else {
      damage()
      return 0
    }
    defer { offset += 8 }
    return UInt64(littleEndian: body.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  mutating func half() -> UInt32 {
    guard left >= 4 else {
      damage()
      return 0
    }
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
    while shift < 70 {
      let next = byte()
      value |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return value }
      shift += 7
    }
    damage()
    return 0
  }

  /// A number of something in memory.
  mutating func number() -> Int {
    let value = varint()
    guard value <= UInt64(Int32.max) else {
      damage()
      return 0
    }
    return Int(value)
  }

  /// How many things follow; each takes a byte at least.
  mutating func count() -> Int {
    let value = varint()
    guard value <= UInt64(left) else {
      damage()
      return 0
    }
    return Int(value)
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
    let count = count()
    defer { offset += count }
    return UnsafeRawBufferPointer(rebasing: body[offset..<offset + count])
  }

  mutating func text() -> ByteString { ByteString(span()) }

  /// A quantity: whole units when `isWhole`, else raw 10^-9.
  mutating func quantity(isWhole: Bool) -> Int128 {
    isWhole ? Int128(signed()) * Quantity.scale : wide()
  }
}
