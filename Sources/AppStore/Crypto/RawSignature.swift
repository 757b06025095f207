import CCrypto

/// ES256 signatures: JOSE writes r and s of 32 bytes one after the other, libcrypto wants DER.
enum RawSignature {
  /// Bytes of each of the two numbers.
  private static let half = 32
  /// Bytes of a signature, https://www.rfc-editor.org/rfc/rfc7518#section-3.4.
  static let count = 2 * half

  /// The DER of a raw signature, which has ``count`` bytes. Throws when memory is out.
  static func der(_ raw: [UInt8]) throws(CryptoUnavailable) -> [UInt8] {
    precondition(raw.count == count)
    guard let pair = Owned(ECDSA_SIG_new(), free: ECDSA_SIG_free),
      let r = number(raw.prefix(half)), let s = number(raw.suffix(half))
    else { throw CryptoUnavailable() }
    // Takes both numbers over; it fails for missing ones only.
    guard ECDSA_SIG_set0(pair.handle, r.given(), s.given()) == 1 else { throw CryptoUnavailable() }
    var made: UnsafeMutablePointer<UInt8>?
    let count = i2d_ECDSA_SIG(pair.handle, &made)
    defer { CRYPTO_free(made, #fileID, #line) }
    guard count > 0, let made else { throw CryptoUnavailable() }
    return Array(UnsafeBufferPointer(start: made, count: Int(count)))
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Owned? {
    let made = bytes.withUnsafeBufferPointer { BN_bin2bn($0.baseAddress, Int32($0.count), nil) }
    return Owned(made, free: BN_free)
  }
}
