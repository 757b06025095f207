import Metering

/// Reads Apple's fields out of a payload. `null` is absent; a known field of another type is a
/// fault that names it.
struct PayloadFields {
  let node: JSONNode

  init(_ node: JSONNode) { self.node = node }

  private func value(_ name: String) -> JSONNode? {
    node[name].flatMap { $0.isNull ? nil : $0 }
  }

  /// A string; nil when absent.
  func text(_ name: String) throws(VerificationFault) -> ByteString? {
    guard let value = value(name) else { return nil }
    guard let text = value.string else { throw .malformedField(name) }
    return text
  }

  /// A string that has to be there and isn't empty.
  func requiredText(_ name: String) throws(VerificationFault) -> ByteString {
    guard let text = try text(name), !text.isEmpty else { throw .malformedField(name) }
    return text
  }

  /// A whole number; nil when absent.
  func integer(_ name: String) throws(VerificationFault) -> Int64? {
    guard let value = value(name) else { return nil }
    guard let number = value.integer else { throw .malformedField(name) }
    return number
  }

  /// `true` or `false`; nil when absent.
  func flag(_ name: String) throws(VerificationFault) -> Bool? {
    guard let value = value(name) else { return nil }
    guard let flag = value.bool else { throw .malformedField(name) }
    return flag
  }

  /// Milliseconds since 1970; nil when absent.
  func instant(_ name: String) throws(VerificationFault) -> Instant? {
    guard let milliseconds = try integer(name) else { return nil }
    let plausible = Limits.firstPlausibleMilliseconds...Limits.lastPlausibleMilliseconds
    guard plausible.contains(milliseconds) else { throw .malformedField(name) }
    return Instant(milliseconds: milliseconds)
  }

  /// An object's fields; nil when absent.
  func fields(_ name: String) throws(VerificationFault) -> PayloadFields? {
    guard let value = value(name) else { return nil }
    guard value.members != nil else { throw .malformedField(name) }
    return PayloadFields(value)
  }

  /// When the payload was signed, which every payload of Apple's says.
  var signedDate: Instant {
    get throws(VerificationFault) {
      guard let signed = try instant("signedDate") else { throw .malformedField("signedDate") }
      return signed
    }
  }

  /// One of the two environments; all others carry no signature of Apple's.
  var environment: StoreEnvironment {
    get throws(VerificationFault) {
      guard let found = StoreEnvironment(try requiredText("environment")) else {
        throw .wrongEnvironment
      }
      return found
    }
  }
}
