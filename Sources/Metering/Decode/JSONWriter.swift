/// Writes compact JSON; commas and escapes are its business, the right nesting is the caller's.
package struct JSONWriter: Sendable {
  /// What has been written.
  package var bytes: [UInt8] = []
  private var needsComma = false

  package init() {}

  /// Opens an object as the next value.
  package mutating func beginObject() { open(0x7B) }
  /// Closes the innermost object.
  package mutating func endObject() { close(0x7D) }
  /// Opens an array as the next value.
  package mutating func beginArray() { open(0x5B) }
  /// Closes the innermost array.
  package mutating func endArray() { close(0x5D) }

  /// Begins a member; its value comes next.
  package mutating func key(_ name: String) {
    separate()
    quote(name.utf8)
    bytes.append(0x3A)
    needsComma = false
  }

  /// Begins a member; its value comes next. Invalid UTF-8 becomes U+FFFD.
  package mutating func key(_ name: ByteString) { key(name.string) }

  /// A string value.
  package mutating func string(_ text: String) {
    separate()
    quote(text.utf8)
  }

  /// A string value. Invalid UTF-8 becomes U+FFFD.
  package mutating func string(_ text: ByteString) { string(text.string) }

  /// A number as it is to be written; it must be a JSON number already.
  package mutating func number(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
  }

  /// A whole number.
  package mutating func number(_ value: Int) { number(String(value)) }
  /// A whole number.
  package mutating func number(_ value: Int64) { number(String(value)) }
  /// A whole number.
  package mutating func number(_ value: UInt64) { number(String(value)) }

  /// `true` or `false`.
  package mutating func bool(_ flag: Bool) { number(flag ? "true" : "false") }
  /// `null`.
  package mutating func null() { number("null") }

  /// A value that is JSON already.
  package mutating func raw(_ json: some Sequence<UInt8>) {
    separate()
    bytes.append(contentsOf: json)
  }

  private mutating func open(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    needsComma = false
  }

  private mutating func close(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(0x2C) }
    needsComma = true
  }

  private mutating func quote(_ text: String.UTF8View) {
    bytes.append(0x22)
    for byte in text {
      switch byte {
      case 0x22, 0x5C:
        bytes.append(0x5C)
        bytes.append(byte)
      case 0x0A: bytes.append(contentsOf: [0x5C, 0x6E])
      case 0x0D: bytes.append(contentsOf: [0x5C, 0x72])
      case 0x09: bytes.append(contentsOf: [0x5C, 0x74])
      case 0..<0x20:
        bytes.append(contentsOf: [0x5C, 0x75, 0x30, 0x30, 0x30 + (byte >> 4)])
        bytes.append(byte & 15 < 10 ? 0x30 + (byte & 15) : 0x57 + (byte & 15))
      default: bytes.append(byte)
      }
    }
    bytes.append(0x22)
  }
}
