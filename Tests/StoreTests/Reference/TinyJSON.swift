/// JSON as the tests read the product's answers; numbers stay text.
enum TinyJSON: Equatable {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([TinyJSON])
  case object([String: TinyJSON])

  subscript(_ key: String) -> TinyJSON? {
    if case .object(let members) = self { return members[key] }
    return nil
  }

  var text: String? {
    if case .string(let text) = self { return text }
    return nil
  }

  var integer: Int? {
    if case .number(let text) = self { return Int(text) }
    return nil
  }

  var elements: [TinyJSON] {
    if case .array(let elements) = self { return elements }
    return []
  }

  var members: [String: TinyJSON] {
    if case .object(let members) = self { return members }
    return [:]
  }

  /// Nil when `text` isn't exactly one JSON value or an object repeats a key.
  init?(_ text: String) {
    var reader = TinyJSONReader(bytes: Array(text.utf8))
    guard let value = reader.value(), reader.atEnd() else { return nil }
    self = value
  }

  /// A string as JSON writes it.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case _ where scalar.value < 32:
        quoted += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

private struct TinyJSONReader {
  var bytes: [UInt8]
  var place = 0

  mutating func value() -> TinyJSON? {
    skipSpace()
    guard place < bytes.count else { return nil }
    switch bytes[place] {
    case UInt8(ascii: "{"): return object()
    case UInt8(ascii: "["): return array()
    case UInt8(ascii: "\""): return string().map(TinyJSON.string)
    default: return word()
    }
  }

  mutating func atEnd() -> Bool {
    skipSpace()
    return place == bytes.count
  }

  private mutating func skipSpace() {
    while place < bytes.count, [9, 10, 13, 32].contains(bytes[place]) { place += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  private mutating func object() -> TinyJSON? {
    var members: [String: TinyJSON] = [:]
    guard take("{") else { return nil }
    if take("}") { return .object(members) }
    repeat {
      skipSpace()
      guard let key = string(), take(":"), let value = value(),
        members.updateValue(value, forKey: key) == nil
      else { return nil }
    } while take(",")
    return take("}") ? .object(members) : nil
  }

  private mutating func array() -> TinyJSON? {
    var elements: [TinyJSON] = []
    guard take("[") else { return nil }
    if take("]") { return .array(elements) }
    repeat {
      guard let value = value() else { return nil }
      elements.append(value)
    } while take(",")
    return take("]") ? .array(elements) : nil
  }

  private mutating func string() -> String? {
    guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { return nil }
    place += 1
    var units: [UInt8] = []
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      if byte == UInt8(ascii: "\"") { return String(validating: units, as: UTF8.self) }
      if byte < 32 { return nil }
      guard byte == UInt8(ascii: "\\") else {
        units.append(byte)
        continue
      }
      guard let escaped = escape() else { return nil }
      units += escaped
    }
    return nil
  }

  private mutating func escape() -> [UInt8]? {
    guard place < bytes.count else { return nil }
    let byte = bytes[place]
    place += 1
    let plain: [UInt8: UInt8] = [
      34: 34, 92: 92, 47: 47, 98: 8, 102: 12, 110: 10, 114: 13, 116: 9,
    ]
    if let character = plain[byte] { return [character] }
    guard byte == UInt8(ascii: "u"), let first = unit() else { return nil }
    guard first & 0xFC00 == 0xD800 else {
      return Array(String(decoding: [first], as: UTF16.self).utf8)
    }
    place += 2
    guard let second = unit() else { return nil }
    return Array(String(decoding: [first, second], as: UTF16.self).utf8)
  }

  private mutating func unit() -> UInt16? {
    guard place + 4 <= bytes.count else { return nil }
    let digits = String(decoding: bytes[place..<place + 4], as: UTF8.self)
    place += 4
    return UInt16(digits, radix: 16)
  }

  private mutating func word() -> TinyJSON? {
    let start = place
    while place < bytes.count, !Array(",]} \n\r\t".utf8).contains(bytes[place]) { place += 1 }
    let word = String(decoding: bytes[start..<place], as: UTF8.self)
    switch word {
    case "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    default: return Exact(word) == nil ? nil : .number(word)
    }
  }
}
