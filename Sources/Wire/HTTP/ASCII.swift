/// Byte classes of RFC 9110, by table.
enum ASCII {
  static let carriageReturn = UInt8(ascii: "\r")
  static let lineFeed = UInt8(ascii: "\n")
  static let space = UInt8(ascii: " ")
  static let tab = UInt8(ascii: "\t")

  private static let tokenBytes: [Bool] = (0...255).map { value in
    let byte = UInt8(value)
    return isLetterOrDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || isUpper(byte) || (byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z"))
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  static func isUpper(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
  }

  /// A byte of a method or header name.
  static func isToken(_ byte: UInt8) -> Bool { tokenBytes[Int(byte)] }

  /// A byte of a header value; controls, bare CR and NUL are not.
  static func isFieldValue(_ byte: UInt8) -> Bool {
    byte == tab || (byte >= 0x20 && byte != 0x7F)
  }

  static func lowered(_ byte: UInt8) -> UInt8 { isUpper(byte) ? byte | 0x20 : byte }

  static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  static func equalIgnoringCase(_ left: ArraySlice<UInt8>, _ right: String.UTF8View) -> Bool {
    guard left.count == right.count else { return false }
    var index = left.startIndex
    for byte in right {
      guard lowered(left[index]) == lowered(byte) else { return false }
      index += 1
    }
    return true
  }
}
