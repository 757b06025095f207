extension JSONNode {
  /// Reads a whole text. Throws what is malformed first; if nothing is, the first duplicate key.
  package static func parse(
    _ bytes: [UInt8], dialect: JSONDialect
  ) throws(JSONFault) -> JSONNode {
    let result = bytes.withUnsafeBytes { text -> Result<JSONNode, JSONFault> in
      do throws(JSONFault) {
        return .success(try parse(text, dialect: dialect))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// The same for bytes that somebody else keeps.
  package static func parse(
    _ text: UnsafeRawBufferPointer, dialect: JSONDialect
  ) throws(JSONFault) -> JSONNode {
    let (node, duplicate) = try parseKeepingDuplicates(text, dialect: dialect)
    if let duplicate { throw duplicate }
    return node
  }

  /// The same, with the first duplicate key beside the node.
  static func parseKeepingDuplicates(
    _ text: UnsafeRawBufferPointer, dialect: JSONDialect
  ) throws(JSONFault) -> (JSONNode, duplicate: JSONFault?) {
    var builder = JSONBuilder(text, dialect: dialect)
    do throws(JSONReader.Fault) {
      let node = try builder.value(depth: 0)
      try builder.reader.expectEnd()
      return (node, builder.duplicate)
    } catch {
      throw builder.reader.jsonFault(error, in: text)
    }
  }
}

/// Tells whether an object has a key already. Few keys are compared with each other, which is
/// faster than hashing them.
private struct KeySet {
  private var keys: Set<ByteString> = []
  private static let comparedKeys = 24

  /// False if the key is among the members' already, all of which were asked about before.
  mutating func insert(_ key: ByteString, besides members: [JSONMember]) -> Bool {
    if members.count < Self.comparedKeys { return !members.contains { $0.key == key } }
    if keys.isEmpty { keys = Set(members.lazy.map(\.key)) }
    return keys.insert(key).inserted
  }
}

/// Builds nodes from the reader's tokens.
private struct JSONBuilder {
  var reader: JSONReader
  /// The first duplicate key.
  var duplicate: JSONFault?
  /// Up to where lines and columns are counted, so that counting stays linear.
  private var counted: UnsafeRawPointer
  private var line = 1
  private var column = 1

  init(_ text: UnsafeRawBufferPointer, dialect: JSONDialect) {
    reader = JSONReader(text, dialect: dialect)
    counted = reader.place
  }

  mutating func value(depth: Int) throws(JSONReader.Fault) -> JSONNode {
    let first = try reader.peek()
    let (line, column) = position()
    let value: JSONValue
    switch first {
    case 0x7B: value = .object(try object(depth: depth))
    case 0x5B: value = .array(try array(depth: depth))
    case 0x22: value = .string(ByteString(try reader.readString().unescaped))
    case 0x27 where reader.dialect == .json5:
      value = .string(ByteString(try reader.readString(quote: first).unescaped))
    case 0x2B, 0x2D, 0x2E, 0x30...0x39, 0x49, 0x4E:
      if reader.dialect == .json5 {
        value = .number(ByteString(try reader.readExtendedNumber()))
      } else if first == 0x2D || (first >= 0x30 && first <= 0x39) {
        value = .number(ByteString(try reader.readNumber()))
      } else {
        throw .unexpectedCharacter
      }
    case 0 where reader.place == reader.end: throw .unexpectedEnd
    default:
      switch try reader.literal() {
      case .null: value = .null
      case .isTrue: value = .bool(true)
      case .isFalse: value = .bool(false)
      }
    }
    return JSONNode(value: value, line: line, column: column)
  }

  private mutating func array(depth: Int) throws(JSONReader.Fault) -> [JSONNode] {
    guard depth < Limits.jsonDepth else { throw .tooDeep }
    reader.place += 1
    var elements: [JSONNode] = []
    if try reader.take(0x5D) { return elements }
    repeat {
      if reader.dialect == .json5, try reader.peek() == 0x5D, !elements.isEmpty { break }
      elements.append(try value(depth: depth + 1))
    } while try reader.take(0x2C)
    try reader.expect(0x5D)
    return elements
  }

  private mutating func object(depth: Int) throws(JSONReader.Fault) -> [JSONMember] {
    guard depth < Limits.jsonDepth else { throw .tooDeep }
    reader.place += 1
    var members: [JSONMember] = []
    var keys = KeySet()
    if try reader.take(0x7D) { return members }
    repeat {
      let first = try reader.peek()
      if reader.dialect == .json5, first == 0x7D, !members.isEmpty { break }
      guard reader.dialect == .json5 || members.count < Limits.jsonMembers else {
        throw .tooManyMembers
      }
      let (line, column) = position()
      let key = ByteString(try self.key(first).unescaped)
      if !keys.insert(key, besides: members), duplicate == nil {
        duplicate = JSONFault(
          kind: .duplicateKey, line: line, column: column,
          message: "the key \"\(key.string)\" appears twice")
      }
      try reader.expect(0x3A)
      members.append(
        JSONMember(key: key, node: try value(depth: depth + 1), line: line, column: column))
    } while try reader.take(0x2C)
    try reader.expect(0x7D)
    return members
  }

  private mutating func key(_ first: UInt8) throws(JSONReader.Fault) -> JSONText {
    if first == 0x22 { return try reader.readString() }
    guard reader.dialect == .json5 else { throw reader.keyFault }
    return first == 0x27 ? try reader.readString(quote: first) : try reader.readBareKey()
  }

  private mutating func position() -> (line: Int, column: Int) {
    while counted < reader.place {
      let byte = counted.load(as: UInt8.self)
      if byte == 0x0A {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
      counted += 1
    }
    return (line, column)
  }
}
