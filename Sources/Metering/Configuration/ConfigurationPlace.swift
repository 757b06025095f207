/// A value of the file with its key path, for faults that can be found.
struct ConfigurationPlace {
  /// Such as `prices[2].per`; empty for the whole file.
  var path: String
  var node: JSONNode

  /// The place of a key within this one.
  func path(of key: ByteString) -> String {
    let isPlain =
      !key.isEmpty && !(0x30...0x39).contains(key.bytes[0])
      && key.bytes.allSatisfy { byte in
        byte == 0x5F || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
      }
    if !isPlain { return "\(path)[\"\(key.string)\"]" }
    return path.isEmpty ? key.string : "\(path).\(key.string)"
  }

  /// The place of a key's value.
  func value(of member: JSONMember) -> ConfigurationPlace {
    ConfigurationPlace(path: path(of: member.key), node: member.node)
  }
}

/// An object of the file whose keys are known.
struct ConfigurationObject {
  var place: ConfigurationPlace
  fileprivate(set) var values: [String: ConfigurationPlace] = [:]

  init(_ place: ConfigurationPlace, values: [String: ConfigurationPlace]) {
    self.place = place
    self.values = values
  }

  subscript(_ key: String) -> ConfigurationPlace? { values[key] }
}
