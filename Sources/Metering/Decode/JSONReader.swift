/// Pulls tokens out of JSON text that somebody else keeps alive: the one reader for hot event
/// lines and cold documents. It allocates nothing and never reads beyond the text.
///
/// Where the text is at fault, `place` is left there.
struct JSONReader {
  /// The next byte to read.
  var place: UnsafeRawPointer
  /// Behind the last byte.
  let end: UnsafeRawPointer
  let dialect: JSONDialect

  /// The text must outlive the reader; an empty one may have no address, where nothing is read.
  @inline(__always) init(_ text: UnsafeRawBufferPointer, dialect: JSONDialect = .strict) {
    let base = text.baseAddress ?? UnsafeRawPointer(Self.noText)
    place = base
    end = base + text.count
    self.dialect = dialect
  }

  /// What is wrong at `place`.
  enum Fault: Error {
    case unexpectedEnd, unexpectedCharacter, trailing, badLiteral, badNumber, notFinite
    case controlCharacter, badEscape, loneSurrogate, badUTF8, unclosedComment, tooDeep, tooMany
    case tooManyMembers, byteOrderMark

    var kind: JSONFault.Kind {
      switch self {
      case .tooDeep: .tooDeep
      case .tooMany, .tooManyMembers: .tooMany
      default: .malformed
      }
    }

    var message: String {
      switch self {
      case .unexpectedEnd: "the text ends too early"
      case .unexpectedCharacter: "unexpected character"
      case .trailing: "something follows the value"
      case .badLiteral: "expected true, false or null"
      case .badNumber: "malformed number"
      case .notFinite: "numbers must be finite"
      case .controlCharacter: "unescaped control character in a string"
      case .badEscape: "malformed escape in a string"
      case .loneSurrogate: "half of a surrogate pair in a string"
      case .badUTF8: "invalid UTF-8"
      case .unclosedComment: "the comment is not closed"
      case .tooDeep: "more than \(Limits.jsonDepth) arrays and objects within each other"
      case .tooMany: "more than \(Limits.eventsPerBody) events in one body"
      case .tooManyMembers: "more than \(Limits.jsonMembers) members in one object"
      case .byteOrderMark: "a byte order mark, which JSON doesn't begin with"
      }
    }
  }

  /// The next byte that is neither blank nor comment, without taking it; 0 at the end.
  @inline(__always) mutating func peek() throws(Fault) -> UInt8 {
    while place < end {
      let byte = place.load(as: UInt8.self)
      if byte > 0x20 {
        if _fastPath(dialect == .strict || (byte != 0x2F && byte < 0x80)) { return byte }
        // Called on a copy, here and elsewhere: a reader whose address goes nowhere lives in
        // registers.
        var copy = self
        defer { self = copy }
        if try !copy.skipExtendedBlank() { return byte }
      } else if byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
        place += 1
      } else if dialect == .json5, byte == 0x0B || byte == 0x0C {
        place += 1
      } else {
        throw .unexpectedCharacter
      }
    }
    return 0
  }

  /// Takes the byte if it comes next.
  @inline(__always) mutating func take(_ byte: UInt8) throws(Fault) -> Bool {
    guard try peek() == byte else { return false }
    place += 1
    return true
  }

  /// Takes the byte, which has to come next.
  @inline(__always) mutating func expect(_ byte: UInt8) throws(Fault) {
    if place < end, place.load(as: UInt8.self) == byte {
      place += 1
      return
    }
    guard try peek() == byte else {
      throw place < end ? .unexpectedCharacter : .unexpectedEnd
    }
    place += 1
  }

  /// Nothing but blanks may follow.
  @inline(__always) mutating func expectEnd() throws(Fault) {
    _ = try peek()
    if place < end { throw .trailing }
  }

  /// Takes `true`, `false` or `null` at `place`.
  @inline(__always) mutating func literal() throws(Fault) -> Literal {
    var copy = self
    defer { self = copy }
    return try copy.readLiteral()
  }

  @inline(never) private mutating func readLiteral() throws(Fault) -> Literal {
    for (text, value) in Self.literals {
      let count = text.utf8CodeUnitCount
      guard end - place >= count else { continue }
      let same = (0..<count).allSatisfy {
        place.load(fromByteOffset: $0, as: UInt8.self) == text.utf8Start[$0]
      }
      guard same else { continue }
      if end - place > count, Self.isNameByte(place.load(fromByteOffset: count, as: UInt8.self)) {
        throw .badLiteral
      }
      place += count
      return value
    }
    if byte == 0xEF, end - place >= 3, place.load(fromByteOffset: 1, as: UInt8.self) == 0xBB,
      place.load(fromByteOffset: 2, as: UInt8.self) == 0xBF
    {
      throw .byteOrderMark
    }
    throw Self.isNameByte(byte) ? .badLiteral : keyFault
  }

  enum Literal { case null, isFalse, isTrue }

  private static let literals: [(StaticString, Literal)] = [
    ("true", .isTrue), ("false", .isFalse), ("null", .null),
  ]

  /// Letters, digits, `_`, `$` and whatever isn't ASCII.
  static func isNameByte(_ byte: UInt8) -> Bool {
    (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A) || (byte >= 0x30 && byte <= 0x39)
      || byte == 0x5F || byte == 0x24 || byte >= 0x80
  }

  /// Takes one whole value and everything within; checks all but duplicate keys.
  mutating func skipValue(depth: Int = 0) throws(Fault) {
    switch try peek() {
    case 0x7B:
      guard depth < Limits.jsonDepth else { throw .tooDeep }
      place += 1
      if try take(0x7D) { return }
      repeat {
        guard try peek() == 0x22 else { throw keyFault }
        _ = try readString()
        try expect(0x3A)
        try skipValue(depth: depth + 1)
      } while try take(0x2C)
      try expect(0x7D)
    case 0x5B:
      guard depth < Limits.jsonDepth else { throw .tooDeep }
      place += 1
      if try take(0x5D) { return }
      repeat { try skipValue(depth: depth + 1) } while try take(0x2C)
      try expect(0x5D)
    case 0x22: _ = try readString()
    case 0x2D, 0x30...0x39: _ = try readNumber()
    case 0: throw .unexpectedEnd
    default: _ = try literal()
    }
  }

  /// Why no key is at `place`.
  var keyFault: Fault { place < end ? .unexpectedCharacter : .unexpectedEnd }

  /// The fault with its place and a message.
  func jsonFault(_ fault: Fault, in text: UnsafeRawBufferPointer) -> JSONFault {
    let (line, column) = Self.position(of: place, in: text)
    return JSONFault(kind: fault.kind, line: line, column: column, message: fault.message)
  }

  /// Line and column of a byte of the text, both from 1; columns count characters.
  static func position(
    of place: UnsafeRawPointer, in text: UnsafeRawBufferPointer
  ) -> (line: Int, column: Int) {
    var line = 1
    var column = 1
    let count = text.baseAddress.map { place - $0 } ?? 0
    for byte in text[..<min(max(count, 0), text.count)] {
      if byte == 0x0A {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return (line, column)
  }

  nonisolated(unsafe) private static let noText = UnsafeMutableRawPointer.allocate(
    byteCount: 1, alignment: 1)
}
