/// A JSON value with the place where it begins, for documents that are read once and whole.
package struct JSONNode: Sendable {
  /// The value.
  package var value: JSONValue
  /// Line of its first byte, from 1.
  package var line: Int
  /// Column of its first byte in characters, from 1.
  package var column: Int

  package init(value: JSONValue, line: Int, column: Int) {
    self.value = value
    self.line = line
    self.column = column
  }
}

/// What a JSON text says. Numbers stay text, members keep their order.
package indirect enum JSONValue: Sendable {
  case null
  case bool(Bool)
  /// As written; what JSON5 alone allows is rewritten the way JSON writes it.
  case number(ByteString)
  case string(ByteString)
  case array([JSONNode])
  case object([JSONMember])
}

/// One key of an object with its value.
package struct JSONMember: Sendable {
  /// The unescaped key.
  package var key: ByteString
  /// The value.
  package var node: JSONNode
  /// Line of the key, from 1.
  package var line: Int
  /// Column of the key in characters, from 1.
  package var column: Int

  package init(key: ByteString, node: JSONNode, line: Int, column: Int) {
    self.key = key
    self.node = node
    self.line = line
    self.column = column
  }
}

extension JSONNode {
  /// The member's value; nil if this is no object or has no such key.
  package subscript(_ key: String) -> JSONNode? {
    guard case .object(let members) = value else { return nil }
    var key = key
    return key.withUTF8 { name in
      for member in members where member.key.isEqual(to: UnsafeRawBufferPointer(name)) {
        return member.node
      }
      return nil
    }
  }

  /// Whether this is `null`.
  package var isNull: Bool {
    if case .null = value { true } else { false }
  }

  /// The bytes of a string; nil for another type.
  package var string: ByteString? {
    if case .string(let text) = value { text } else { nil }
  }

  /// The text of a number; nil for another type.
  package var number: ByteString? {
    if case .number(let text) = value { text } else { nil }
  }

  /// A number written as a whole one that fits; `1.0` and `1e3` are nil, like other types.
  package var integer: Int64? {
    number.flatMap { Int64($0.string) }
  }

  /// nil for another type.
  package var bool: Bool? {
    if case .bool(let flag) = value { flag } else { nil }
  }

  /// The members in the order of the text; nil for another type.
  package var members: [JSONMember]? {
    if case .object(let members) = value { members } else { nil }
  }

  /// The elements; nil for another type.
  package var elements: [JSONNode]? {
    if case .array(let elements) = value { elements } else { nil }
  }

  /// What the value is, for messages: `a string`, `an object`.
  package var typeName: String {
    switch value {
    case .null: "null"
    case .bool: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
