/// What JSON5 adds for files written by people.
extension JSONReader {
  /// Takes a comment or a blank beyond ASCII at `place`; false if there is none.
  @inline(never) mutating func skipExtendedBlank() throws(Fault) -> Bool {
    let left = end - place
    func next(_ offset: Int) -> UInt8 {
      offset < left ? place.load(fromByteOffset: offset, as: UInt8.self) : 0
    }
    switch (next(0), next(1), next(2)) {
    case (0x2F, 0x2F, _):
      while place < end, place.load(as: UInt8.self) != 0x0A {
        let byte = place.load(as: UInt8.self)
        place += byte < 0x80 ? 1 : try scalarLength(byte)
      }
      return true
    case (0x2F, 0x2A, _):
      let opening = place
      place += 2
      while end - place >= 2 {
        let byte = place.load(as: UInt8.self)
        if byte == 0x2A, place.load(fromByteOffset: 1, as: UInt8.self) == 0x2F {
          place += 2
          return true
        }
        place += byte < 0x80 ? 1 : try scalarLength(byte)
      }
      place = opening
      throw .unclosedComment
    case (0xC2, 0xA0, _): place += 2
    case (0xEF, 0xBB, 0xBF), (0xE2, 0x80, 0xA8), (0xE2, 0x80, 0xA9): place += 3
    default: return false
    }
    return true
  }

  /// Takes a backslash and what follows: `\xHH`, a line continuation, or a character that stands
  /// for itself.
  mutating func skipExtendedEscape(_ letter: UInt8) throws(Fault) {
    switch letter {
    case 0x78:
      _ = try hexUnit(at: place + 2, digits: 2)
      place += 4
    case 0x30:
      if end - place > 2, place.load(fromByteOffset: 2, as: UInt8.self) &- 0x30 <= 9 {
        throw .badEscape
      }
      place += 2
    case 0x31...0x39: throw .badEscape
    case 0x0D:
      let isPair = end - place > 2 && place.load(fromByteOffset: 2, as: UInt8.self) == 0x0A
      place += isPair ? 3 : 2
    case 0x80...:
      place += 1
      place += try scalarLength(letter)
    default: place += 2
    }
  }

  /// Takes a key without quotes.
  mutating func readBareKey() throws(Fault) -> JSONText {
    let start = place
    guard Self.isNameByte(byte), byte &- 0x30 > 9 else { throw keyFault }
    while place < end, Self.isNameByte(place.load(as: UInt8.self)) {
      let next = place.load(as: UInt8.self)
      place += next < 0x80 ? 1 : try scalarLength(next)
    }
    return JSONText(start: start, count: place - start)
  }

  /// Takes a number and returns it as JSON would write it: no plus sign, digits on both sides of
  /// the point, decimal.
  mutating func readExtendedNumber() throws(Fault) -> [UInt8] {
    var text: [UInt8] = []
    if byte == 0x2D || byte == 0x2B {
      if byte == 0x2D { text.append(0x2D) }
      place += 1
    }
    if byte == 0x49 || byte == 0x4E { throw .notFinite }
    if byte == 0x30, end - place > 1, place.load(fromByteOffset: 1, as: UInt8.self) | 0x20 == 0x78 {
      place += 2
      var value: UInt64 = 0
      let start = place
      while let digit = Self.hexDigit(byte) {
        guard value >> 60 == 0 else { throw .badNumber }
        value = value << 4 | UInt64(digit)
        place += 1
      }
      guard place > start, !Self.isNameByte(byte) else { throw .badNumber }
      return text + Array(String(value).utf8)
    }
    let start = place
    let hasInteger = skipDigits()
    if hasInteger, place - start > 1, start.load(as: UInt8.self) == 0x30 { throw .badNumber }
    text += hasInteger ? Array(UnsafeRawBufferPointer(start: start, count: place - start)) : [0x30]
    if byte == 0x2E {
      let point = place
      place += 1
      if skipDigits() {
        text += UnsafeRawBufferPointer(start: point, count: place - point)
      } else if !hasInteger {
        throw .badNumber
      }
    } else if !hasInteger {
      throw .badNumber
    }
    if byte | 0x20 == 0x65 {
      let mark = place
      place += 1
      if byte == 0x2B || byte == 0x2D { place += 1 }
      guard skipDigits() else { throw .badNumber }
      text += UnsafeRawBufferPointer(start: mark, count: place - mark)
    }
    if Self.isNameByte(byte) { throw .badNumber }
    return text
  }
}

extension JSONText {
  /// Writes what an escape that only JSON5 has stands for, and returns its length.
  static func extendedEscape(
    _ letter: UInt8, _ source: inout UnsafeRawPointer, at target: UnsafeMutableRawPointer
  ) -> Int {
    switch letter {
    case 0x78:
      let value = hex(source + 2, 2)
      source += 4
      return encode(value, at: target)
    case 0x0A:
      source += 2
      return 0
    case 0x0D:
      // A line feed that follows would be a raw one, which no string has: it is the pair's.
      source += 2
      if source.load(as: UInt8.self) == 0x0A { source += 1 }
      return 0
    case 0x30, 0x76:
      source += 2
      target.storeBytes(of: letter == 0x30 ? 0 : 0x0B, as: UInt8.self)
      return 1
    default:
      // The character stands for itself; the rest of its UTF-8 is copied as it is.
      source += 2
      target.storeBytes(of: letter, as: UInt8.self)
      return 1
    }
  }
}
