/// A string as it stands between its quotes: checked, not yet unescaped.
struct JSONText {
  let start: UnsafeRawPointer
  let count: Int
  /// Has backslashes.
  var isEscaped: Bool = false
  /// Has bytes at or above 0x7F: DEL or beyond ASCII.
  var isUnusual: Bool = false

  @inline(__always) var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start, count: count)
  }
}

extension JSONReader {
  /// Takes a string whose quote is at `place`; valid UTF-8, escapes and surrogate pairs.
  @inline(__always) mutating func readString() throws(Fault) -> JSONText {
    let start = place + 1
    var cursor = start
    // 8 bytes at a time until one is a quote, a backslash, a control character or above 0x7E.
    // The lowest flag is exact: carries only run upwards.
    while end - cursor >= 8 {
      let word = UInt64(littleEndian: cursor.loadUnaligned(as: UInt64.self))
      let quote = word ^ 0x2222_2222_2222_2222
      let slash = word ^ 0x5C5C_5C5C_5C5C_5C5C
      let ones: UInt64 = 0x0101_0101_0101_0101
      let stops =
        ((quote &- ones) | (slash &- ones) | (word &- 0x2020_2020_2020_2020) | word
          | (word &+ ones)) & 0x8080_8080_8080_8080
      if stops == 0 {
        cursor += 8
        continue
      }
      cursor += stops.trailingZeroBitCount &>> 3
      if _fastPath(cursor.load(as: UInt8.self) == 0x22) {
        place = cursor + 1
        return JSONText(start: start, count: cursor - start)
      }
      break
    }
    var copy = self
    defer { self = copy }
    return try copy.readStringCarefully(start: start, from: cursor)
  }

  /// The same for JSON5's other quote.
  mutating func readString(quote: UInt8) throws(Fault) -> JSONText {
    quote == 0x22 ? try readString() : try readStringCarefully(start: place + 1, from: place + 1)
  }

  @inline(never)
  private mutating func readStringCarefully(
    start: UnsafeRawPointer, from cursor: UnsafeRawPointer
  ) throws(Fault) -> JSONText {
    let quote = (start - 1).load(as: UInt8.self)
    var isEscaped = false
    var isUnusual = false
    place = cursor
    while place < end {
      let byte = place.load(as: UInt8.self)
      if byte == quote {
        place += 1
        return JSONText(
          start: start, count: place - 1 - start, isEscaped: isEscaped, isUnusual: isUnusual)
      }
      if byte == 0x5C {
        isEscaped = true
        try skipEscape()
      } else if byte < 0x20 {
        guard dialect == .json5, byte != 0x0A, byte != 0x0D else { throw .controlCharacter }
        place += 1
      } else if byte < 0x7F {
        place += 1
      } else {
        isUnusual = true
        place += byte == 0x7F ? 1 : try scalarLength(byte)
      }
    }
    throw .unexpectedEnd
  }

  /// Length of the UTF-8 sequence at `place` that begins with this byte above 0x7F.
  func scalarLength(_ first: UInt8) throws(Fault) -> Int {
    let left = end - place
    func next(_ offset: Int) -> UInt8 {
      offset < left ? place.load(fromByteOffset: offset, as: UInt8.self) : 0
    }
    func continues(_ offset: Int) -> Bool { next(offset) & 0xC0 == 0x80 }
    switch first {
    case 0xC2...0xDF where continues(1): return 2
    case 0xE0 where next(1) >= 0xA0 && continues(1) && continues(2): return 3
    case 0xED where next(1) < 0xA0 && continues(1) && continues(2): return 3
    case 0xE1...0xEC, 0xEE, 0xEF: if continues(1) && continues(2) { return 3 }
    case 0xF0 where next(1) >= 0x90 && continues(1) && continues(2) && continues(3): return 4
    case 0xF4 where next(1) < 0x90 && continues(1) && continues(2) && continues(3): return 4
    case 0xF1...0xF3: if continues(1) && continues(2) && continues(3) { return 4 }
    default: break
    }
    throw .badUTF8
  }

  /// Takes the escape whose backslash is at `place`.
  private mutating func skipEscape() throws(Fault) {
    guard end - place >= 2 else { throw .unexpectedEnd }
    let letter = place.load(fromByteOffset: 1, as: UInt8.self)
    switch letter {
    case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74:
      place += 2
    case 0x75:
      let unit = try hexUnit(at: place + 2, digits: 4)
      if unit & 0xF800 != 0xD800 {
        place += 6
        return
      }
      guard unit < 0xDC00, end - place >= 8,
        place.load(fromByteOffset: 6, as: UInt8.self) == 0x5C,
        place.load(fromByteOffset: 7, as: UInt8.self) == 0x75
      else { throw .loneSurrogate }
      guard try hexUnit(at: place + 8, digits: 4) & 0xFC00 == 0xDC00 else { throw .loneSurrogate }
      place += 12
    default:
      guard dialect == .json5 else { throw .badEscape }
      try skipExtendedEscape(letter)
    }
  }

  /// The value of so many hexadecimal digits.
  func hexUnit(at start: UnsafeRawPointer, digits: Int) throws(Fault) -> UInt32 {
    guard end - start >= digits else { throw .unexpectedEnd }
    var value: UInt32 = 0
    for offset in 0..<digits {
      guard let digit = Self.hexDigit(start.load(fromByteOffset: offset, as: UInt8.self)) else {
        throw .badEscape
      }
      value = value << 4 | digit
    }
    return value
  }

  static func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case 0x30...0x39: UInt32(byte - 0x30)
    case 0x41...0x46: UInt32(byte - 0x37)
    case 0x61...0x66: UInt32(byte - 0x57)
    default: nil
    }
  }
}

extension JSONText {
  /// Writes what the string means, at most `count` bytes, and returns how many.
  func unescape(into output: UnsafeMutableRawPointer) -> Int {
    var source = start
    var target = output
    let end = start + count
    while source < end {
      let byte = source.load(as: UInt8.self)
      guard byte == 0x5C else {
        target.storeBytes(of: byte, as: UInt8.self)
        source += 1
        target += 1
        continue
      }
      let letter = source.load(fromByteOffset: 1, as: UInt8.self)
      if letter == 0x75 {
        target += Self.encode(Self.scalar(&source), at: target)
        continue
      }
      if let plain = Self.plainEscape(letter) {
        target.storeBytes(of: plain, as: UInt8.self)
        target += 1
        source += 2
      } else {
        target += Self.extendedEscape(letter, &source, at: target)
      }
    }
    return target - output
  }

  /// The byte that an escape of RFC 8259 stands for.
  private static func plainEscape(_ letter: UInt8) -> UInt8? {
    switch letter {
    case 0x22, 0x27, 0x5C, 0x2F: letter
    case 0x62: 0x08
    case 0x66: 0x0C
    case 0x6E: 0x0A
    case 0x72: 0x0D
    case 0x74: 0x09
    default: nil
    }
  }

  /// Takes one `\u` escape or a pair of them; they were checked when the string was read.
  private static func scalar(_ source: inout UnsafeRawPointer) -> UInt32 {
    let unit = hex(source + 2, 4)
    source += 6
    guard unit & 0xFC00 == 0xD800 else { return unit }
    let low = hex(source + 2, 4)
    source += 6
    return 0x10000 + (unit & 0x3FF) << 10 + (low & 0x3FF)
  }

  static func hex(_ start: UnsafeRawPointer, _ digits: Int) -> UInt32 {
    (0..<digits).reduce(0) { value, offset in
      let digit = JSONReader.hexDigit(start.load(fromByteOffset: offset, as: UInt8.self))
      return value << 4 | (digit ?? 0)
    }
  }

  /// Writes the scalar's UTF-8 and returns its length.
  static func encode(_ scalar: UInt32, at target: UnsafeMutableRawPointer) -> Int {
    func put(_ offset: Int, _ value: UInt32) {
      target.storeBytes(
        of: UInt8(truncatingIfNeeded: value), toByteOffset: offset, as: UInt8.self)
    }
    switch scalar {
    case ..<0x80:
      put(0, scalar)
      return 1
    case ..<0x800:
      put(0, 0xC0 | scalar >> 6)
      put(1, 0x80 | scalar & 0x3F)
      return 2
    case ..<0x10000:
      put(0, 0xE0 | scalar >> 12)
      put(1, 0x80 | scalar >> 6 & 0x3F)
      put(2, 0x80 | scalar & 0x3F)
      return 3
    default:
      put(0, 0xF0 | scalar >> 18)
      put(1, 0x80 | scalar >> 12 & 0x3F)
      put(2, 0x80 | scalar >> 6 & 0x3F)
      put(3, 0x80 | scalar & 0x3F)
      return 4
    }
  }

  /// What the string means, as bytes of its own.
  var unescaped: [UInt8] {
    guard isEscaped else { return Array(bytes) }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
      guard let base = buffer.baseAddress else { return }
      written = unescape(into: UnsafeMutableRawPointer(base))
    }
  }
}
