import CCrypto

/// The pinned roots: what a chain has to end in.
final class RootStore: @unchecked Sendable {
  // Unchecked: after `init` the store is only read, which libcrypto allows from many threads,
  // https://docs.openssl.org/3.0/man7/openssl-threads/.
  private let store: Owned

  /// What is wrong with a root.
  enum Fault: Error { case malformed, notRoot, unavailable }

  /// Why a chain isn't believed.
  enum ChainFault: Error { case expired, notYetValid, untrusted, unavailable }

  /// An empty store, which believes nothing. Throws when memory is out.
  init() throws(CryptoUnavailable) {
    guard let store = Owned(X509_STORE_new(), free: X509_STORE_free) else {
      throw CryptoUnavailable()
    }
    self.store = store
  }

  /// Trusts the certificate, or each in a PEM text, from now on; `init`'s caller alone does that.
  func add(_ bytes: [UInt8]) throws(Fault) {
    defer { CryptoErrors.forget() }
    if bytes.first == 0x30 {
      guard let certificate = Certificate(der: bytes) else { throw .malformed }
      return try trust(certificate)
    }
    guard let input = PEM.input(bytes) else { throw .unavailable }
    var count = 0
    while let owned = Owned(
      PEM_read_bio_X509(input.handle, nil, PEM.noPassphrase, nil), free: X509_free)
    {
      try trust(Certificate(owned))
      count += 1
    }
    // The last reading finds no further beginning; anything else is a damaged certificate.
    guard count > 0, PEM.endedWithoutBeginning else { throw .malformed }
  }

  private func trust(_ certificate: borrowing Certificate) throws(Fault) {
    guard certificate.isRoot else { throw .notRoot }
    guard X509_STORE_add_cert(store.handle, certificate.owned.handle) == 1 else {
      throw .unavailable
    }
  }

  /// Proves that the leaf, the intermediate and a pinned root make a chain of just these three by
  /// RFC 5280, all of them valid at so many seconds since 1970.
  func prove(
    leaf: borrowing Certificate, intermediate: borrowing Certificate, at seconds: Int
  ) throws(ChainFault) {
    defer { CryptoErrors.forget() }
    guard let between = Owned(ccrypto_certificates_new(), free: ccrypto_certificates_free),
      ccrypto_certificates_push(between.handle, intermediate.owned.handle) == 1,
      let context = Owned(X509_STORE_CTX_new(), free: X509_STORE_CTX_free),
      X509_STORE_CTX_init(context.handle, store.handle, leaf.owned.handle, between.handle) == 1,
      let rules = X509_STORE_CTX_get0_param(context.handle)
    else { throw .unavailable }
    X509_VERIFY_PARAM_set_time(rules, seconds)
    X509_VERIFY_PARAM_set_flags(rules, UInt(X509_V_FLAG_X509_STRICT))
    X509_VERIFY_PARAM_set_auth_level(rules, AppStoreLimits.securityLevel)
    let proved = X509_verify_cert(context.handle)
    guard proved >= 0 else { throw .unavailable }
    guard proved == 1 else {
      switch X509_STORE_CTX_get_error(context.handle) {
      case X509_V_ERR_CERT_HAS_EXPIRED: throw .expired
      case X509_V_ERR_CERT_NOT_YET_VALID: throw .notYetValid
      case X509_V_ERR_OUT_OF_MEM: throw .unavailable
      default: throw .untrusted
      }
    }
    // A leaf that the root signed itself makes a proven chain too, but without the intermediate.
    guard let chain = X509_STORE_CTX_get0_chain(context.handle),
      ccrypto_certificates_count(chain) == 3,
      X509_cmp(ccrypto_certificates_at(chain, 1), intermediate.owned.handle) == 0
    else { throw .untrusted }
  }
}

enum PEM {
  /// A text to read from; the bytes are copied. nil when memory is out.
  static func input(_ bytes: [UInt8]) -> Owned? {
    guard let input = Owned(BIO_new(BIO_s_mem()), free: BIO_free_all),
      BIO_write(input.handle, bytes, Int32(clamping: bytes.count)) == Int32(bytes.count)
    else { return nil }
    return input
  }

  /// Answers the question for a passphrase with a failure. libcrypto's own answer would be to
  /// ask whoever sits at the terminal.
  static let noPassphrase:
    @convention(c) (
      UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?
    ) -> Int32 = { _, _, _, _ in -1 }

  /// Whether the last reading failed only because no further text begins.
  static var endedWithoutBeginning: Bool {
    let code = ERR_peek_last_error()
    return ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE
  }
}
