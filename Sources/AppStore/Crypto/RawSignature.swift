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

  /// The raw signature that libcrypto made in DER. Throws when memory is out.
  static func raw(_ der: [UInt8]) throws(CryptoUnavailable) -> [UInt8] {
    let read = der.withUnsafeBufferPointer { bytes in
      var next = bytes.baseAddress
      return d2i_ECDSA_SIG(nil, &next, bytes.count)
    }
    guard let pair = Owned(read, free: ECDSA_SIG_free) else { throw CryptoUnavailable() }
    var raw = [UInt8](repeating: 0, count: count)
    let written = raw.withUnsafeMutableBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return false }
      return BN_bn2binpad(ECDSA_SIG_get0_r(pair.handle), base, Int32(half)) == half
        && BN_bn2binpad(ECDSA_SIG_get0_s(pair.handle), base + half, Int32(half)) == half
    }
    guard written else { throw CryptoUnavailable() }
    return raw
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Owned? {
    let made = bytes.withUnsafeBufferPointer { BN_bin2bn($0.baseAddress, Int32($0.count), nil) }
    return Owned(made, free: BN_free)
  }
}
