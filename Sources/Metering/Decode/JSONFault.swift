/// How a JSON text is read.
package enum JSONDialect: Sendable {
  /// RFC 8259, nothing else: events and request bodies.
  case strict
  /// JSON5, for files written by people: comments, trailing commas, unquoted keys, single quotes,
  /// hexadecimal and signed numbers. `Infinity` and `NaN` are refused.
  case json5
}

/// Why and where a text is not the JSON that was asked for.
package struct JSONFault: Error, Equatable, Sendable {
  /// What is wrong.
  package enum Kind: Sendable {
    /// Not JSON.
    case malformed
    /// An object has one key twice. Reported only for texts that are JSON otherwise.
    case duplicateKey
    /// More nesting than ``Limits/jsonDepth``.
    case tooDeep
    /// An object with more members than ``Limits/jsonMembers``, or a list of more events than
    /// ``Limits/eventsPerBody``.
    case tooMany
  }

  /// What is wrong.
  package var kind: Kind
  /// Line of the fault, from 1.
  package var line: Int
  /// Column of the fault in characters, from 1.
  package var column: Int
  /// A sentence for people, without the text's content apart from keys.
  package var message: String

  package init(kind: Kind, line: Int, column: Int, message: String) {
    self.kind = kind
    self.line = line
    self.column = column
    self.message = message
  }
}
