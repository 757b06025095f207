package import Metering

/// Proves that a signed payload is Apple's and is meant for us.
///
/// The rules are those of Apple's own libraries without online checks, and stricter where they
/// are lax. Certificates are judged as of the payload's `signedDate`, so that an old notification
/// stays provable after its leaf has expired. Certificates that Apple revoked aren't found out.
/// https://developer.apple.com/documentation/appstoreservernotifications/jwsdecodedheader
package struct SignedDataVerifier: Sendable {
  private let roots: RootStore
  private let bundleIds: Set<ByteString>
  private let appAppleId: Int64?
  private let environments: Set<StoreEnvironment>

  /// Each of `rootCertificates` is the content of one file: a certificate in DER, or one or more
  /// in PEM. `appAppleId` is required where Production is allowed.
  ///
  /// Throws the first fault found.
  package init(
    rootCertificates: [[UInt8]], bundleIds: Set<ByteString>, appAppleId: Int64?,
    environments: Set<StoreEnvironment>
  ) throws(VerifierFault) {
    guard !rootCertificates.isEmpty else { throw .noRoots }
    guard !bundleIds.isEmpty else { throw .noBundleIds }
    guard !environments.isEmpty else { throw .noEnvironments }
    guard appAppleId != nil || !environments.contains(.production) else { throw .noAppAppleId }
    do {
      roots = try RootStore()
    } catch {
      throw .unavailable
    }
    for (index, bytes) in rootCertificates.enumerated() {
      guard bytes.count <= AppStoreLimits.rootBytes else { throw .malformedRoot(index) }
      do throws(RootStore.Fault) {
        try roots.add(bytes)
      } catch {
        switch error {
        case .malformed: throw .malformedRoot(index)
        case .notRoot: throw .notRoot(index)
        case .unavailable: throw .unavailable
        }
      }
    }
    self.bundleIds = bundleIds
    self.appAppleId = appAppleId
    self.environments = environments
  }

  /// A `signedTransactionInfo`. Throws why it isn't believed.
  package func verifiedTransaction(
    _ jws: ByteString, now: Instant
  ) throws(VerificationFault) -> VerifiedTransaction {
    let fields = try proved(jws, now: now)
    let transaction = try VerifiedTransaction(fields)
    try check(bundleId: transaction.bundleId)
    try check(environment: transaction.environment)
    return transaction
  }

  /// A `signedRenewalInfo`, which names no app. Throws why it isn't believed.
  package func verifiedRenewalInfo(
    _ jws: ByteString, now: Instant
  ) throws(VerificationFault) -> VerifiedRenewalInfo {
    let renewal = try VerifiedRenewalInfo(try proved(jws, now: now))
    try check(environment: renewal.environment)
    return renewal
  }

  /// A `signedAppTransactionInfo`. Throws why it isn't believed.
  package func verifiedAppTransaction(
    _ jws: ByteString, now: Instant
  ) throws(VerificationFault) -> VerifiedAppTransaction {
    let app = try VerifiedAppTransaction(
      try proved(jws, now: now, dated: VerifiedAppTransaction.dateField))
    try check(bundleId: app.bundleId)
    if app.environment == .production {
      guard app.appAppleId == appAppleId else { throw .wrongApp }
    }
    try check(environment: app.environment)
    return app
  }

  /// The `signedPayload` of an App Store Server Notification V2 with the payloads within, each
  /// proved by itself and of the same app and environment. Unknown types are as good as known ones.
  ///
  /// Throws why it isn't believed.
  package func verifiedNotification(
    _ signedPayload: ByteString, now: Instant
  ) throws(VerificationFault) -> VerifiedNotification {
    let fields = try proved(signedPayload, now: now)
    let (container, sender) = try NotificationContainer.read(fields)
    try check(bundleId: sender.bundleId)
    if sender.environment == .production {
      guard sender.appAppleId == appAppleId else { throw .wrongApp }
    }
    try check(environment: sender.environment)
    var notification = try VerifiedNotification(fields, container, sender)
    if case .appData(let app) = container {
      notification.appTransaction = try inner(
        "signedAppTransactionInfo", app.signedAppTransactionInfo
      ) { jws throws(VerificationFault) in
        let transaction = try verifiedAppTransaction(jws, now: now)
        guard transaction.bundleId == sender.bundleId else { throw .bundleDiffers }
        guard transaction.environment == sender.environment else { throw .environmentDiffers }
        return transaction
      }
    }
    guard case .data(let data) = container else { return notification }
    notification.transaction = try inner("signedTransactionInfo", data.signedTransactionInfo) {
      jws throws(VerificationFault) in
      let transaction = try verifiedTransaction(jws, now: now)
      guard transaction.bundleId == sender.bundleId else { throw .bundleDiffers }
      guard transaction.environment == sender.environment else { throw .environmentDiffers }
      return transaction
    }
    notification.renewalInfo = try inner("signedRenewalInfo", data.signedRenewalInfo) {
      jws throws(VerificationFault) in
      let renewal = try verifiedRenewalInfo(jws, now: now)
      guard renewal.environment == sender.environment else { throw .environmentDiffers }
      return renewal
    }
    return notification
  }

  private func inner<Value>(
    _ field: String, _ jws: ByteString?,
    _ verify: (ByteString) throws(VerificationFault) -> Value
  ) throws(VerificationFault) -> Value? {
    guard let jws else { return nil }
    do throws(VerificationFault) {
      return try verify(jws)
    } catch {
      throw .inner(field, error)
    }
  }

  private func check(bundleId: ByteString) throws(VerificationFault) {
    guard bundleIds.contains(bundleId) else { throw .wrongBundle }
  }

  private func check(environment: StoreEnvironment) throws(VerificationFault) {
    guard environments.contains(environment) else { throw .wrongEnvironment }
  }

  /// The payload of a JWS that a chain of Apple's signed, whoever it is meant for.
  private func proved(
    _ jws: ByteString, now: Instant, dated field: String = "signedDate"
  ) throws(VerificationFault) -> PayloadFields {
    let token = try SignedToken(jws)
    let fields = PayloadFields(token.payload)
    guard let signed = try fields.instant(field) else { throw .malformedField(field) }
    guard signed <= now.adding(microseconds: AppStoreLimits.signedAheadMicroseconds) else {
      throw .signedInFuture
    }
    guard let leaf = Certificate(der: token.leaf),
      let intermediate = Certificate(der: token.intermediate)
    else { throw .malformedCertificate }
    try prove(leaf, intermediate, at: signed)
    let fault: VerificationFault?
    do throws(CryptoUnavailable) {
      fault = try Self.fault(of: token, leaf, intermediate)
    } catch {
      throw .unavailable
    }
    if let fault { throw fault }
    return fields
  }

  /// What is wrong with a token whose chain is proved; nil if nothing. Throws when memory is out.
  private static func fault(
    of token: SignedToken, _ leaf: borrowing Certificate, _ intermediate: borrowing Certificate
  ) throws(CryptoUnavailable) -> VerificationFault? {
    guard try leaf.hasExtension(leafMarker) else { return .leafNotMarked }
    guard try intermediate.hasExtension(intermediateMarker) else { return .intermediateNotMarked }
    guard leaf.hasP256Key else { return .unsupportedKey }
    guard try leaf.signed(token.message, signature: token.signature) else {
      return .wrongSignature
    }
    return nil
  }

  private func prove(
    _ leaf: borrowing Certificate, _ intermediate: borrowing Certificate, at signed: Instant
  ) throws(VerificationFault) {
    do throws(RootStore.ChainFault) {
      // signedDate is after 1973, so the division rounds down.
      let seconds = Int(signed.microseconds / 1_000_000)
      try roots.prove(leaf: leaf, intermediate: intermediate, at: seconds)
    } catch {
      switch error {
      case .expired: throw .expiredCertificate
      case .notYetValid: throw .certificateNotYetValid
      case .untrusted: throw .untrustedChain
      case .unavailable: throw .unavailable
      }
    }
  }

  /// Apple's extension of certificates that sign App Store receipts and payloads.
  static let leafMarker = "1.2.840.113635.100.6.11.1"
  /// Apple's extension of its Worldwide Developer Relations intermediates.
  static let intermediateMarker = "1.2.840.113635.100.6.2.1"
}
