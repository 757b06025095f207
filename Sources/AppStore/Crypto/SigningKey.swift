import CCrypto

/// A private P-256 key that makes ES256 signatures.
final class SigningKey: @unchecked Sendable {
  // Unchecked: the key never changes, and libcrypto lets many threads sign with one,
  // https://docs.openssl.org/3.0/man7/openssl-threads/.
  private let key: Owned

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
