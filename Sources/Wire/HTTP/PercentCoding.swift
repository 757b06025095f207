/// Percent-encoding of RFC 3986.
package enum PercentCoding {
  /// Decodes escapes; a malformed one stays as it is (the parser refuses those beforehand).
  package static func decode(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      if byte == UInt8(ascii: "%"), let value = escape(bytes, at: index) {
        decoded.append(value)
        index += 3
      } else {
        decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? ASCII.space : byte)
        index += 1
      }
    }
    return decoded
  }

  /// Encodes everything but RFC 3986's unreserved characters, for one path segment or query value.
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded: [UInt8] = []
    for byte in bytes {
      if ASCII.isToken(byte), !"!#$%&'*+^`|".utf8.contains(byte) {
        encoded.append(byte)
      } else {
        encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// True when every "%" begins an escape of two hex digits.
  static func isValid(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.indices.allSatisfy { bytes[$0] != UInt8(ascii: "%") || escape(bytes, at: $0) != nil }
  }

  private static func escape(_ bytes: ArraySlice<UInt8>, at index: Int) -> UInt8? {
    guard index + 2 < bytes.endIndex, let high = ASCII.hexValue(bytes[index + 1]),
      let low = ASCII.hexValue(bytes[index + 2])
    else { return nil }
    return high << 4 | low
  }
}
