import CCrypto

/// One X.509 certificate.
struct Certificate: ~Copyable {
  let owned: Owned

  /// Reads one certificate in DER that fills all of the bytes; nil for anything else.
  init?(der: [UInt8]) {
    let read = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
      var next = bytes.baseAddress
      let made = d2i_X509(nil, &next, bytes.count)
      if let made, next != bytes.baseAddress.map({ $0 + bytes.count }) {
        X509_free(made)
        return nil
      }
      return made
    }
    CryptoErrors.forget()
    guard let owned = Owned(read, free: X509_free) else { return nil }
    self.owned = owned
  }

  /// Takes over a certificate.
  init(_ owned: consuming Owned) { self.owned = owned }

  /// The certificate as ``init(der:)`` reads it. Throws when memory is out.
  func der() throws(CryptoUnavailable) -> [UInt8] {
    defer { CryptoErrors.forget() }
    var made: UnsafeMutablePointer<UInt8>?
    let count = i2d_X509(owned.handle, &made)
    defer { CRYPTO_free(made, #fileID, #line) }
    guard count > 0, let made else { throw CryptoUnavailable() }
    return Array(UnsafeBufferPointer(start: made, count: Int(count)))
  }

  /// Whether it is a certificate authority whose signature is its own.
  var isRoot: Bool {
    defer { CryptoErrors.forget() }
    return X509_check_ca(owned.handle) == 1 && X509_self_signed(owned.handle, 1) == 1
  }

  /// Whether there is an extension with this object identifier, whatever its value.
  ///
  /// Throws when memory is out.
  func hasExtension(_ identifier: String) throws(CryptoUnavailable) -> Bool {
    defer { CryptoErrors.forget() }
    guard let object = Owned(OBJ_txt2obj(identifier, 1), free: ASN1_OBJECT_free) else {
      throw CryptoUnavailable()
    }
    return X509_get_ext_by_OBJ(owned.handle, object.handle, -1) >= 0
  }

  /// Whether the key is one of the curve P-256, the only one that ES256 has.
  var hasP256Key: Bool {
    defer { CryptoErrors.forget() }
    guard let key = X509_get0_pubkey(owned.handle) else { return false }
    return Curve.isP256(key)
  }

  /// Whether the certificate's key made this ES256 signature of the message: r and s of 32 bytes
  /// each, as RFC 7518 has it.
  ///
  /// Throws when memory is out.
  func signed(
    _ message: ArraySlice<UInt8>, signature: [UInt8]
  ) throws(CryptoUnavailable) -> Bool {
    defer { CryptoErrors.forget() }
    let der = try RawSignature.der(signature)
    guard let key = X509_get0_pubkey(owned.handle) else { return false }
    guard let context = Owned(EVP_MD_CTX_new(), free: EVP_MD_CTX_free),
      EVP_DigestVerifyInit(context.handle, nil, EVP_sha256(), nil, key) == 1
    else { throw CryptoUnavailable() }
    return message.withUnsafeBufferPointer { text in
      // Negative results are malformed signatures: no better than a wrong one.
      EVP_DigestVerify(context.handle, der, der.count, text.baseAddress, text.count) == 1
    }
  }
}

enum Curve {
  /// libcrypto's name of P-256.
  static let name = "prime256v1"

  static func isP256(_ key: OpaquePointer) -> Bool {
    guard EVP_PKEY_is_a(key, "EC") == 1 else { return false }
    var text = [CChar](repeating: 0, count: 64)
    var count = 0
    guard EVP_PKEY_get_group_name(key, &text, text.count, &count) == 1 else { return false }
    return text.prefix(count).elementsEqual(name.utf8.map { CChar(bitPattern: $0) })
  }
}
