/// Values with a form of their own.
extension ConfigurationReader {
  /// What a decimal may be.
  enum DecimalRange {
    case fromZero
    case aboveZero
    case share

    func objection(to value: Fraction) -> String? {
      switch self {
      case .fromZero: value < .zero ? "must not be negative" : nil
      case .aboveZero: value <= .zero ? "must be above zero" : nil
      case .share: value < .zero || value > .one ? "must be from 0 to 1" : nil
      }
    }
  }

  /// A decimal as a string or a number, with its text.
  mutating func decimal(
    _ place: ConfigurationPlace?, _ range: DecimalRange
  ) -> (value: Fraction, text: String)? {
    guard let place else { return nil }
    guard let text = place.node.string ?? place.node.number else {
      mismatch(place, expected: "a decimal such as \"0.30\"")
      return nil
    }
    guard text.count <= Limits.decimalBytes, let value = Fraction(decimal: text) else {
      fault(place, "must be a decimal such as \"0.30\"")
      return nil
    }
    if !value.hasDigits(atMost: Limits.decimalDigits) {
      fault(
        place, "must have at most \(Limits.decimalDigits) digits before and after the point")
      return nil
    }
    if let message = range.objection(to: value) {
      fault(place, message)
      return nil
    }
    return (value, text.string)
  }

  mutating func instant(_ place: ConfigurationPlace?) -> Instant? {
    guard let place else { return nil }
    if let text = place.node.string, let instant = Instant(rfc3339: text) { return instant }
    fault(place, "must be an instant such as \"2026-01-01T00:00:00Z\"")
    return nil
  }

  /// When something comes into force: without a place, it always was.
  mutating func start(_ place: ConfigurationPlace?) -> Instant? {
    place == nil ? .distantPast : instant(place)
  }

  mutating func duration(_ place: ConfigurationPlace?) -> CalendarDuration? {
    guard let place else { return nil }
    if let text = place.node.string, let duration = CalendarDuration(iso8601: text) {
      return duration
    }
    fault(place, "must be an ISO 8601 duration above zero such as \"P1M\"")
    return nil
  }

  mutating func currency(_ place: ConfigurationPlace?) -> ByteString? {
    guard let place else { return nil }
    if let text = place.node.string, Currency.isCode(text) { return text }
    fault(place, "must be a currency's code in ISO 4217 such as \"USD\"")
    return nil
  }

  static func isThreeCapitals(_ text: ByteString) -> Bool {
    text.count == 3 && text.bytes.allSatisfy { (0x41...0x5A).contains($0) }
  }

  mutating func address(_ place: ConfigurationPlace?) -> String? {
    guard let place else { return nil }
    if let text = place.node.string, Self.isAddress(text.string) { return text.string }
    fault(place, Self.addressMessage)
    return nil
  }

  static let addressMessage =
    "must be an IP address and a port such as \"127.0.0.1:9469\" or \"[::1]:9469\""

  /// An IPv4 address, or an IPv6 one in brackets, with a port.
  static func isAddress(_ text: String) -> Bool {
    guard let colon = text.lastIndex(of: ":") else { return false }
    let host = text[..<colon].utf8
    let port = text[text.index(after: colon)...]
    guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), UInt16(port) != nil else {
      return false
    }
    if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") {
      let inner = host.dropFirst().dropLast()
      return inner.contains(UInt8(ascii: ":"))
        && inner.allSatisfy { byte in
          byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
            || (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
        }
    }
    let octets = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return octets.count == 4
      && octets.allSatisfy { octet in
        octet.allSatisfy { (0x30...0x39).contains($0) } && UInt8(Substring(octet)) != nil
      }
  }
}

extension Fraction {
  /// Whether so many digits before and after the point write it exactly.
  func hasDigits(atMost digits: Int) -> Bool {
    let power = Fraction(.powerOfTen(digits))
    return self < power && -power < self && (self * power).denominator == .one
  }
}
