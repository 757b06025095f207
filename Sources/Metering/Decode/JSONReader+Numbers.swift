extension JSONReader {
  /// Takes a number of RFC 8259 that begins at `place` and returns its text.
  @inline(__always) mutating func readNumber() throws(Fault) -> UnsafeRawBufferPointer {
    let start = place
    if byte == 0x2D { place += 1 }
    let first = byte
    guard skipDigits() else { throw .badNumber }
    if first == 0x30, place - start > (start.load(as: UInt8.self) == 0x2D ? 2 : 1) {
      throw .badNumber
    }
    if byte == 0x2E {
      place += 1
      guard skipDigits() else { throw .badNumber }
    }
    if byte | 0x20 == 0x65 {
      place += 1
      if byte == 0x2B || byte == 0x2D { place += 1 }
      guard skipDigits() else { throw .badNumber }
    }
    if Self.isNameByte(byte) { throw .badNumber }
    return UnsafeRawBufferPointer(start: start, count: place - start)
  }

  /// The byte at `place`, 0 at the end.
  @inline(__always) var byte: UInt8 {
    place < end ? place.load(as: UInt8.self) : 0
  }

  /// Whether there was a digit to take.
  @inline(__always) mutating func skipDigits() -> Bool {
    let start = place
    while place < end, place.load(as: UInt8.self) &- 0x30 <= 9 { place += 1 }
    return place > start
  }
}
