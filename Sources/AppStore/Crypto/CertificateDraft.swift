import CCrypto

/// An X.509 certificate that is being made.
struct CertificateDraft: ~Copyable {
  /// How long it is valid before and after the instant it is made for, seconds.
  private static let validSeconds = 30 * 86_400
  /// What the version field says for version 3.
  private static let version3 = 2
  /// ASN.1 NULL, Apple's value of marking extensions.
  private static let null: [UInt8] = [5, 0]

  private let owned: Owned

  /// Certifies a name's key; the issuer is named, and proves that by ``signed(by:)``. `number` is
  /// the serial, `seconds` the instant since 1970. Throws when memory is out.
  init(
    of name: String, key: SigningKey, by issuer: String, number: UInt64, at seconds: Int
  ) throws(CryptoUnavailable) {
    defer { CryptoErrors.forget() }
    guard let owned = Owned(X509_new(), free: X509_free),
      X509_set_version(owned.handle, Self.version3) == 1,
      ASN1_INTEGER_set_uint64(X509_get_serialNumber(owned.handle), number) == 1,
      ASN1_TIME_set(X509_getm_notBefore(owned.handle), seconds - Self.validSeconds) != nil,
      ASN1_TIME_set(X509_getm_notAfter(owned.handle), seconds + Self.validSeconds) != nil,
      X509_set_pubkey(owned.handle, key.key.handle) == 1,
      Self.write(name, to: X509_get_subject_name(owned.handle)),
      Self.write(issuer, to: X509_get_issuer_name(owned.handle))
    else { throw CryptoUnavailable() }
    self.owned = owned
  }

  private static func write(_ text: String, to name: OpaquePointer?) -> Bool {
    let bytes = Array(text.utf8)
    return X509_NAME_add_entry_by_txt(
      name, "CN", MBSTRING_UTF8, bytes, Int32(bytes.count), -1, 0) == 1
  }

  /// Says that it is a root. Throws when memory is out.
  func describeRoot() throws(CryptoUnavailable) { try describe(isAuthority: true, issuer: nil) }

  /// Says what it may be used for and whose key will sign it. Throws when memory is out.
  func describe(
    isAuthority: Bool, issuer: borrowing Certificate
  ) throws(CryptoUnavailable) {
    try describe(isAuthority: isAuthority, issuer: issuer.owned.handle)
  }

  private func describe(
    isAuthority: Bool, issuer: OpaquePointer?
  ) throws(CryptoUnavailable) {
    try add(NID_basic_constraints, isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE", issuer)
    try add(
      NID_key_usage, isAuthority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature",
      issuer)
    try add(NID_subject_key_identifier, "hash", issuer)
    if issuer != nil { try add(NID_authority_key_identifier, "keyid:always", issuer) }
  }

  private func add(
    _ kind: Int32, _ value: String, _ issuer: OpaquePointer?
  ) throws(CryptoUnavailable) {
    defer { CryptoErrors.forget() }
    var context = X509V3_CTX()
    X509V3_set_ctx(&context, issuer ?? owned.handle, owned.handle, nil, nil, 0)
    let made = Owned(X509V3_EXT_nconf_nid(nil, &context, kind, value), free: X509_EXTENSION_free)
    guard let made, X509_add_ext(owned.handle, made.handle, -1) == 1 else {
      throw CryptoUnavailable()
    }
  }

  /// Adds an extension that only has to be there. Throws when memory is out.
  func mark(_ identifier: String) throws(CryptoUnavailable) {
    defer { CryptoErrors.forget() }
    guard let object = Owned(OBJ_txt2obj(identifier, 1), free: ASN1_OBJECT_free),
      let value = ASN1_OCTET_STRING_new()
    else { throw CryptoUnavailable() }
    defer { ASN1_OCTET_STRING_free(value) }
    guard ASN1_OCTET_STRING_set(value, Self.null, Int32(Self.null.count)) == 1,
      let made = Owned(
        X509_EXTENSION_create_by_OBJ(nil, object.handle, 0, value), free: X509_EXTENSION_free),
      X509_add_ext(owned.handle, made.handle, -1) == 1
    else { throw CryptoUnavailable() }
  }

  /// The certificate, signed by its issuer's key. Throws when memory is out.
  consuming func signed(by issuer: SigningKey) throws(CryptoUnavailable) -> Certificate {
    defer { CryptoErrors.forget() }
    guard X509_sign(owned.handle, issuer.key.handle, EVP_sha256()) > 0 else {
      throw CryptoUnavailable()
    }
    return Certificate(owned)
  }
}
