/// Reads the parts of a configuration file and keeps every fault it meets; what has a fault reads
/// as nil, and the reading goes on beside it.
struct ConfigurationReader {
  private(set) var faults: [ConfigurationFault] = []

  mutating func fault(_ place: ConfigurationPlace, _ message: String) {
    fault(path: place.path, at: place.node, message)
  }

  mutating func fault(path: String, at node: JSONNode, _ message: String) {
    faults.append(
      ConfigurationFault(path: path, line: node.line, column: node.column, message: message))
  }

  /// A fault of something that the file doesn't say.
  mutating func fault(outside path: String, _ message: String) {
    faults.append(ConfigurationFault(path: path, line: 0, column: 0, message: message))
  }

  mutating func mismatch(_ place: ConfigurationPlace, expected: String) {
    fault(place, "must be \(expected), not \(place.node.typeName)")
  }
}

extension ConfigurationReader {
  /// The members of an object, all with their places.
  mutating func members(
    _ place: ConfigurationPlace
  ) -> [(key: ByteString, value: ConfigurationPlace)]? {
    guard let members = place.node.members else {
      mismatch(place, expected: "an object")
      return nil
    }
    return members.map { ($0.key, place.value(of: $0)) }
  }

  /// An object with no other keys than these.
  mutating func object(_ place: ConfigurationPlace, keys: [String]) -> ConfigurationObject? {
    guard let members = place.node.members else {
      mismatch(place, expected: "an object")
      return nil
    }
    var values: [String: ConfigurationPlace] = [:]
    for member in members {
      let key = member.key.string
      if keys.contains(key) {
        values[key] = place.value(of: member)
      } else {
        faults.append(
          ConfigurationFault(
            path: place.path(of: member.key), line: member.line, column: member.column,
            message: "unknown key; known are \(keys.joined(separator: ", "))"))
      }
    }
    return ConfigurationObject(place, values: values)
  }

  /// A value that must be there.
  mutating func required(_ key: String, in object: ConfigurationObject) -> ConfigurationPlace? {
    if let value = object[key] { return value }
    fault(path: object.place.path(of: ByteString(key)), at: object.place.node, "is missing")
    return nil
  }

  mutating func list(_ place: ConfigurationPlace) -> [ConfigurationPlace]? {
    guard let elements = place.node.elements else {
      mismatch(place, expected: "a list")
      return nil
    }
    return elements.enumerated().map { index, node in
      ConfigurationPlace(path: "\(place.path)[\(index)]", node: node)
    }
  }

  mutating func flag(_ place: ConfigurationPlace?) -> Bool? {
    guard let place else { return nil }
    if let flag = place.node.bool { return flag }
    mismatch(place, expected: "true or false")
    return nil
  }

  mutating func integer(_ place: ConfigurationPlace?, in range: ClosedRange<Int>) -> Int? {
    guard let place else { return nil }
    guard let value = place.node.integer.flatMap({ Int(exactly: $0) }), range.contains(value)
    else {
      fault(place, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return value
  }

  /// Any text that isn't empty and has no control characters.
  mutating func text(_ place: ConfigurationPlace?) -> ByteString? {
    guard let place else { return nil }
    guard let text = place.node.string else {
      mismatch(place, expected: "a string")
      return nil
    }
    if let message = Self.objection(toText: text) {
      fault(place, message)
      return nil
    }
    return text
  }

  /// A text that becomes a key on disk.
  mutating func name(_ place: ConfigurationPlace?) -> ByteString? {
    guard let place, let text = text(place) else { return nil }
    return isName(text, place) ? text : nil
  }

  /// Checks a key that becomes a key on disk.
  mutating func isName(_ text: ByteString, _ place: ConfigurationPlace) -> Bool {
    if let message = Self.objection(toText: text) {
      fault(place, "the name " + message)
      return false
    }
    if text.count > Limits.nameBytes {
      fault(place, "must have at most \(Limits.nameBytes) bytes")
      return false
    }
    return true
  }

  /// One of a few texts.
  mutating func choice(_ place: ConfigurationPlace?, of known: [ByteString]) -> ByteString? {
    guard let place, let text = text(place) else { return nil }
    if known.contains(text) { return text }
    fault(place, "must be one of \(known.map(\.string).joined(separator: ", "))")
    return nil
  }

  /// A list of texts, each once.
  mutating func choices(_ place: ConfigurationPlace?, of known: [ByteString]) -> [ByteString]? {
    guard let place, let elements = list(place) else { return nil }
    if elements.isEmpty { fault(place, "must not be empty") }
    var found: [ByteString] = []
    for element in elements {
      guard let text = choice(element, of: known) else { continue }
      if found.contains(text) { fault(element, "appears twice") } else { found.append(text) }
    }
    return found
  }

  private static func objection(toText text: ByteString) -> String? {
    if text.isEmpty { return "must not be empty" }
    if text.bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
      return "must have no control characters"
    }
    return nil
  }
}
