import Metering

extension JSONWriter {
  mutating func member(_ name: String, _ value: String) {
    key(name)
    string(value)
  }

  mutating func member(_ name: String, _ value: Int) {
    key(name)
    number(value)
  }

  mutating func member(_ name: String, _ value: Bool) {
    key(name)
    bool(value)
  }

  /// A string, or null.
  mutating func member(_ name: String, _ value: ByteString?) {
    key(name)
    if let value { string(value) } else { null() }
  }
}
