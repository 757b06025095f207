/// RFC 4648, strictly: no blanks, no other alphabet, padding exactly where it belongs, and no bits
/// that encode nothing. So every sequence of bytes has one text and no text is read in two ways.
enum Base64 {
  /// Base64 of certificates in `x5c`: `+`, `/` and padding.
  static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    let padding = text.suffix(2).reversed().prefix { $0 == 0x3D }.count
    return decode(text.dropLast(padding), 0x2B, 0x2F)
  }

  /// Base64url of a JWS: `-`, `_` and no padding.
  static func decodeURL(_ text: some Collection<UInt8>) -> [UInt8]? { decode(text, 0x2D, 0x5F) }

  private static func decode(
    _ text: some Collection<UInt8>, _ letter62: UInt8, _ letter63: UInt8
  ) -> [UInt8]? {
    guard text.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count * 3 / 4)
    var bits: UInt32 = 0
    var held: UInt32 = 0
    for letter in text {
      let value: UInt8
      switch letter {
      case 0x41...0x5A: value = letter - 0x41
      case 0x61...0x7A: value = letter - 0x61 + 26
      case 0x30...0x39: value = letter - 0x30 + 52
      case letter62: value = 62
      case letter63: value = 63
      default: return nil
      }
      bits = bits << 6 | UInt32(value)
      held += 6
      if held >= 8 {
        held -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> held))
        bits &= (1 << held) - 1
      }
    }
    return bits == 0 ? bytes : nil
  }

  /// Base64url without padding.
  static func encodeURL(_ bytes: [UInt8]) -> [UInt8] { encode(bytes, urlAlphabet) }

  /// Base64 with padding.
  static func encode(_ bytes: [UInt8]) -> [UInt8] {
    let text = encode(bytes, alphabet)
    return text + repeatElement(0x3D, count: (4 - text.count % 4) % 4)
  }

  private static func encode(_ bytes: [UInt8], _ alphabet: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    var bits: UInt32 = 0
    var held: UInt32 = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      held += 8
      while held >= 6 {
        held -= 6
        text.append(alphabet[Int(bits >> held & 63)])
      }
      bits &= (1 << held) - 1
    }
    if held > 0 { text.append(alphabet[Int(bits << (6 - held) & 63)]) }
    return text
  }

  private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
  private static let alphabet = Array("\(letters)+/".utf8)
  private static let urlAlphabet = Array("\(letters)-_".utf8)
}
