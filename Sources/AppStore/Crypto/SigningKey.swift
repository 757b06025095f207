import CCrypto

/// A private P-256 key that makes ES256 signatures.
final class SigningKey: @unchecked Sendable {
  // Unchecked: the key never changes, and libcrypto lets many threads sign with one,
  // https://docs.openssl.org/3.0/man7/openssl-threads/.
  let key: Owned

  /// Why the bytes are no such key.
  enum Fault: Error { case malformed, notP256, unavailable }

  /// Reads an unencrypted PEM text, such as the `.p8` file that App Store Connect gives.
  init(pem: [UInt8]) throws(Fault) {
    defer { CryptoErrors.forget() }
    guard let input = PEM.input(pem) else { throw .unavailable }
    let read = PEM_read_bio_PrivateKey(input.handle, nil, PEM.noPassphrase, nil)
    guard let key = Owned(read, free: EVP_PKEY_free) else { throw .malformed }
    guard Curve.isP256(key.handle) else { throw .notP256 }
    self.key = key
  }

  /// A key that nobody has had before. Throws when libcrypto can't make one.
  init() throws(CryptoUnavailable) {
    defer { CryptoErrors.forget() }
    guard let key = Owned(ccrypto_new_key(Curve.name), free: EVP_PKEY_free) else {
      throw CryptoUnavailable()
    }
    self.key = key
  }

  /// The key as ``init(pem:)`` reads it. Throws when memory is out.
  func pem() throws(CryptoUnavailable) -> [UInt8] {
    defer { CryptoErrors.forget() }
    guard let output = Owned(BIO_new(BIO_s_mem()), free: BIO_free_all),
      PEM_write_bio_PKCS8PrivateKey(output.handle, key.handle, nil, nil, 0, nil, nil) == 1
    else { throw CryptoUnavailable() }
    var bytes = [UInt8](repeating: 0, count: AppStoreLimits.privateKeyBytes)
    let count = BIO_read(output.handle, &bytes, Int32(bytes.count))
    guard count > 0 else { throw CryptoUnavailable() }
    return Array(bytes.prefix(Int(count)))
  }

  /// The signature of the message as r and s of 32 bytes each. Throws when memory is out.
  func sign(_ message: [UInt8]) throws(CryptoUnavailable) -> [UInt8] {
    defer { CryptoErrors.forget() }
    guard let context = Owned(EVP_MD_CTX_new(), free: EVP_MD_CTX_free),
      EVP_DigestSignInit(context.handle, nil, EVP_sha256(), nil, key.handle) == 1
    else { throw CryptoUnavailable() }
    var count = 0
    guard EVP_DigestSign(context.handle, nil, &count, message, message.count) == 1 else {
      throw CryptoUnavailable()
    }
    var der = [UInt8](repeating: 0, count: count)
    guard EVP_DigestSign(context.handle, &der, &count, message, message.count) == 1 else {
      throw CryptoUnavailable()
    }
    return try RawSignature.raw(Array(der.prefix(count)))
  }
}
