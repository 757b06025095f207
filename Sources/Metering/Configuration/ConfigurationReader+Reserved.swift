/// Sections whose work comes later: their outer form is checked, so that a file that is right
/// then is right now.
extension ConfigurationReader {
  mutating func reserved(_ root: ConfigurationObject) -> [ByteString: ByteString] {
    access(root["access"])
    cloudEvents(root["cloudEvents"])
    var reserved: [ByteString: ByteString] = [:]
    for key in ["access", "cloudEvents"] {
      guard let place = root[key] else { continue }
      var writer = JSONWriter()
      writer.copy(place.node)
      reserved[ByteString(key)] = ByteString(writer.bytes)
    }
    return reserved
  }

  private mutating func access(_ place: ConfigurationPlace?) {
    let roles = ["emit", "read", "respond", "admin"]
    guard let place, let object = object(place, keys: roles) else { return }
    for role in roles {
      guard let value = object[role], let elements = list(value) else { continue }
      for element in elements {
        if element.node.number != nil {
          _ = integer(element, in: 0...Int(UInt32.max) - 1)
        } else {
          _ = text(element)
        }
      }
    }
  }

  private mutating func cloudEvents(_ place: ConfigurationPlace?) {
    guard let place, let elements = list(place) else { return }
    for element in elements {
      guard let members = members(element) else { continue }
      let object = ConfigurationObject(
        element,
        values: Dictionary(
          members.map { ($0.key.string, $0.value) }, uniquingKeysWith: { first, _ in first }))
      _ = text(required("type", in: object))
      if let readings = required("readings", in: object), let elements = list(readings) {
        for reading in elements { _ = self.members(reading) }
      }
    }
  }
}

extension JSONWriter {
  /// Writes a value as it was read.
  package mutating func copy(_ node: JSONNode) {
    switch node.value {
    case .null: null()
    case .bool(let flag): bool(flag)
    case .number(let text): number(text.string)
    case .string(let text): string(text)
    case .array(let elements):
      beginArray()
      for element in elements { copy(element) }
      endArray()
    case .object(let members):
      beginObject()
      for member in members {
        key(member.key)
        copy(member.node)
      }
      endObject()
    }
  }
}
